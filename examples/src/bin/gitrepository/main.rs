//! Reconciles git repositories: fetches them and stores an archive of the wanted revision.

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
#[cfg(test)]
mod kills;
pub mod operator;
pub mod recipe;
#[cfg(test)]
mod reference;
pub mod remote;
#[cfg(test)]
mod rights;
pub mod rules;
pub mod sample;
pub mod storage;
#[cfg(test)]
mod sweep;
pub mod table;
pub mod version;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use examples::server::Server;
use examples::terminal::{end, prepare, print_line};

use crate::args::Args;
use crate::demo::{Demo, Until};
use crate::operator::{git_repository, operator};
use crate::remote::Remote;
use crate::storage::Storage;
use crate::table::{Paint, Table};

#[tokio::main]
async fn main() -> ExitCode {
    let args = Args::parse();
    prepare();
    end(run(&args).await)
}

async fn run(args: &Args) -> Result<(), String> {
    // Removed when it goes out of scope, also after an error.
    let folder = tempfile::tempdir().map_err(|error| format!("cannot make a temporary folder: {error}"))?;
    let data = args.data.clone().unwrap_or_else(|| folder.path().join("data"));
    let storage = Storage::open(&data).map_err(|error| format!("cannot use {}: {error}", data.display()))?;
    let url = repository(args.url.as_deref(), folder.path())?;
    Remote::parse(&url).map_err(|error| format!("cannot use --url: {error}"))?;
    let server = Server::choose(&args.server, folder.path()).await?;
    server.install(&evenkeel::crd::<git_repository>(), "gitrepository-demo").await?;
    let data = data.display().to_string();
    let more = [("data", data.as_str()), ("repository", &url)];
    print_line(&server.introduction(&more, &args.server.namespace, "gitrepositories"))?;
    let table = Table::new(paint(args));
    let mut demo = Demo::new(server.client.clone(), &args.server.namespace, table);
    let until = if args.once { Until::Reached } else { Until::Stopped };
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let operator = args.server.configure(operator(storage), server.client.clone());
    let running = operator.run_until(async { drop(stopped.await) });
    tokio::pin!(running);
    let outcome = tokio::select! {
        outcome = play(&mut demo, &url, until) => outcome,
        ended = &mut running => return Err(format!("the operator ended: {ended:?}")),
    };
    drop(stop);
    outcome.and(running.await.map_err(|error| error.to_string()))
}

/// Runs the demo until it ends or is stopped, then deletes the objects, for which the operator removes the files.
async fn play(demo: &mut Demo, url: &str, until: Until) -> Result<(), String> {
    let outcome = tokio::select! {
        outcome = demo.run(url, until) => outcome,
        _ = tokio::signal::ctrl_c() => Ok(()),
    };
    if outcome.is_ok() && until == Until::Reached {
        print_line("\nall expected states are reached; deleting the objects")?;
    }
    let ended = tokio::select! {
        ended = demo.end() => ended,
        _ = tokio::signal::ctrl_c() => Err("stopped before the objects were gone".to_owned()),
    };
    outcome.and(ended)
}

/// Returns the wanted repository, else the one around the working directory, else a small one created in the folder.
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

fn paint(args: &Args) -> Paint {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    if args.no_color || refused { Paint::None } else { Paint::Colour }
}
