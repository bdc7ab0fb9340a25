//! One app with two kinds, two watchers, reviews of writes, a conversion and a route.

#![allow(unreachable_pub, reason = "kube's derive puts an item of its own beside the spec")]

pub mod demo;
pub mod journal;
pub mod namespaces;
pub mod operator;
#[cfg(test)]
mod reference;
pub mod reviews;
#[cfg(test)]
mod rights;
pub mod routes;
pub mod setup;
pub mod site;
pub mod site_v1beta1;
pub mod team;
pub mod user;

use std::net::TcpListener;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use evenkeel::WebhookServer;
use evenkeel::admission::WebhookTarget;
use examples::server::{Choice, Server};
use examples::story::play;
use examples::terminal::{end, prepare, print_line};

use crate::demo::Demo;
use crate::journal::Journal;
use crate::operator::operator;
use crate::setup::Setup;

/// Serves web sites of teams: reconciles, watches and reviews several kinds, as a Kubernetes operator does.
///
/// Starts an API server in this process, which calls the webhooks of the app over TLS, and shows what happens to five objects: a site is
/// denied with all errors at once, one is changed while it is written, one is written in an older version, a team reaches a mail service
/// that is busy at first, and a namespace is watched.
///
/// With --kubeconfig the API server must be able to reach this machine on loopback, since it calls the webhooks there.
///
/// `app manifests` prints what an installation needs, without a server; `app crds`, `app webhooks`, `app rbac` and so on print parts of it.
///
/// Logs go to standard error: RUST_LOG=info, RUST_LOG=evenkeel=debug.
#[derive(Debug, Parser)]
#[command(name = "app")]
struct Args {
    /// End when the story is over: exit code 0, or 1 with the reason when a state is not reached within a minute
    #[arg(long)]
    once: bool,

    /// The API server, and the namespace in it
    #[command(flatten)]
    server: Choice,
}

#[tokio::main]
async fn main() -> ExitCode {
    if std::env::args().nth(1).is_some_and(|word| !word.starts_with('-') && word != "help") {
        return end(operator(&Arc::default()).run_cli().await.map_err(|error| error.to_string()));
    }
    let args = Args::parse();
    prepare();
    end(run(&args).await)
}

async fn run(args: &Args) -> Result<(), String> {
    // Removed when it goes out of scope, also after an error.
    let folder = tempfile::tempdir().map_err(|error| format!("cannot make a temporary folder: {error}"))?;
    let server = Server::choose(&args.server, folder.path()).await?;
    let namespace = &args.server.namespace;
    let socket = TcpListener::bind("127.0.0.1:0").map_err(|error| format!("no port for the webhooks: {error}"))?;
    let address = socket.local_addr().map_err(|error| format!("no port for the webhooks: {error}"))?;
    let target = WebhookTarget::url(format!("https://{address}"));
    let journal = Arc::new(Journal::default());
    let operator = args.server.configure(operator(&journal), server.client.clone());
    let setup = Setup::apply(&server, &operator, &target).await?;
    print_line(&server.introduction(&[("webhooks", &format!("https://{address}"))], namespace, "sites"))?;
    let operator = operator.webhooks(WebhookServer::on(socket).target(target));
    let demo = Demo::new(server.client.clone(), namespace, (journal, format!("https://{address}")));
    let outcome = tokio::select! {
        outcome = play(&demo, args.once) => outcome,
        ended = operator.run_until(std::future::pending()) => Err(format!("the operator ended: {ended:?}")),
    };
    outcome.and(setup.delete().await)
}
