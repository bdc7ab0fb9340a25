//! The command line.

use std::path::PathBuf;

use clap::Parser;

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

    /// Use the API server of this kubeconfig instead of one in this process
    #[arg(long, value_name = "FILE", conflicts_with = "cluster")]
    pub kubeconfig: Option<PathBuf>,

    /// Use the API server of $KUBECONFIG, ~/.kube/config or the pod's service account
    #[arg(long)]
    pub cluster: bool,

    /// The namespace of the objects; it has to be there
    #[arg(long, default_value = "default")]
    pub namespace: String,

    /// No colours; NO_COLOR does the same
    #[arg(long)]
    pub no_color: bool,
}
