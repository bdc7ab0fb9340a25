//! The command `doctor`: checks a cluster for what the operator needs, and changes nothing.

#[cfg(feature = "config")]
mod config;
mod crds;
mod finding;
#[cfg(feature = "lease")]
mod lease;
mod objects;
mod rights;
mod server;
#[cfg(feature = "webhooks")]
mod webhooks;

use std::io::Write;

use clap::Args;
use jiff::Timestamp;
use kube::Client;

use self::finding::{Finding, Level};
use self::server::Contact;
use super::builder::Operator;
use super::context::client_alone;
use super::error::Result;
use super::explain::{Output, OutputArgs};
use super::policy_check;
use super::print::unwritten;

/// The exit code if a check failed.
const FAILED: u8 = 1;

/// The exit code if the API server does not respond.
const UNREACHABLE: u8 = 2;

/// The options of the command `doctor`.
#[derive(Debug, Args)]
pub(super) struct DoctorArgs {
    #[command(flatten)]
    output: OutputArgs,
}

/// Checks the cluster, prints what was found, and returns the exit code.
///
/// # Errors
/// The cluster is not configured, or the output cannot be written.
pub(super) async fn doctor(mut operator: Operator, args: &DoctorArgs, out: impl Write + Send) -> Result<u8> {
    let client = client_alone(&mut operator).await?;
    let mut report = Report { out, output: args.output.output, all: Vec::new() };
    #[cfg(feature = "config")]
    report.add(config::check(&operator)).map_err(unwritten)?;
    let now = match server::contact(&client).await {
        Contact::Made { findings, now } => {
            report.add(findings).map_err(unwritten)?;
            now
        }
        Contact::Failed(finding) => {
            report.add([finding]).map_err(unwritten)?;
            report.end().map_err(unwritten)?;
            return Ok(UNREACHABLE);
        }
    };
    examine(&client, &operator, now, &mut report).await.map_err(unwritten)?;
    report.end().map_err(unwritten)
}

#[cfg_attr(
    not(any(feature = "lease", feature = "webhooks")),
    expect(unused_variables, reason = "only leases and certificates have a time")
)]
async fn examine(
    client: &Client,
    operator: &Operator,
    now: Timestamp,
    report: &mut Report<impl Write + Send>,
) -> std::io::Result<()> {
    report.add(crds::check(client, operator).await)?;
    let roles = [operator.roles()].into_iter();
    #[cfg(feature = "webhooks")]
    let roles = roles.chain(webhooks::roles(client, operator));
    report.add(rights::check(client, &roles.collect::<Vec<_>>()).await)?;
    #[cfg(feature = "webhooks")]
    report.add(webhooks::check(client, operator, now).await)?;
    report.add(policies(client, operator).await)?;
    #[cfg(feature = "lease")]
    report.add(lease::check(client, operator, now).await)?;
    let known = operator.introspect();
    report.add(objects::check(client, &known, &operator.namespaces).await)
}

/// Whether the API server checks the rules that are policies.
async fn policies(client: &Client, operator: &Operator) -> Option<Finding> {
    let names = policy_check::names(operator);
    if names.is_empty() {
        return None;
    }
    let names = names.join(", ");
    Some(match policy_check::are_served(client).await {
        Some(true) => Finding::ok("policy", "the API server serves ValidatingAdmissionPolicies"),
        Some(false) => {
            let text = format!("the API server serves no ValidatingAdmissionPolicies, so it does not check {names}");
            Finding::warn("policy", text, "update the cluster, or write them as functions with `#[validate]`")
        }
        None => Finding::unknown("policy", "whether the API server serves ValidatingAdmissionPolicies is not known"),
    })
}

/// Prints findings as they come.
struct Report<W> {
    out: W,
    output: Output,
    all: Vec<Finding>,
}

impl<W: Write> Report<W> {
    fn add(&mut self, findings: impl IntoIterator<Item = Finding>) -> std::io::Result<()> {
        for finding in findings {
            if self.output == Output::Text {
                write!(self.out, "{finding}")?;
            }
            self.all.push(finding);
        }
        self.out.flush()
    }

    /// Prints the rest, and returns the exit code.
    fn end(&mut self) -> std::io::Result<u8> {
        if self.output == Output::Json {
            let text = serde_json::to_string_pretty(&self.all).map_err(std::io::Error::other)?;
            writeln!(self.out, "{text}")?;
            self.out.flush()?;
        }
        let failed = self.all.iter().any(|finding| finding.level == Level::Fail);
        Ok(if failed { FAILED } else { 0 })
    }
}
