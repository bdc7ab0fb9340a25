//! Reconciles git repositories: fetches them and keeps an archive of the wanted revision.

#![allow(unreachable_pub, reason = "kube's derive puts an item of its own beside the spec")]
#![allow(clippy::duplicated_attributes, reason = "two columns may well have one type")]

pub mod archive;
pub mod args;
#[cfg(test)]
mod behaviour;
pub mod clone;
#[cfg(test)]
mod coverage;
#[cfg(test)]
mod daemon;
pub mod demo;
pub mod git;
pub mod include;
pub mod operator;
pub mod recipe;
#[cfg(test)]
mod reference;
pub mod remote;
pub mod rules;
pub mod sample;
pub mod server;
pub mod storage;
#[cfg(test)]
mod sweep;
pub mod table;
pub mod version;

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use kube::api::{Patch, PatchParams};
use kube::runtime::{conditions, wait};
use kube::{Api, Client, CustomResourceExt};
use tracing_subscriber::EnvFilter;

use crate::args::Args;
use crate::demo::{Demo, Until};
use crate::operator::{GitRepository, operator};
use crate::remote::Remote;
use crate::server::Server;
use crate::storage::Storage;
use crate::table::{Paint, Table};

#[tokio::main]
async fn main() -> ExitCode {
    let args = Args::parse();
    let logs = tracing_subscriber::fmt().with_writer(std::io::stderr).with_ansi(std::io::stderr().is_terminal());
    // Silent unless asked: the table has the terminal.
    logs.with_env_filter(EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("off"))).init();
    // Fails only where a provider is installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    match run(&args).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(args: &Args) -> Result<(), String> {
    // Removed when it goes out of scope, also after an error.
    let folder = tempfile::tempdir().map_err(|error| format!("cannot make a temporary folder: {error}"))?;
    let data = args.data.clone().unwrap_or_else(|| folder.path().join("data"));
    let storage = Storage::open(&data).map_err(|error| format!("cannot use {}: {error}", data.display()))?;
    let url = repository(args.url.as_deref(), folder.path())?;
    Remote::parse(&url).map_err(|error| format!("cannot use --url: {error}"))?;
    let server = Server::choose(args, folder.path()).await?;
    install(server.client.clone()).await?;
    say(&introduction(&server, &data, &url, &args.namespace))?;
    let table = Table::new(paint(args));
    let mut demo = Demo::new(server.client.clone(), &args.namespace, table);
    let until = if args.once { Until::Reached } else { Until::Stopped };
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let operator = operator(storage).client(server.client.clone()).namespaces([&args.namespace]);
    let running = operator.run_until(async { drop(stopped.await) });
    tokio::pin!(running);
    let outcome = tokio::select! {
        outcome = tell(&mut demo, &url, until) => outcome,
        ended = &mut running => return Err(format!("the operator ended: {ended:?}")),
    };
    drop(stop);
    outcome.and(running.await.map_err(|error| error.to_string()))
}

/// The whole story: the demo until it is over or stopped, and the farewell, in which the operator removes the files.
async fn tell(demo: &mut Demo, url: &str, until: Until) -> Result<(), String> {
    let outcome = tokio::select! {
        outcome = demo.run(url, until) => outcome,
        _ = tokio::signal::ctrl_c() => Ok(()),
    };
    if outcome.is_ok() && until == Until::Reached {
        say("\nall expected states are reached; deleting the objects")?;
    }
    let ended = tokio::select! {
        ended = demo.end() => ended,
        _ = tokio::signal::ctrl_c() => Err("stopped before the objects were gone".to_owned()),
    };
    outcome.and(ended)
}

/// The wanted repository; else the one around the working directory; else a small one, made in the folder.
fn repository(wanted: Option<&str>, folder: &Path) -> Result<String, String> {
    if let Some(wanted) = wanted {
        let local = PathBuf::from(wanted).canonicalize();
        return Ok(local.map_or_else(|_| wanted.to_owned(), |path| path.display().to_string()));
    }
    let around = gix::discover(".").ok().filter(|repository| repository.head_commit().is_ok());
    if let Some(path) =
        around.and_then(|repository| repository.workdir().unwrap_or(repository.git_dir()).canonicalize().ok())
    {
        return Ok(path.display().to_string());
    }
    let path = folder.join("repository");
    let made = sample::repository(&path, &[("README.md", "A small repository\n"), ("src/main.rs", "fn main() {}\n")]);
    made.map_err(|error| format!("cannot make a repository in {}: {error}", path.display()))?;
    Ok(path.display().to_string())
}

/// Installs the definition and waits until it is served.
async fn install(client: Client) -> Result<(), String> {
    let definition = GitRepository::crd();
    let definitions = Api::all(client);
    let params = PatchParams::apply("gitrepository-demo").force();
    let installed = definitions.patch(GitRepository::crd_name(), &params, &Patch::Apply(&definition)).await;
    installed.map_err(|error| format!("cannot install {}: {}", GitRepository::crd_name(), server::said(&error)))?;
    let established =
        wait::await_condition(definitions, GitRepository::crd_name(), conditions::is_crd_established()).await;
    established.map(drop).map_err(|error| format!("{} is not served: {error}", GitRepository::crd_name()))
}

/// What the person needs to know before the table begins.
fn introduction(server: &Server, data: &Path, url: &str, namespace: &str) -> String {
    let file = server.kubeconfig.as_ref().map(|file| file.display());
    let option = file.as_ref().map_or_else(String::new, |file| format!(" --kubeconfig {file}"));
    let mut lines = vec![format!("API server  {}", server.what)];
    lines.extend(file.map(|file| format!("kubeconfig  {file}")));
    lines.push(format!("data        {}", data.display()));
    lines.push(format!("repository  {url}"));
    lines.push(format!("try         kubectl{option} -n {namespace} get gitrepositories --watch\n"));
    lines.join("\n")
}

/// Prints a line; standard output may have been closed.
fn say(text: &str) -> Result<(), String> {
    writeln!(std::io::stdout(), "{text}").map_err(|error| format!("cannot write to standard output: {error}"))
}

fn paint(args: &Args) -> Paint {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    if args.no_color || refused { Paint::None } else { Paint::Colour }
}
