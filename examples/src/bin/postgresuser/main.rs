//! Manages roles of a PostgreSQL server: effects outside the cluster are made once, found again, and removed with the object.

#![allow(unreachable_pub, reason = "kube's derive puts an item of its own beside the spec")]
#![allow(clippy::duplicated_attributes, reason = "two columns may well have one type")]

#[cfg(test)]
mod behaviour;
#[cfg(test)]
mod crash;
pub mod demo;
pub mod host;
#[cfg(test)]
mod kills;
pub mod name;
pub mod operator;
pub mod password;
#[cfg(test)]
mod reference;
#[cfg(test)]
mod replicas;
#[cfg(test)]
mod rights;
pub mod sql;

use std::future::pending;
use std::process::ExitCode;

use clap::Parser;
use examples::server::{Choice, Server};
use examples::story::play;
use examples::terminal::{end, prepare, print_line};
use tokio::task::spawn_blocking;

use crate::demo::Demo;
use crate::host::Host;
use crate::operator::{operator, postgres_user};
use crate::sql::Database;

/// Manages roles of a PostgreSQL server, as a Kubernetes operator does: a PostgresUser becomes a role with a password in a Secret.
///
/// Starts an API server in this process and a PostgreSQL server on loopback, installs the definition, applies a PostgresUser, logs in
/// as it, asks for another password, and deletes it. PostgreSQL's server programs have to be installed.
///
/// A role that the operator did not make is left alone, and what a dropped role owned stays, with the operator as its owner.
///
/// Logs go to standard error: RUST_LOG=info, RUST_LOG=evenkeel=debug.
#[derive(Debug, Parser)]
#[command(name = "postgresuser")]
struct Args {
    /// End when the demo is over: exit code 0, or 1 with the reason when a state is not reached within a minute
    #[arg(long)]
    once: bool,

    /// Use this PostgreSQL server instead of starting one: `host=.. user=.. password=..` or `postgresql://..`, without TLS, as a superuser
    #[arg(long, value_name = "STRING", env = "DATABASE_URL", hide_env_values = true)]
    database: Option<String>,

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
    let (_host, database) = postgres(args.database.as_deref()).await?;
    let server = Server::choose(&args.server, folder.path()).await?;
    server.install(&evenkeel::crd::<postgres_user>(), "postgresuser-demo").await?;
    let namespace = &args.server.namespace;
    print_line(&server.introduction(&[], namespace, "postgresusers"))?;
    let operator = args.server.configure(operator(database.clone()), server.client.clone());
    let demo = Demo::new(server.client.clone(), namespace, database);
    tokio::select! {
        outcome = play(&demo, args.once) => outcome,
        ended = operator.run_until(pending()) => Err(format!("the operator ended: {ended:?}")),
    }
}

/// The PostgreSQL server of the command line, or one that runs until the host is dropped.
async fn postgres(given: Option<&str>) -> Result<(Option<Host>, Database), String> {
    if let Some(text) = given {
        return Ok((None, Database::parse(text)?));
    }
    print_line("starting a PostgreSQL server ...")?;
    let host = spawn_blocking(Host::start).await.map_err(|error| error.to_string())??;
    let database = host.database()?;
    Ok((Some(host), database))
}
