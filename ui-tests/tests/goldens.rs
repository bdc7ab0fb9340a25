//! Rules for the goldens: one error per mistake, with its fix, without a private name of evenkeel, and the same on each machine.
#![allow(clippy::unwrap_used, reason = "a test may")]

use std::fs;
use std::path::{Path, PathBuf};

/// The cases with more than one error.
const MORE: [(&str, usize); 1] = [
    // Four mistakes.
    ("several_mistakes", 4),
];

/// The longest headline of ours.
const LONGEST: usize = 90;

#[test]
fn one_mistake_is_one_error() {
    for (path, text) in goldens("own").chain(goldens("rustc")) {
        let errors = text.lines().filter(|line| line.starts_with("error")).count();
        let more = MORE.iter().find(|(name, _)| path.file_stem().is_some_and(|stem| stem == *name));
        assert!(errors == more.map_or(1, |(_, errors)| *errors), "{}: {errors} errors\n{text}", path.display());
    }
}

#[test]
fn no_message_names_what_is_private() {
    for (path, text) in goldens("own").chain(goldens("rustc")) {
        assert!(!text.contains("__private") && !text.contains("ErrorPlaceholder"), "{}\n{text}", path.display());
    }
}

#[test]
fn no_message_shows_the_source_of_std() {
    for (path, text) in goldens("own").chain(goldens("rustc")) {
        assert!(
            !text.contains("--> $RUST/"),
            "{}: rustc adds lines where rust-src is installed\n{text}",
            path.display()
        );
    }
}

#[test]
fn our_headlines_are_short_and_followed_by_the_fix() {
    for (path, text) in goldens("own") {
        let headline = text.lines().next().unwrap().strip_prefix("error: ").unwrap();
        let plain = !headline.ends_with('.') && !headline.starts_with(char::is_uppercase);
        let named = headline.starts_with("Kubernetes ") || plain;
        assert!(named && headline.chars().count() <= LONGEST, "{}: {headline}", path.display());
        assert!(text.lines().nth(1).unwrap().trim_start().starts_with("help: "), "{}\n{text}", path.display());
        assert!(!text.contains("this error originates"), "{}\n{text}", path.display());
    }
}

#[test]
fn a_case_is_short() {
    for (path, _) in goldens("own").chain(goldens("rustc")) {
        let case = fs::read_to_string(path.with_extension("rs")).unwrap();
        assert!(case.lines().count() <= 25, "{}", path.display());
    }
}

fn goldens(tier: &str) -> impl Iterator<Item = (PathBuf, String)> + use<> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(tier);
    let folders = fs::read_dir(root).unwrap().map(|folder| folder.unwrap().path());
    let files = folders.flat_map(|folder| fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()));
    let goldens = files.filter(|path| path.extension().is_some_and(|extension| extension == "stderr"));
    goldens.map(|path| (path.clone(), fs::read_to_string(path).unwrap()))
}
