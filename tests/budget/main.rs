//! What a build costs in crates.
#![allow(clippy::unwrap_used, reason = "a test may")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn cargo(args: &[&str]) -> String {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo).args(args).current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The crates that a package needs to run, by name and version.
fn crates(args: &[&str]) -> BTreeSet<String> {
    let tree = cargo(&[&["tree", "--offline", "-e", "normal", "--prefix", "none"], args].concat());
    tree.lines().map(|line| line.split(" (").next().unwrap().to_owned()).collect()
}

#[test]
fn the_macros_add_no_crate_to_what_kube_needs() {
    let kube = crates(&["-p", "kube", "-p", "tokio", "-p", "schemars"]);
    let added: Vec<_> = crates(&["-p", "evenkeel-macros"]).difference(&kube).cloned().collect();
    assert!(added.len() == 1 && added[0].starts_with("evenkeel-macros"), "{added:?}");
}

/// What a plain controller on kube 5 builds, in the shape of kube's examples: 197 crates.
const PLAIN: usize = 197;

#[test]
fn an_operator_builds_at_most_three_crates_more_than_a_plain_controller() {
    let ours = crates(&["-p", "evenkeel"]);
    assert!(ours.len() <= PLAIN + 3, "{} crates", ours.len());
}

/// Of these kube and its derives are 43.
const TYPES_ONLY: usize = 47;

#[test]
fn a_build_of_types_only_stays_small() {
    let ours = crates(&["-p", "evenkeel", "--no-default-features"]);
    assert!(ours.len() <= TYPES_ONLY, "{} crates: {ours:?}", ours.len());
    assert!(!ours.iter().any(|name| name.starts_with("kube-client ") || name.starts_with("tokio ")), "{ours:?}");
}
