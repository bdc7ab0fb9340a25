//! The style rules that a test can check.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Longer files hold more than one idea; exceptions are listed here.
const LONGEST: usize = 400;
/// Names without a meaning.
const EMPTY_NAMES: [&str; 5] = ["utils", "util", "helpers", "helper", "manager"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn tracked(ending: &str) -> Vec<PathBuf> {
    let listed = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output();
    let listed = String::from_utf8(listed.unwrap().stdout).unwrap();
    let files: Vec<PathBuf> =
        listed.lines().filter(|l| l.ends_with(ending)).map(|l| root().join(l)).filter(|p| p.exists()).collect();
    assert!(!files.is_empty(), "no {ending} files: is git there?");
    files
}

fn source() -> impl Iterator<Item = (PathBuf, String)> {
    // The cases of ui-tests are what users might write, including mistakes.
    let files = tracked(".rs")
        .into_iter()
        .filter(|p| !p.starts_with(root().join("ui-tests/own")) && !p.starts_with(root().join("ui-tests/rustc")));
    files.map(|path| (path.clone(), fs::read_to_string(path).unwrap()))
}

fn complain(what: &str, offenders: &[String]) {
    assert!(offenders.is_empty(), "{what}:\n  {}", offenders.join("\n  "));
}

#[test]
fn each_file_starts_with_a_doc_comment() {
    let silent = source().filter(|(_, text)| !text.starts_with("//! ")).map(|(path, _)| path.display().to_string());
    complain("start these files with `//!` and one sentence", &silent.collect::<Vec<_>>());
}

#[test]
fn a_file_has_at_most_400_lines() {
    let long = source().filter_map(|(path, text)| {
        let lines = text.lines().count();
        (lines > LONGEST).then(|| format!("{} ({lines} lines)", path.display()))
    });
    complain("split these files", &long.collect::<Vec<_>>());
}

#[test]
fn file_names_are_specific() {
    let empty = source().filter(|(path, _)| EMPTY_NAMES.iter().any(|name| path.file_stem().unwrap() == *name));
    complain(
        "name these files after what they hold",
        &empty.map(|(path, _)| path.display().to_string()).collect::<Vec<_>>(),
    );
}

#[test]
fn each_allow_has_a_reason() {
    let bare = source().flat_map(|(path, text)| {
        let lines: Vec<_> =
            text.split("#[allow(").skip(1).chain(text.split("#![allow(").skip(1)).map(ToOwned::to_owned).collect();
        lines
            .into_iter()
            .filter(|l| !l.split(")]").next().unwrap().contains("reason"))
            .map(move |_| path.display().to_string())
            .collect::<Vec<_>>()
    });
    // Code that macros emit carries no reasons.
    let bare: Vec<_> =
        bare.filter(|path| !path.contains("/macros/src/") && !path.contains("/tests/layout.rs")).collect();
    complain("give each `allow` a reason", &bare);
}

#[test]
fn each_library_forbids_unsafe_code() {
    for library in ["macros/src/lib.rs", "runtime/src/lib.rs", "tests/kit/src/lib.rs"] {
        let text = fs::read_to_string(root().join(library)).unwrap();
        assert!(text.contains("#![forbid(unsafe_code)]"), "{library} has no `#![forbid(unsafe_code)]`");
    }
}

/// The files that read the wall clock.
const WALL_CLOCKS: [&str; 2] = ["runtime/src/clock.rs", "tests/kit/src/clock.rs"];
/// The files that read std's monotonic clock, which does not follow paused time. The reason stands beside it.
const STD_CLOCKS: [&str; 3] =
    ["runtime/src/clock.rs", "runtime/src/operator/signal.rs", "runtime/src/pipeline/dependents/programs/process.rs"];

/// The files of the libraries with such a line.
fn of_libraries(is_found: impl Fn(&str) -> bool) -> Vec<String> {
    let files = source().filter_map(|(path, text)| {
        let path = path.strip_prefix(root()).unwrap().display().to_string();
        let is_library = path.starts_with("runtime/src/") || path.starts_with("tests/kit/src/");
        (is_library && text.lines().any(&is_found)).then_some(path)
    });
    files.collect()
}

#[test]
fn a_library_has_one_wall_clock_and_its_monotonic_time_is_that_of_tokio() {
    let wall = ["Timestamp::now(", "Zoned::now(", "Utc::now(", "SystemTime"];
    assert_eq!(of_libraries(|line| wall.iter().any(|name| line.contains(name))), WALL_CLOCKS);
    let is_std = |line: &str| line.split_once("std::time::").is_some_and(|(_, names)| names.contains("Instant"));
    assert_eq!(of_libraries(is_std), STD_CLOCKS);
}

#[test]
fn the_rust_version_is_the_one_that_kube_needs() {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let metadata =
        Command::new(cargo).args(["metadata", "--format-version", "1"]).current_dir(root()).output().unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&metadata.stdout).unwrap();
    let version_of = |name: &str| {
        let package = metadata["packages"].as_array().unwrap().iter().find(|p| p["name"] == name).unwrap();
        package["rust_version"].as_str().unwrap().trim_end_matches(".0").to_owned()
    };
    assert_eq!(version_of("evenkeel"), version_of("kube"));
}
