//! Keeps one Pod for each `PodManager`, and notes when it was created: two steps of which neither relies on the other.

#![allow(unreachable_pub, reason = "kube's derive puts an item of its own beside the spec")]

#[cfg(test)]
mod behaviour;
pub mod demo;
pub mod kubelet;
pub mod operator;
#[cfg(test)]
mod reference;

use std::future::pending;
use std::process::ExitCode;

use clap::Parser;
use examples::server::{Choice, Server};
use examples::story::tell;
use examples::terminal::{end, prepare, say};
use k8s_openapi::api::core::v1::Pod;
use kube::Api;

use crate::demo::Demo;
use crate::operator::{operator, pod_manager};

/// Keeps a Pod for each PodManager and notes when it was created, as a Kubernetes operator does.
///
/// Starts an API server in this process, installs the definition, applies a PodManager, deletes its Pod when it is ready, and shows
/// what becomes of it. A stand-in for the kubelet says that Pods run; a real cluster has its own.
///
/// Logs go to standard error: RUST_LOG=info, RUST_LOG=evenkeel=debug.
#[derive(Debug, Parser)]
#[command(name = "podmanager")]
struct Args {
    /// End when the second Pod is ready: exit code 0, or 1 with the reason when something is not reached within a minute
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
    say(&server.introduction(&[], namespace, "podmanagers"))?;
    let operator = operator().client(server.client.clone()).namespaces([namespace]);
    let demo = Demo::new(server.client.clone(), namespace);
    tokio::select! {
        outcome = tell(&demo, args.once) => outcome,
        ended = operator.run_until(pending()) => Err(format!("the operator ended: {ended:?}")),
        Err(error) = kubelet(&server, namespace) => Err(error),
    }
}

/// Where there are no nodes, somebody has to say that Pods run.
async fn kubelet(server: &Server, namespace: &str) -> Result<(), String> {
    if server.is_here() { kubelet::run(Api::<Pod>::namespaced(server.client.clone(), namespace)).await } else { Ok(()) }
}
