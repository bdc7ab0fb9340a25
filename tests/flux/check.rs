//! Checks of the suites as a whole: each has an adapter, and every deviation is a rule that some case needs and the guide shows.

use std::collections::BTreeSet;
use std::fs;

use evenkeel_testkit::assert_generated;

use crate::SUITES;
use crate::deviation::amended;
use crate::rules::RULES;
use crate::suite::{cases, folder, skipped};

#[test]
fn every_file_of_the_folder_has_an_adapter() {
    let Some(folder) = folder() else { return skipped("the list of the suites") };
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let names: BTreeSet<String> = names.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    assert_eq!(names, SUITES.iter().map(|suite| (*suite).to_owned()).collect());
}

#[test]
fn every_rule_applies_to_some_case() {
    if folder().is_none() {
        return skipped("the rules");
    }
    let suites = SUITES.iter().flat_map(|suite| cases(suite).unwrap().into_iter().map(move |case| (suite, case)));
    let used: Vec<_> = suites.flat_map(|(suite, case)| amended(suite, &case).1).collect();
    for rule in RULES {
        assert!(rule.suites.iter().all(|suite| SUITES.contains(suite)), "{}: no such suite", rule.name);
        let is_used = used.iter().any(|one| std::ptr::eq(*one, rule));
        assert!(is_used, "no case needs {}, where {}", rule.name, rule.holds);
    }
}

#[test]
fn the_guide_shows_every_rule() {
    let mut table = String::from("| rule | suites | where | result | why |\n| --- | --- | --- | --- | --- |\n");
    for rule in RULES {
        let suites = rule.suites.join(", ");
        table += &format!("| {} | {suites} | {} | {} | {} |\n", rule.name, rule.holds, rule.answer, rule.reason);
    }
    assert_generated(concat!(env!("CARGO_MANIFEST_DIR"), "/../runtime/src/guide/cases.md"), &table);
}
