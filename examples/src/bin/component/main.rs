//! Keeps the objects of a folder of manifests for each `Shop`, wave by wave.

#![allow(unreachable_pub, reason = "kube's derive puts an item of its own beside the spec")]

pub mod controllers;
pub mod demo;
pub mod operator;
#[cfg(test)]
mod reference;
#[cfg(test)]
mod rights;
pub mod tree;

use std::future::pending;
use std::process::ExitCode;

use clap::Parser;
use examples::server::{Choice, Server};
use examples::story::play;
use examples::terminal::{end, prepare, print_line};

use crate::demo::Demo;
use crate::operator::{operator, shop};

/// Keeps the objects of a folder of manifests for each Shop, as a Kubernetes operator does.
///
/// Starts an API server in this process and creates a Shop: its objects are created wave by wave. Then the spec changes, an object is deleted
/// and comes back, another one is no longer wanted, and a foreign object has the name of a new one. At the end all objects are deleted in
/// order.
///
/// `component render --object shop.yaml` prints the objects of a Shop as YAML, without a server, and
/// `component manifests` prints those that install the operator.
///
/// Logs go to standard error: RUST_LOG=info, RUST_LOG=evenkeel=debug.
#[derive(Debug, Parser)]
#[command(name = "component")]
struct Args {
    /// End when the story is over: exit code 0, or 1 with the reason when a state is not reached within a minute
    #[arg(long)]
    once: bool,

    /// Play the nodes, and the controllers of Deployments and Jobs if they do not run, for an API server without them
    #[arg(long)]
    without_nodes: bool,

    /// The API server, and the namespace in it
    #[command(flatten)]
    server: Choice,
}

#[tokio::main]
async fn main() -> ExitCode {
    if std::env::args().nth(1).is_some_and(|word| word == "render" || word == "manifests") {
        return end(operator().run_cli().await.map_err(|error| error.to_string()));
    }
    let args = Args::parse();
    prepare();
    end(run(&args).await)
}

async fn run(args: &Args) -> Result<(), String> {
    // Removed when it goes out of scope, also after an error.
    let folder = tempfile::tempdir().map_err(|error| format!("cannot make a temporary folder: {error}"))?;
    let server = Server::choose(&args.server, folder.path()).await?;
    server.install(&evenkeel::crd::<shop>(), "component-demo").await?;
    let namespace = &args.server.namespace;
    print_line(&server.introduction(&[], namespace, "shops"))?;
    let operator = args.server.configure(operator(), server.client.clone());
    let demo = Demo::new(server.client.clone(), namespace);
    let stands_in = server.is_here() || args.without_nodes;
    tokio::select! {
        outcome = play(&demo, args.once) => outcome,
        ended = operator.run_until(pending()) => Err(format!("the operator ended: {ended:?}")),
        Err(error) = controllers::run(server.client.clone(), namespace), if stands_in => Err(error),
    }
}
