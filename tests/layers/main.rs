//! The structure of runtime, macros and test kit: imports point down between folders and between files; functions are short, and the
//! methods of a type are in few files.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod cases;
mod event;
mod functions;
mod list;
mod methods;
mod rules;
mod source;
mod tree;

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use self::functions::long_functions;
use self::list::List;
use self::methods::scattered_methods;
use self::rules::findings;
use self::tree::Tree;

/// The findings in one tree by rule. A syntax tree cannot be shared by the threads of the tests, but its findings can, so each tree is parsed
/// once.
struct Findings {
    imports: Vec<String>,
    long_functions: Vec<String>,
    scattered_methods: Vec<String>,
}

impl Findings {
    fn of(folder: &str) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
        let list = List::read(&fs::read_to_string(folder.join("layers.txt")).unwrap()).unwrap();
        let tree = Tree::read(&folder.join("src")).unwrap();
        Self {
            imports: findings(&tree, &list),
            long_functions: long_functions(&tree),
            scattered_methods: scattered_methods(&tree),
        }
    }
}

static RUNTIME: LazyLock<Findings> = LazyLock::new(|| Findings::of("runtime"));
static MACROS: LazyLock<Findings> = LazyLock::new(|| Findings::of("macros"));
static KIT: LazyLock<Findings> = LazyLock::new(|| Findings::of("tests/kit"));

fn check(folder: &str, findings: &Findings) {
    let found = &findings.imports;
    assert!(found.is_empty(), "against {folder}/layers.txt:\n  {}", found.join("\n  "));
}

#[test]
fn imports_of_the_runtime_point_down() {
    check("runtime", &RUNTIME);
}

#[test]
fn imports_of_the_macros_point_down() {
    check("macros", &MACROS);
}

#[test]
fn imports_of_the_test_kit_point_down() {
    check("tests/kit", &KIT);
}

fn check_each(rule: &str, findings: fn(&Findings) -> &[String]) {
    let folders = [("runtime", &RUNTIME), ("macros", &MACROS), ("tests/kit", &KIT)];
    let found = folders
        .into_iter()
        .flat_map(|(folder, all)| findings(all).iter().map(move |one| format!("{folder}/src: {one}")));
    let found: Vec<String> = found.collect();
    assert!(found.is_empty(), "{rule}:\n  {}", found.join("\n  "));
}

#[test]
fn the_event_path_is_short_and_its_files_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = fs::read_to_string(root.join("docs/architecture.md")).unwrap();
    let way = event::way(&page, "## The way of one event");
    let lost: Vec<&str> =
        way.iter().map(|stop| stop.file).filter(|file| !root.join("runtime/src").join(file).is_file()).collect();
    assert!(lost.is_empty(), "docs/architecture.md names files that are not there: {lost:?}");
    assert!(event::wrong_marks(&way).is_empty(), "marked wrongly: {:?}", event::wrong_marks(&way));
    let again = way.iter().filter(|stop| stop.again).count();
    let files = way.len() - again;
    assert!((20..=50).contains(&files) && again <= 12, "{files} files, {again} of them again");
}

#[test]
fn a_function_fits_on_a_page() {
    check_each("split these functions", |findings| &findings.long_functions);
}

#[test]
fn the_methods_of_a_type_are_in_few_files() {
    check_each("split these types, or make functions of their methods", |findings| &findings.scattered_methods);
}
