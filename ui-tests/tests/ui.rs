//! What must not compile does not, and says so in these words.
//!
//! `own/` holds messages that are ours on any compiler; `rustc/` those that rustc frames, compared on the pinned compiler only.
#![allow(clippy::unwrap_used, reason = "a test may")]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// The compiler whose words `rustc/` holds.
const PIN: &str = "1.95";

#[test]
fn our_messages_are_the_same_on_any_compiler() {
    copy_templates();
    trybuild::TestCases::new().compile_fail("own/*/*.rs");
}

#[test]
fn messages_that_rustc_frames_are_as_on_the_pinned_compiler() {
    let version = version();
    if version.contains(&format!("rustc {PIN}.")) {
        return trybuild::TestCases::new().compile_fail("rustc/*/*.rs");
    }
    assert!(std::env::var_os("CI").is_none(), "the goldens of rustc/ are for rustc {PIN}, this is {version}");
    // Not `eprintln!`, which the test harness would hide.
    writeln!(std::io::stderr(), "SKIPPED: the goldens of rustc/ are for rustc {PIN}, this is {version}").unwrap();
}

/// Copies the folders with templates to the package that trybuild compiles: `templates!` reads them below its manifest.
fn copy_templates() {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("tests/trybuild/ui-tests/templates");
    for folder in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("templates")).unwrap() {
        let folder = folder.unwrap().path();
        let copy = target.join(folder.file_name().unwrap());
        fs::create_dir_all(&copy).unwrap();
        for file in fs::read_dir(folder).unwrap() {
            let file = file.unwrap().path();
            fs::copy(&file, copy.join(file.file_name().unwrap())).unwrap();
        }
    }
}

fn version() -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("-V").output().unwrap();
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}
