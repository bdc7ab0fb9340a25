//! Listings: lines of files that are compiled, tested or generated.

use std::path::Path;

use crate::page::{Page, root};

/// The folders whose files a test compiles, runs or generates.
const TESTED: [&str; 4] = ["examples/src", "examples/tests", "examples/reference", "docs/listings"];

/// The text of a block in which each `{{#include path:from:to}}` is replaced by those lines.
pub(crate) fn expanded(page: &Page, text: &str) -> String {
    let lines = text.lines().map(|line| match included(line) {
        Some(include) => lines_of(page, include).unwrap_or_else(|why| panic!("{}: {why}", page.name)),
        None => line.to_owned(),
    });
    lines.map(|line| line + "\n").collect()
}

/// Why a block is no listing.
pub(crate) fn fault(page: &Page, text: &str) -> Option<String> {
    let mut lines = text.lines();
    let (Some(include), None) = (lines.next().and_then(included), lines.next()) else {
        return Some("text of its own".to_owned());
    };
    lines_of(page, include).err()
}

fn included(line: &str) -> Option<&str> {
    line.trim().strip_prefix("{{#include ")?.strip_suffix("}}")
}

fn lines_of(page: &Page, include: &str) -> Result<String, String> {
    let mut parts = include.split(':');
    let path = page.folder().join(parts.next().unwrap_or_default());
    let path = path.canonicalize().map_err(|error| format!("{include}: {error}"))?;
    if !TESTED.iter().any(|folder| path.starts_with(root().canonicalize().unwrap_or_default().join(folder))) {
        return Err(format!("{include}: not in a folder of tested files ({})", TESTED.join(", ")));
    }
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{include}: {error}"))?;
    let number = |part: Option<&str>, default: usize| match part {
        None | Some("") => Ok(default),
        Some(number) => number.parse().map_err(|_| format!("{include}: lines are numbers, such as 3:9")),
    };
    let all: Vec<&str> = text.lines().collect();
    let (from, to) = (number(parts.next(), 1)?, number(parts.next(), all.len())?);
    let lines = all.get(from.saturating_sub(1)..to).filter(|lines| !lines.is_empty());
    let lines = lines.ok_or_else(|| format!("{include}: the file has {} lines", all.len()))?;
    match is_whole(&path, lines) {
        true => Ok(lines.join("\n").trim_end().to_owned()),
        false => Err(format!("{include}: begins in the middle of an item: {}", lines[0])),
    }
}

/// Whether a listing of Rust begins with an import, an attribute or an item, so that a change of the file above it is noticed.
fn is_whole(path: &Path, lines: &[&str]) -> bool {
    let begins = ["use ", "#[", "#!["];
    path.extension().is_none_or(|ending| ending != "rs") || begins.iter().any(|begin| lines[0].starts_with(begin))
}
