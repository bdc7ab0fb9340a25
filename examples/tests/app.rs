//! The app runs once: on the in-process server, and on a real one that has validation rules, where it is available.
#![allow(missing_docs, reason = "a test")]
#![allow(clippy::unwrap_used, reason = "a test may")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// What the demo prints of its five objects.
const LINES: [&str; 16] = [
    "  spec.team: there is no team \"unknown\": create it first",
    "  spec.hosts[0]: https://a.example.com is not a host: leave out the scheme and the path",
    "  spec.hosts[1]: b.example.com/index.html is not a host: leave out the scheme and the path",
    "  add team web, web@example.com: the mail service is busy",
    "  add team web, web@example.com",
    "  update team web, web@example.com -> sites@example.com",
    "  hosts [\"shop.example.com\"], label app.evenkeel.dev/team=web",
    "  published: https://shop.example.com",
    "  spec.team: Invalid value: the team of a site cannot be changed",
    "  v1: hosts [\"blog.example.com\"]",
    "  v1 gets a second host; v1beta1: host \"blog.example.com\"",
    "  v1beta1 gets a label; v1: hosts [\"blog.example.com\", \"news.example.com\"]",
    "  blog.example.com, news.example.com",
    "  create namespace default",
    "  delete namespace default",
    "  delete team web",
];

/// The line of an API server without the tokens that a route requires.
const WITHOUT_TOKENS: &str = "  (this API server has no tokens of service accounts)";

fn runs(kubeconfig: Option<&Path>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_app"));
    command.arg("--once");
    if let Some(file) = kubeconfig {
        command.arg("--kubeconfig").arg(file);
    }
    let output = command.output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = printed.lines().filter(|line| line.starts_with("  ")).collect();
    let answer = if kubeconfig.is_some() { WITHOUT_TOKENS } else { LINES[12] };
    let wanted = LINES.map(|line| if line == LINES[12] { answer } else { line });
    assert!(output.status.success() && lines == wanted, "{kubeconfig:?}: {output:?}");
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
