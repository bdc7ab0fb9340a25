//! The app runs once: on the in-process server, and on a real one that has validation rules, where it is available.
#![allow(missing_docs, reason = "a test")]
#![allow(clippy::unwrap_used, reason = "a test may")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// What the demo prints of its five objects.
const LINES: [&str; 12] = [
    "  spec.team: there is no team \"unknown\": create it first",
    "  spec.hosts[0]: https://a.example.com is not a host: leave out the scheme and the path",
    "  spec.hosts[1]: b.example.com/index.html is not a host: leave out the scheme and the path",
    "  add team web, web@example.com: the mail service is busy",
    "  add team web, web@example.com",
    "  update team web, web@example.com -> sites@example.com",
    "  hosts [\"shop.example.com\"], label app.evenkeel.dev/team=web",
    "  published: https://shop.example.com",
    "  spec.team: Invalid value: the team of a site cannot be changed",
    "  create namespace app-demo",
    "  delete namespace app-demo",
    "  delete team web",
];

fn runs(kubeconfig: Option<&Path>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_app"));
    command.arg("--once");
    if let Some(file) = kubeconfig {
        command.arg("--kubeconfig").arg(file);
    }
    let output = command.output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = printed.lines().filter(|line| line.starts_with("  ")).collect();
    assert!(output.status.success() && lines == LINES, "{kubeconfig:?}: {output:?}");
}

#[test]
fn the_app_shows_what_happens_to_five_objects() {
    runs(None);
}

#[test]
fn the_app_shows_the_same_on_a_real_api_server() {
    match std::env::var_os("EVENKEEL_REAL_APISERVER") {
        Some(folder) => runs(Some(&PathBuf::from(folder).join("kubeconfig-modern"))),
        None => println!("skipped: EVENKEEL_REAL_APISERVER is not set"),
    }
}
