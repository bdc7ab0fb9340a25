//! Build costs: the number of crates, and the code that the macros generate.
#![allow(clippy::unwrap_used, reason = "a test may")]

mod lines;
mod subject;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use lines::Compiler;
use subject::Called::{ByHand, ByReconciler};
use subject::source;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn cargo(args: &[&str]) -> String {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    // Removes the variables of the test package: build scripts that read them would run again, and all dependents as well.
    for (name, _) in std::env::vars_os() {
        if ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|of| name.to_string_lossy().starts_with(of)) {
            command.env_remove(name);
        }
    }
    let output = command.args(args).current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The crates that a package needs at run time, by name and version.
fn crates(args: &[&str]) -> BTreeSet<String> {
    let tree = cargo(&[&["tree", "--offline", "-e", "normal", "--prefix", "none"], args].concat());
    tree.lines().map(|line| line.split(" (").next().unwrap().to_owned()).collect()
}

#[test]
fn the_macros_add_no_crate_beyond_kube() {
    let kube = crates(&["-p", "kube", "-p", "tokio", "-p", "schemars"]);
    let added: Vec<_> = crates(&["-p", "evenkeel-macros"]).difference(&kube).cloned().collect();
    assert!(added.len() == 1 && added[0].starts_with("evenkeel-macros"), "{added:?}");
}

/// The crates of a plain controller on kube 5, as in the examples of kube: 197.
const PLAIN: usize = 197;

#[test]
fn an_operator_builds_at_most_three_extra_crates() {
    let ours = crates(&["-p", "evenkeel"]);
    assert!(ours.len() <= PLAIN + 3, "{} crates", ours.len());
}

#[test]
fn dependents_add_no_crate_and_templates_one() {
    let of = |features: &str| crates(&["-p", "evenkeel", "--features", features]);
    let (plain, dependents, templates) = (crates(&["-p", "evenkeel"]), of("dependents"), of("templates"));
    assert_eq!(dependents.difference(&plain).count(), 0);
    let added: Vec<_> = templates.difference(&plain).collect();
    assert!(added.len() == 1 && added[0].starts_with("minijinja "), "{added:?}");
}

/// Most of them are kube, its derives and their dependencies.
const TYPES_ONLY: usize = 47;

#[test]
fn a_types_only_build_stays_small() {
    let ours = crates(&["-p", "evenkeel", "--no-default-features"]);
    assert!(ours.len() <= TYPES_ONLY, "{} crates: {ours:?}", ours.len());
    assert!(!ours.iter().any(|name| name.starts_with("kube-client ") || name.starts_with("tokio ")), "{ours:?}");
}

/// The limits for a reconciler without steps, and per step, in lines of LLVM IR, for one type of errors and of values. They were 1,228 and
/// 140 on Rust 1.95, with the libraries as the tests build them. Of a library without any optimization they are 904 and 123: it has compiled
/// more of what is generic already.
const RECONCILER: usize = 1350;
const STEP: usize = 150;
/// The limit per owned kind of a step, in addition to what encodes and decodes it by hand. It was 802 on Rust 1.95, and 421 with a library
/// without any optimization.
const OWNED: usize = 840;

#[test]
fn a_reconciler_adds_little_code_to_its_steps() {
    let compiler = Compiler::new("reconciler");
    let lines = |steps, called| compiler.lines(&source(steps, called, "", ""));
    let added = |steps| lines(steps, ByReconciler).checked_sub(lines(steps, ByHand)).unwrap();
    let (two, twelve) = (added(2), added(12));
    let step = (twelve - two) / 10;
    let reconciler = two - 2 * step;
    assert!(reconciler <= RECONCILER && step <= STEP, "{reconciler} lines, and {step} for each step");
}

#[test]
fn an_owned_kind_adds_little_code() {
    let compiler = Compiler::new("owned");
    let kinds = ["k8s_openapi::api::core::v1::Secret", "k8s_openapi::api::apps::v1::ControllerRevision"];
    // Of the second kind: the first one brings what all kinds share, unless the libraries have it already. No library encodes the second one.
    let added = |lines: &dyn Fn(&[&str]) -> usize| lines(&kinds).checked_sub(lines(&kinds[..1])).unwrap();
    let owned = |kinds: &[&str]| {
        let bodies = kinds.iter().map(|kind| format!("let _ = cx.apply(&{kind}::default()).await;"));
        let (owns, body) = (format!(", owns({})", kinds.join(", ")), bodies.collect::<String>());
        compiler.lines(&source(1, ByReconciler, &owns, &body))
    };
    let by_hand = |kinds: &[&str]| {
        let bodies = kinds.iter().map(|kind| {
            format!("serde_json::to_value({kind}::default()); serde_json::from_value::<{kind}>(Default::default());")
        });
        compiler.lines(&source(1, ByReconciler, "", &bodies.collect::<String>()))
    };
    let (owned, by_hand) = (added(&owned), added(&by_hand));
    assert!(owned <= by_hand + OWNED, "{owned} lines, and {by_hand} to encode and decode it by hand");
}
