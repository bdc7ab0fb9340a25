//! Replays conversations that were recorded on real API servers, and compares every response.
//!
//! `cargo test -p evenkeel-testkit --test golden -- [part of a name]`
//!
//! * `EVENKEEL_REAL_APISERVER`: the directory of the real servers (see `tests/kit/real.sh`); the cases are also replayed on the servers
//!   that recorded them.
//! * `EVENKEEL_GOLDEN_VERBOSE`: prints every differing step, expected or not.
//! * `EVENKEEL_GOLDEN_RECORD`, together with `EVENKEEL_REAL_APISERVER`: records instead of comparing. The requests of the cases in
//!   `tests/kit/cases` whose label contains its value are sent to the real servers, and their responses are written to the case files.
#![allow(clippy::unwrap_used, reason = "a test may stop at what it cannot use")]

mod binding;
mod case;
mod compare;
mod ensure;
mod pending;
mod record;
mod replay;
mod server;
mod stream;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use futures::StreamExt;

use case::{Case, Fixtures};
use pending::Pending;
use replay::Differences;
use server::{Clients, Pace};

#[tokio::main]
async fn main() -> ExitCode {
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    let Some(folder) = case::shared() else {
        println!("golden: skipped, no recorded cases: set EVENKEEL_SHARED to the folder that holds cases/apiserver");
        return ExitCode::SUCCESS;
    };
    if let (Ok(cases), Some(servers)) = (std::env::var("EVENKEEL_GOLDEN_RECORD"), real()) {
        let recorded = record::record(&servers, &cases, &case::fixtures(&folder)).await;
        return summary(&recorded.err().into_iter().collect::<Vec<_>>());
    }
    let (cases, fixtures) = case::load(&folder);
    let pending = Pending::parse(include_str!("pending.txt"));
    let kit = on_kit(&cases, &fixtures, &pending, &filter);
    let mut failed = Vec::new();
    if let Some(servers) = real() {
        let kubeconfigs = [servers.join("kubeconfig-modern"), servers.join("kubeconfig")];
        let modern = on_real("modern", &kubeconfigs[0], &cases, &fixtures, &pending, &filter);
        let full = on_real("full", &kubeconfigs[1], &cases, &fixtures, &pending, &filter);
        let (kit, modern, full) = tokio::join!(kit, modern, full);
        failed.extend([kit, modern, full].concat());
    } else {
        println!("golden: skipped on real servers: EVENKEEL_REAL_APISERVER is not set, see tests/kit/real.sh");
        failed.extend(kit.await);
    }
    summary(&failed)
}

/// The directory of the real servers.
fn real() -> Option<PathBuf> {
    std::env::var_os("EVENKEEL_REAL_APISERVER").map(PathBuf::from)
}

/// On the embedded server, every case has its own cluster.
async fn on_kit(cases: &[Case], fixtures: &Fixtures, pending: &Pending, filter: &str) -> Vec<String> {
    let name = "kit";
    let mine = cases.iter().filter(|case| case.label().contains(filter));
    let runs = mine.map(|case| async move {
        let excused = pending.of(name, &case.label());
        let clients = Clients::embedded(&case.server).await;
        let differences = replay::replay(case, &clients, Pace::KIT, fixtures, &excused).await;
        report(name, case, &differences, excused.verdict(&differences))
    });
    let reports: Vec<Option<String>> = futures::stream::iter(runs).buffered(16).collect().await;
    strangers(name, cases, pending).into_iter().chain(reports.into_iter().flatten()).collect()
}

/// On a real server, cases run one after another, since they share its resource versions.
async fn on_real(
    name: &'static str,
    kubeconfig: &Path,
    cases: &[Case],
    fixtures: &Fixtures,
    pending: &Pending,
    filter: &str,
) -> Vec<String> {
    let mine: Vec<&Case> = cases.iter().filter(|case| case.server == name && case.label().contains(filter)).collect();
    let clients = match Clients::connect(kubeconfig).await {
        Ok(clients) => clients,
        Err(error) => return vec![format!("{name}: {error}")],
    };
    if let Err(error) = ensure::clean(&clients.admin, &mine).await {
        return vec![format!("{name}: {error}")];
    }
    let mut failed = strangers(name, cases, pending);
    for case in mine {
        let excused = pending.of(name, &case.label());
        let mut differences = replay::replay(case, &clients, Pace::REAL, fixtures, &excused).await;
        // Controllers of a real server write between the steps, so a difference counts only if it occurs twice.
        if excused.verdict(&differences).is_err() && ensure::clean(&clients.admin, &[case]).await.is_ok() {
            println!("  {name} {} differs; once more", case.label());
            differences = replay::replay(case, &clients, Pace::REAL, fixtures, &excused).await;
        }
        failed.extend(report(name, case, &differences, excused.verdict(&differences)));
    }
    failed
}

fn strangers(server: &str, cases: &[Case], pending: &Pending) -> Vec<String> {
    let labels: BTreeSet<String> = cases.iter().map(Case::label).collect();
    pending.strangers(server, &labels).map(|label| format!("pending.txt names no case: {server} {label}")).collect()
}

fn report(server: &str, case: &Case, differences: &Differences, verdict: Result<String, String>) -> Option<String> {
    let name = format!("{server} {}", case.label());
    if std::env::var_os("EVENKEEL_GOLDEN_VERBOSE").is_some() {
        for (step, difference) in differences {
            println!("  {name} step {step}: {difference}");
        }
    }
    match verdict {
        Ok(word) => {
            println!("test {name} ... {word}");
            None
        }
        Err(difference) => {
            println!("test {name} ... FAILED");
            Some(format!("{name}: {difference}"))
        }
    }
}

fn summary(failed: &[String]) -> ExitCode {
    for failure in failed {
        println!("\n---- {failure}");
    }
    println!("\ngolden: {} failed", failed.len());
    if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
