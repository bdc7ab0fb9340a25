//! The commands that look at a cluster and change nothing: `doctor`, `explain` and `status`.

use std::ffi::OsString;
use std::io::Write;

use clap::{Parser, Subcommand};

use super::builder::Operator;
use super::doctor::{DoctorArgs, doctor};
use super::error::{Error, Reason, Result};
use super::explain::{ExplainArgs, StatusArgs, explain, status};

/// A command that looks at the cluster.
#[derive(Debug, Subcommand)]
pub(super) enum Look {
    /// Checks that the cluster has what the operator needs: CRDs, rights, webhooks and their certificate; changes nothing
    ///
    /// The exit code is 0 if no check failed, 1 if one failed, and 2 if the API server does not respond. The rights are those of the user of the
    /// kubeconfig: for those of the operator, use a kubeconfig with a token of its service account.
    Doctor(DoctorArgs),
    /// Prints why an object is in its state: each condition with its meaning, what happens next, and the fix
    ///
    /// The namespace is that of `-n`, or else that of the kubeconfig.
    Explain(ExplainArgs),
    /// Prints how many objects of each kind are ready, and the conditions of those that are not
    Status(StatusArgs),
}

/// Runs the command, and returns its exit code.
///
/// # Errors
/// The cluster is not configured, an object cannot be read, or the output cannot be written.
pub(super) async fn look(operator: Operator, command: &Look, out: impl Write + Send) -> Result<u8> {
    match command {
        Look::Doctor(args) => doctor(operator, args, out).await,
        Look::Explain(args) => explain(operator, args, out).await.map(|()| 0),
        Look::Status(args) => status(operator, args, out).await.map(|()| 0),
    }
}

/// Runs the command of a line that a test gives.
pub(super) async fn look_line<A: Into<OsString> + Clone>(
    operator: Operator,
    line: impl IntoIterator<Item = A>,
    out: impl Write + Send,
) -> Result<u8> {
    #[derive(Parser)]
    #[command(no_binary_name = true)]
    struct Line {
        #[command(subcommand)]
        command: Look,
    }
    let parsed = Line::try_parse_from(line);
    let parsed =
        parsed.map_err(|error| Error::new(Reason::Setup, error.to_string(), "see `--help`").caused_by(error))?;
    look(operator, &parsed.command, out).await
}
