//! The words in the prose for users: README, guide, docs, rustdoc, and the texts that the crates print. The contributors' page lists the
//! replacements.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::fs;
use std::path::Path;
use std::process::Command;

/// Phrases that are unclear or form sentences without a subject.
const PHRASES: [&str; 14] = [
    "nobody",
    "somebody",
    "whoever",
    "is told",
    "are told",
    "tells of",
    "says so",
    "nothing ends",
    "trouble",
    "ailing",
    "at rest",
    "beside it",
    "also where",
    "in the way",
];
/// Allowed phrases: file, phrase, reason.
const EXCEPTIONS: [(&str, &str, &str); 2] = [
    ("examples/src/bin/gitrepository/coverage.rs", "nobody", "the name of a repository that does not exist"),
    ("examples/src/bin/postgresuser/reference.rs", "nobody", "the user of PostgreSQL"),
];

/// Markdown that users read.
const PAGES: [&str; 5] = ["README.md", "CONTRIBUTING.md", "docs/", "runtime/src/guide/", "macros/src/"];
/// Sources whose documentation and messages users read.
const CRATES: [&str; 4] = ["runtime/src/", "macros/src/", "tests/kit/src/", "examples/src/"];

/// The lines of prose of a file, with their numbers: text outside of code, documentation and string literals.
fn prose<'t>(file: &str, text: &'t str) -> Vec<(usize, String)> {
    let is_rust = Path::new(file).extension().is_some_and(|extension| extension == "rs");
    let mut in_code = false;
    let lines = text.lines().enumerate().filter_map(|(at, line): (usize, &'t str)| {
        let line = line.trim_start();
        let line = match is_rust {
            true => match line.strip_prefix("///").or_else(|| line.strip_prefix("//!")) {
                Some(documentation) => documentation,
                None => return literals(line).map(|text| (at + 1, text)),
            },
            false => line,
        };
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
            return None;
        }
        (!in_code).then(|| (at + 1, without_code_spans(line)))
    });
    lines.collect()
}

/// The string literals of a line of code that is no comment.
fn literals(line: &str) -> Option<String> {
    let is_text = !line.starts_with("//") && line.contains('"');
    is_text.then(|| line.split('"').skip(1).step_by(2).collect::<Vec<_>>().join(" "))
}

fn without_code_spans(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("`")
}

/// Whether the words are in the line, as words of their own.
fn has(line: &str, phrase: &str) -> bool {
    let line = line.to_lowercase();
    line.match_indices(phrase).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + phrase.len()..].chars().next();
        ![before, after].into_iter().flatten().any(char::is_alphanumeric)
    })
}

fn files() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let listed = Command::new("git").args(["ls-files"]).current_dir(root).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let is_read = |file: &&str| {
        let is_page = file.ends_with(".md") && PAGES.iter().any(|page| file.starts_with(page));
        is_page || (file.ends_with(".rs") && CRATES.iter().any(|folder| file.starts_with(folder)))
    };
    let read = |file: &str| fs::read_to_string(root.join(file)).ok().map(|text| (file.to_owned(), text));
    listed.lines().filter(is_read).filter_map(read).collect()
}

#[test]
fn prose_uses_no_listed_phrase() {
    let files = files();
    assert!(files.len() > 300, "{} files: is git there?", files.len());
    let mut found = Vec::new();
    for (file, text) in &files {
        for (at, line) in prose(file, text) {
            let phrases = PHRASES.iter().filter(|phrase| has(&line, phrase));
            let counts = phrases.filter(|phrase| !EXCEPTIONS.iter().any(|(of, is, _)| of == file && is == *phrase));
            found.extend(counts.map(|phrase| format!("{file}:{at}: `{phrase}` in: {}", line.trim())));
        }
    }
    assert!(found.is_empty(), "rewrite these sentences, see CONTRIBUTING.md:\n  {}", found.join("\n  "));
}

#[test]
fn phrases_match_whole_words_outside_code() {
    assert!(has("Nobody waits.", "nobody") && has("it is told", "is told"));
    assert!(!has("troubleshooting", "trouble") && !has("this tolduser", "is told"));
    let text =
        "/// Runs as `nobody`.\n/// ```\n/// // nobody\n/// ```\nlet nobody = \"a\";\n// \"b\"\n//! Somebody waits.";
    let found = [(1, " Runs as `."), (5, "a"), (7, " Somebody waits.")].map(|(at, text)| (at, text.to_owned()));
    assert_eq!(prose("a.rs", text), found);
    assert_eq!(prose("a.md", "a\n```\nb\n```\nc"), [(1, "a".to_owned()), (5, "c".to_owned())]);
}
