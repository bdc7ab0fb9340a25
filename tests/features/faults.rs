//! The page of the guide about the faults of SAP's component reconciler, and the tests that carry their numbers.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::named_tests::defect;
use crate::root;

/// Where the tests of dependents are.
const FOLDERS: [&str; 3] =
    ["tests/behaviour/dependents", "runtime/src/dependent_rules", "runtime/src/pipeline/dependents"];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The functions whose names begin with `fault_` and a number: the number, and `file::function`.
fn tests() -> Vec<(u32, String)> {
    let mut paths = Vec::new();
    FOLDERS.iter().for_each(|folder| files(&root().join(folder), &mut paths));
    let mut found = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        let file = path.strip_prefix(root()).unwrap().display().to_string();
        for part in text.split("fn fault_").skip(1) {
            let name = part.split('(').next().unwrap();
            let number = name.split('_').next().unwrap().parse();
            found.push((number.expect("a number follows `fault_`"), format!("{file}::fault_{name}")));
        }
    }
    found
}

#[test]
fn each_fault_of_the_page_has_a_test_with_its_number() {
    let page = std::fs::read_to_string(root().join("runtime/src/guide/sap_faults.md")).unwrap();
    let listed: Vec<u32> =
        page.lines().filter_map(|line| line.strip_prefix("| ")?.split(' ').next()?.parse().ok()).collect();
    let tests = tests();
    let tested: BTreeSet<u32> = tests.iter().map(|(number, _)| *number).collect();
    assert_eq!(listed, tested.into_iter().collect::<Vec<_>>());
    let defects: Vec<String> = tests.iter().filter_map(|(_, name)| defect(root(), name)).collect();
    assert!(defects.is_empty(), "{}", defects.join("\n"));
}
