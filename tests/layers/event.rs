//! The path of one event, as `docs/architecture.md` lists it: how many files a reader opens, and how often one is opened again.

use std::collections::BTreeSet;

/// A file on the path, and whether it is marked as a repeated one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Stop<'a> {
    pub(crate) file: &'a str,
    pub(crate) again: bool,
}

/// The files in the table below this heading, in order.
pub(crate) fn way<'a>(page: &'a str, heading: &str) -> Vec<Stop<'a>> {
    let section = page.split_once(heading).map_or("", |(_, rest)| rest.split("\n## ").next().unwrap_or_default());
    let rows = section.lines().filter(|line| line.starts_with("| ")).skip(2);
    let cells = rows.filter_map(|row| row.trim_end_matches('|').rsplit_once("| ")).map(|(_, cell)| cell);
    let files = cells.flat_map(|cell| cell.split(", ")).map(|entry| Stop {
        file: entry.split('`').nth(1).unwrap_or_default(),
        again: entry.trim_end().ends_with("*again*"),
    });
    files.collect()
}

/// The wrong marks: a repeated file without one, or a new file with one.
pub(crate) fn wrong_marks<'a>(way: &[Stop<'a>]) -> Vec<&'a str> {
    let mut seen = BTreeSet::new();
    way.iter().filter(|stop| seen.insert(stop.file) == stop.again).map(|stop| stop.file).collect()
}

#[test]
fn the_event_path_table_is_parsed() {
    let page = "## The way\n\ntext\n\n| stop | files |\n| --- | --- |\n| one | `a.rs`, `b/c.rs` |\n| two | `a.rs` *again* |\n\n## Next\n| x | `d.rs` |\n";
    let stop = |file, again| Stop { file, again };
    let read = way(page, "## The way");
    assert_eq!(read, [stop("a.rs", false), stop("b/c.rs", false), stop("a.rs", true)]);
    assert!(wrong_marks(&read).is_empty());
    assert_eq!(wrong_marks(&[stop("a.rs", true)]), ["a.rs"]);
    assert_eq!(wrong_marks(&[stop("a.rs", false), stop("a.rs", false)]), ["a.rs"]);
}
