//! What holds of the suites as a whole: none is forgotten, and the guide shows every deviation.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::SUITES;
use crate::deviation::deviations;
use crate::suite::{folder, skipped};

#[test]
fn every_file_of_the_folder_has_an_adapter() {
    let Some(folder) = folder() else { return skipped("the list of the suites") };
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let names: BTreeSet<String> = names.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    assert_eq!(names, SUITES.iter().map(|suite| (*suite).to_owned()).collect());
}

#[test]
fn every_deviation_is_of_a_suite_and_says_why() {
    for line in deviations() {
        assert!(SUITES.contains(&line.suite), "no suite {}", line.suite);
        assert!(!line.rule.is_empty() && !line.reason.is_empty(), "{} / {} has no reason", line.suite, line.case);
    }
}

#[test]
fn the_guide_shows_every_deviation() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/src/guide/cases.md");
    let shown = fs::read_to_string(&guide).unwrap_or_default();
    let mut table = String::from("| suite | case | rule | why |\n| --- | --- | --- | --- |\n");
    for line in deviations() {
        let key = line.key.map(|key| format!(" ({key})")).unwrap_or_default();
        table += &format!("| {} | `{}`{key} | {} | {} |\n", line.suite, line.case, line.rule, line.reason);
    }
    if std::env::var_os("BLESS").is_some() {
        return fs::write(&guide, &table).unwrap();
    }
    assert!(shown == table, "the guide shows other deviations than deviations.txt: run with BLESS=1");
}
