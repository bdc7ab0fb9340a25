//! The layers of runtime, macros and test kit: an import points down, from folder to folder and from file to file.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod cases;
mod list;
mod rules;
mod source;
mod tree;

use std::fs;
use std::path::Path;

use self::list::List;
use self::rules::findings;
use self::tree::Tree;

fn check(folder: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
    let list = List::read(&fs::read_to_string(folder.join("layers.txt")).unwrap()).unwrap();
    let tree = Tree::read(&folder.join("src")).unwrap();
    let found = findings(&tree, &list);
    assert!(found.is_empty(), "against {}/layers.txt:\n  {}", folder.display(), found.join("\n  "));
}

#[test]
fn imports_of_the_runtime_point_down() {
    check("runtime");
}

#[test]
fn imports_of_the_macros_point_down() {
    check("macros");
}

#[test]
fn imports_of_the_test_kit_point_down() {
    check("tests/kit");
}
