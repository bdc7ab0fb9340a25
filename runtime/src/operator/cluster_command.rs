//! The commands about a cluster: `doctor`, `explain` and `status`, which change nothing, and `migrate` and `step-down`.

use std::ffi::OsString;
use std::io::Write;

use clap::{Parser, Subcommand};

use super::builder::Operator;
use super::doctor::{DoctorArgs, doctor};
use super::error::{Error, Reason, Result};
use super::explain::{ExplainArgs, StatusArgs, explain, status};
use super::migrate::{MigrateArgs, migrate};
#[cfg(feature = "lease")]
use super::step_down::{StepDownArgs, step_down};

/// A command about the cluster.
#[derive(Debug, Subcommand)]
pub(super) enum ClusterCommand {
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
    /// Writes each object once, so that all are stored in the storage version, and removes the other stored versions from the CRD
    ///
    /// Run it after a CRD with another storage version was applied, and before a version is removed from the CRD. It covers all namespaces and
    /// can be repeated at any time. The exit code is 1 if an object could not be written; the CRD is then not changed.
    Migrate(MigrateArgs),
    /// Makes a replica give its lease or its shards back, and take none for 30 s: for a replica on a node that is unhealthy
    ///
    /// Running passes end first. The exit code is 1 if no other replica takes over. It needs the right to patch the Lease.
    #[cfg(feature = "lease")]
    StepDown(StepDownArgs),
}

/// Runs the command, and returns its exit code.
///
/// # Errors
/// The cluster is not configured, an object or a CRD cannot be read, or the output cannot be written.
pub(super) async fn run(operator: Operator, command: &ClusterCommand, out: impl Write + Send) -> Result<u8> {
    match command {
        ClusterCommand::Doctor(args) => doctor(operator, args, out).await,
        ClusterCommand::Explain(args) => explain(operator, args, out).await.map(|()| 0),
        ClusterCommand::Status(args) => status(operator, args, out).await.map(|()| 0),
        ClusterCommand::Migrate(args) => migrate(operator, args, out).await,
        #[cfg(feature = "lease")]
        ClusterCommand::StepDown(args) => step_down(operator, args, out).await,
    }
}

/// Runs the command of a line that a test gives.
pub(super) async fn run_line<A: Into<OsString> + Clone>(
    operator: Operator,
    line: impl IntoIterator<Item = A>,
    out: impl Write + Send,
) -> Result<u8> {
    #[derive(Parser)]
    #[command(no_binary_name = true)]
    struct Line {
        #[command(subcommand)]
        command: ClusterCommand,
    }
    let parsed = Line::try_parse_from(line);
    let parsed =
        parsed.map_err(|error| Error::new(Reason::Setup, error.to_string(), "see `--help`").caused_by(error))?;
    run(operator, &parsed.command, out).await
}
