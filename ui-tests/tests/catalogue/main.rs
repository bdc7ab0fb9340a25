//! The catalogue of messages is what the goldens say, and every mistake that must not compile has a golden.
#![allow(clippy::unwrap_used, reason = "a test may")]

mod dropped;
mod function_mistakes;
mod mistakes;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use self::dropped::DROPPED;
use self::function_mistakes::FUNCTION_MISTAKES;
use self::mistakes::{MISTAKES, Mistake};

const HEAD: &str = "# Compiler messages

The mistakes that the macros and traits of evenkeel refuse, with the headline of each message and its fix. The linked file has the whole
message. This page is generated from the goldens: `CATALOGUE=overwrite cargo test -p ui-tests --test catalogue`.
";

const TIERS: [(&str, &str); 2] = [
    ("own", "The message is evenkeel's, the same on any compiler."),
    ("rustc", "rustc frames the message, in the words of the pinned compiler."),
];

/// The number of listed misuses that macros of this kind should catch.
const MISUSES: u8 = 50;

/// All mistakes.
fn all() -> impl Iterator<Item = &'static Mistake> {
    MISTAKES.iter().chain(FUNCTION_MISTAKES)
}

#[test]
fn the_catalogue_is_what_the_goldens_say() {
    let (path, page) = (root().join("catalogue.md"), page());
    if std::env::var_os("CATALOGUE").is_some_and(|value| value == "overwrite") {
        return fs::write(path, page).unwrap();
    }
    let found = fs::read_to_string(path).unwrap_or_default();
    let differs = found.lines().zip(page.lines()).find(|(found, now)| found != now);
    assert!(found == page, "{differs:?}\n  help: CATALOGUE=overwrite cargo test -p ui-tests --test catalogue");
}

#[test]
fn every_mistake_that_must_not_compile_has_a_golden() {
    for (mistake, _, goldens) in all() {
        assert!(!goldens.is_empty(), "{mistake}");
        for golden in *goldens {
            assert!(root().join(golden).with_extension("stderr").exists(), "{mistake}: {golden} is not there");
        }
    }
}

#[test]
fn every_known_misuse_is_shown_or_cannot_be_written() {
    let shown = all().flat_map(|(_, numbers, _)| *numbers);
    let mut known: Vec<u8> = shown.chain(DROPPED.iter().flat_map(|(_, numbers, _)| *numbers)).copied().collect();
    known.sort_unstable();
    assert_eq!(known, (1..=MISUSES).collect::<Vec<u8>>());
}

#[test]
fn every_case_has_its_golden_and_every_golden_its_case() {
    for tier in ["own", "rustc"] {
        for (macro_, cases) in folders(tier) {
            for case in cases {
                let file = root().join(tier).join(&macro_).join(case);
                assert!(file.with_extension("rs").exists(), "{} is without a case", file.display());
                assert!(file.with_extension("stderr").exists(), "{} is without a golden", file.display());
            }
        }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// The cases of a tier by macro, sorted.
fn folders(tier: &str) -> BTreeMap<String, Vec<String>> {
    let name = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
    let listed = |path: PathBuf| fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
    let cases = |folder: PathBuf| {
        let mut cases: Vec<_> = listed(folder).map(|path| name(&path)).collect();
        cases.sort();
        cases.dedup();
        cases
    };
    listed(root().join(tier)).map(|folder| (name(&folder), cases(folder))).collect()
}

fn page() -> String {
    let mut page = HEAD.to_owned();
    for (tier, about) in TIERS {
        for (macro_, cases) in folders(tier) {
            let _ = write!(
                page,
                "\n## `{macro_}`, {tier}\n\n{about}\n\n| mistake | headline | fix |\n| --- | --- | --- |\n"
            );
            for case in cases {
                let file = format!("{tier}/{macro_}/{case}.stderr");
                let message = fs::read_to_string(root().join(&file)).unwrap();
                let (headline, fix) = (cell(headline(&message)), cell(fix(&message)));
                let _ = writeln!(page, "| [{}]({file}) | {headline} | {fix} |", case.replace('_', " "));
            }
        }
    }
    page + &promised() + &dropped()
}

fn promised() -> String {
    let rows = all().map(|(mistake, _, goldens)| {
        let links = goldens.iter().map(|golden| format!("[{golden}]({golden}.stderr)"));
        format!("| {} | {} |\n", cell(mistake), links.collect::<Vec<_>>().join(", "))
    });
    format!("\n## What must not compile\n\n| mistake | shown by |\n| --- | --- |\n{}", rows.collect::<String>())
}

fn dropped() -> String {
    let rows = DROPPED.iter().map(|(mistake, _, why)| format!("| {} | {} |\n", cell(mistake), cell(why)));
    format!(
        "\n## What cannot be written\n\nMistakes of other designs of such macros, which this grammar cannot express.\n\n\
         | mistake | why not here |\n| --- | --- |\n{}",
        rows.collect::<String>()
    )
}

/// The first line, without the word in front.
fn headline(message: &str) -> &str {
    let first = message.lines().next().unwrap_or_default();
    let text = first.split_once(": ").map_or(first, |(_, text)| text);
    text.strip_prefix("evaluation panicked: ").unwrap_or(text)
}

/// What the message says to do.
fn fix(message: &str) -> &str {
    let ours = message.lines().nth(1).and_then(|line| line.trim_start().strip_prefix("help: "));
    let note = |line: &'_ &str| {
        !["this error", "expected", "required", "the full", "all "].iter().any(|no| line.starts_with(no))
    };
    let mut notes = message.lines().filter_map(|line| line.trim_start().strip_prefix("= note: ")).filter(note);
    let mut helps = message.lines().filter_map(|line| line.strip_prefix("help: "));
    ours.or_else(|| notes.next()).or_else(|| helps.find(|line| !line.starts_with("the "))).unwrap_or_default()
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
