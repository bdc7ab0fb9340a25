//! The two ways to a project: `cargo generate`, and the commands of the README.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output};

use crate::rendering::{ACRONYM, files, root, template};

const GENERATE: &str = include_str!("generate.sh");
const COPY: &str = include_str!("copy.sh");

/// Runs commands in a folder with a checkout.
fn run(folder: &Path, commands: &str) -> Output {
    let checkout = folder.join("evenkeel");
    if !checkout.exists() {
        std::os::unix::fs::symlink(root(), checkout).unwrap();
    }
    let mut bash = Command::new("bash");
    bash.args(["-euc", commands]).current_dir(folder).output().unwrap()
}

#[test]
fn the_readme_has_both_ways() {
    let readme = template("README.md");
    for commands in [GENERATE, COPY] {
        assert!(readme.contains(&format!("```sh\n{commands}```\n")), "README.md of the template lacks\n{commands}");
    }
}

#[test]
fn the_commands_of_the_readme_make_the_project() {
    let folder = tempfile::tempdir().unwrap();
    // The rendered files are not formatted.
    let commands = COPY.strip_suffix("cargo fmt\n").unwrap();
    let output = run(folder.path(), commands);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(files(&folder.path().join(ACRONYM.name)), ACRONYM.files());
    let again = run(folder.path(), commands);
    let report = String::from_utf8(again.stderr).unwrap();
    assert!(!again.status.success() && report.contains("File exists"), "the folder is not empty: {report}");
    assert_eq!(files(&folder.path().join(ACRONYM.name)), ACRONYM.files());
}

#[test]
fn cargo_generate_makes_the_project() {
    // Earlier versions have no `--no-fmt`.
    let help = Command::new("cargo-generate").args(["generate", "--help"]).output();
    if !help.is_ok_and(|help| String::from_utf8_lossy(&help.stdout).contains("--no-fmt")) {
        // Not `eprintln!`, which the test harness would hide.
        let mut stderr = std::io::stderr();
        writeln!(stderr, "SKIPPED: cargo-generate 0.26 is not installed, so only its substitution was tested").unwrap();
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let command = format!("{} --silent --no-fmt --vcs none", GENERATE.trim_end());
    let output = run(folder.path(), &command);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(files(&folder.path().join(ACRONYM.name)), ACRONYM.files());
    let again = String::from_utf8(run(folder.path(), &command).stderr).unwrap();
    assert!(again.contains("already exists"), "{again}");
    fs::remove_dir_all(folder.path().join(ACRONYM.name)).unwrap();
    let refused = run(folder.path(), &command.replace("DNSZone", "dnsZone"));
    let report = String::from_utf8(refused.stderr).unwrap();
    assert!(report.contains("is not a valid value for kind"), "{report}");
}
