//! The command line.

use std::path::PathBuf;

use clap::Parser;
use examples::server::Choice;

/// Keeps an archive of the wanted revision of git repositories, as a Kubernetes operator does.
///
/// Starts an API server in this process, installs the definition, applies four objects and shows what becomes of them:
/// `plain` points at a git repository; `broken-url` has an URL that cannot work; `late-secret` names a Secret that is not
/// there yet, and wakes when the demo makes it a few seconds later; `with-include` waits for the archive of `plain` and puts
/// it into its own.
///
/// Logs go to standard error: RUST_LOG=info, RUST_LOG=evenkeel=debug.
#[derive(Debug, Parser)]
#[command(name = "gitrepository")]
pub struct Args {
    /// End when the expected states are reached: exit code 0, or 1 with the reason when they are not within a minute
    #[arg(long)]
    pub once: bool,

    /// The repository of the objects: a folder or an URL [default: the repository around the working directory, or a
    /// small one made for the demo]
    #[arg(long, value_name = "PATH|URL")]
    pub url: Option<String>,

    /// Where archives and clones are kept [default: a temporary folder, removed at the end]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,

    /// The API server, and the namespace in it
    #[command(flatten)]
    pub server: Choice,

    /// No colours; NO_COLOR does the same
    #[arg(long)]
    pub no_color: bool,
}
