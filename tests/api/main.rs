//! The public API, one item per line, as committed files: a review shows every change.
//!
//! To accept an intended change: `GENERATED=overwrite cargo test -p evenkeel-tests --test api`.
#![allow(clippy::unwrap_used, reason = "a test may")]

mod closed;
mod usage;

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use evenkeel_testkit::assert_generated;
use public_api::Builder;

/// The compiler whose JSON the crate `public-api` reads; the files contain its names of types.
const PIN: &str = "1.95";
const CRATES: [&str; 3] = ["evenkeel", "evenkeel_macros", "evenkeel_testkit"];

fn version() -> String {
    let output = Command::new("rustc").arg("-V").output().unwrap();
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// Builds the documentation of the workspace as JSON, with the features and the folder of the other builds, so that nothing else is
/// rebuilt.
fn documented() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let mut cargo = Command::new("cargo");
    cargo.current_dir(here.parent().unwrap()).args([
        "doc",
        "--quiet",
        "--workspace",
        "--no-deps",
        "--lib",
        "--target-dir",
    ]);
    cargo.arg(target).env("RUSTDOC", here.join("api/rustdoc.sh"));
    // Variables that cargo sets for this test would look like a change to build scripts such as ring's.
    for (name, _) in std::env::vars_os() {
        if ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|own| name.to_string_lossy().starts_with(own)) {
            cargo.env_remove(name);
        }
    }
    let output = cargo.env("RUSTDOCFLAGS", "-Z unstable-options --output-format json").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    target.join("doc")
}

#[test]
fn the_public_api_is_unchanged() {
    let version = version();
    if !version.contains(&format!("rustc {PIN}.")) {
        assert!(std::env::var_os("CI").is_none(), "the public API is written down by rustc {PIN}, this is {version}");
        // `eprintln!` would be captured by the test harness.
        writeln!(std::io::stderr(), "SKIPPED: the public API is written down by rustc {PIN}, this is {version}")
            .unwrap();
        return;
    }
    let (docs, here) = (documented(), Path::new(env!("CARGO_MANIFEST_DIR")));
    println!(
        "if the change is meant: GENERATED=overwrite cargo test -p evenkeel-tests --test api, and a line in CHANGELOG"
    );
    for name in CRATES {
        let documentation = docs.join(format!("{name}.json"));
        let json = Builder::from_rustdoc_json(&documentation);
        let api = json.omit_blanket_impls(true).omit_auto_trait_impls(true).build().unwrap();
        let items: BTreeSet<String> = api.items().map(|item| format!("{item}\n")).collect();
        let file = here.join(format!("api/{name}.txt"));
        assert_generated(file, &items.iter().map(String::as_str).collect::<String>());
        usage::check(here.parent().unwrap(), name, &items);
        closed::check(here.parent().unwrap(), name, &documentation, &items);
    }
}
