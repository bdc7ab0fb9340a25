//! The layers of the runtime: an import points down, from folder to folder and from file to file.
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

#[test]
fn imports_of_the_runtime_point_down() {
    let runtime = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime");
    let list = List::read(&fs::read_to_string(runtime.join("layers.txt")).unwrap()).unwrap();
    let tree = Tree::read(&runtime.join("src")).unwrap();
    let found = findings(&tree, &list);
    assert!(found.is_empty(), "against runtime/layers.txt:\n  {}", found.join("\n  "));
}
