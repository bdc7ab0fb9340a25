//! The command line.

use std::path::PathBuf;

use clap::Parser;
use examples::server::Choice;

/// Stores an archive of the wanted revision of git repositories, as a Kubernetes operator does.
///
/// Starts an API server in this process, installs the CRD, applies four objects and shows their states: `plain` points at a git repository;
/// `broken-url` has an invalid URL; `late-secret` names a missing Secret, which the demo creates a few seconds later; `with-include` waits
/// for the archive of `plain` and includes it in its own.
///
/// Logs go to standard error: RUST_LOG=info, RUST_LOG=evenkeel=debug.
#[derive(Debug, Parser)]
#[command(name = "gitrepository")]
pub struct Args {
    /// End when the expected states are reached: exit code 0, or 1 with the reason when they are not within a minute
    #[arg(long)]
    pub once: bool,

    /// The repository of the objects: a folder or a URL [default: the repository around the working directory, or a small one created for
    /// the demo]
    #[arg(long, value_name = "PATH|URL")]
    pub url: Option<String>,

    /// The folder for archives and clones [default: a temporary folder, removed at the end]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,

    /// The API server, and the namespace in it
    #[command(flatten)]
    pub server: Choice,

    /// No colours; NO_COLOR does the same
    #[arg(long)]
    pub no_color: bool,
}
