//! Applies one Pod for each `PodManager` and records its creation time: two independent steps.

#![allow(unreachable_pub, reason = "kube's derive puts an item of its own beside the spec")]

#[cfg(test)]
mod behaviour;
pub mod demo;
pub mod kubelet;
pub mod operator;
#[cfg(test)]
mod reference;
#[cfg(test)]
mod rights;

use std::future::pending;
use std::process::ExitCode;

use clap::Parser;
use examples::server::{Choice, Server};
use examples::story::play;
use examples::terminal::{end, prepare, print_line};
use k8s_openapi::api::core::v1::Pod;
use kube::Api;

use crate::demo::Demo;
use crate::operator::{operator, pod_manager};

/// Applies a Pod for each PodManager and records its creation time, as a Kubernetes operator does.
///
/// Starts an API server in this process, installs the CRD, applies a PodManager, deletes its Pod when it is ready, and shows the result. A
/// stand-in for the kubelet reports Pods as running; a real cluster has its own.
///
/// Logs go to standard error: RUST_LOG=info, RUST_LOG=evenkeel=debug.
#[derive(Debug, Parser)]
#[command(name = "podmanager")]
struct Args {
    /// End when the second Pod is ready: exit code 0, or 1 with the reason when a state is not reached within a minute
    #[arg(long)]
    once: bool,

    /// The API server, and the namespace in it
    #[command(flatten)]
    server: Choice,
}

#[tokio::main]
async fn main() -> ExitCode {
    let args = Args::parse();
    prepare();
    end(run(&args).await)
}

async fn run(args: &Args) -> Result<(), String> {
    // Removed when it goes out of scope, also after an error.
    let folder = tempfile::tempdir().map_err(|error| format!("cannot make a temporary folder: {error}"))?;
    let server = Server::choose(&args.server, folder.path()).await?;
    server.install(&evenkeel::crd::<pod_manager>(), "podmanager-demo").await?;
    let namespace = &args.server.namespace;
    print_line(&server.introduction(&[], namespace, "podmanagers"))?;
    let operator = args.server.configure(operator(), server.client.clone());
    let demo = Demo::new(server.client.clone(), namespace);
    tokio::select! {
        outcome = play(&demo, args.once) => outcome,
        ended = operator.run_until(pending()) => Err(format!("the operator ended: {ended:?}")),
        Err(error) = kubelet(&server, namespace) => Err(error),
    }
}

/// Starts the stand-in for the kubelet on a server without nodes.
async fn kubelet(server: &Server, namespace: &str) -> Result<(), String> {
    if server.is_here() { kubelet::run(Api::<Pod>::namespaced(server.client.clone(), namespace)).await } else { Ok(()) }
}
