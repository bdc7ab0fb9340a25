//! Findings of the layer test on small trees.

use super::functions::long_functions;
use super::list::List;
use super::methods::scattered_methods;
use super::rules::findings;
use super::tree::Tree;

const LIST: &str = "
[layers]
pass      # the top
queue api # side by side
clock     # the bottom
[outside]
prelude   # re-exports
";

/// The findings in this file, within a tree of correct files.
fn found(file: &str, text: &str) -> Vec<String> {
    found_in(&[(file, text)], LIST)
}

fn found_in(files: &[(&str, &str)], list: &str) -> Vec<String> {
    let right = [
        ("lib.rs", "mod api; mod clock; mod pass; pub mod prelude; mod queue;\npub use api::Object;"),
        ("prelude.rs", "pub use crate::pass::Pass;"),
        ("pass/mod.rs", "mod run;\npub use self::run::Pass;\nuse crate::{clock::now, queue::Key};"),
        ("pass/run.rs", "pub struct Pass(pub (crate::clock::Time));"),
        ("queue/mod.rs", "use crate::clock;\npub(in crate::queue) struct Key(clock::Time);"),
        ("api.rs", "use std::time::Duration; pub struct Object; fn some() -> impl Sized + use<> {}"),
        ("clock.rs", "pub struct Time; pub fn now() -> Time { self::Time }"),
    ];
    let right = right.iter().filter(|(file, _)| files.iter().all(|(other, _)| other != file));
    findings(&Tree::of(right.chain(files).copied()).unwrap(), &List::read(list).unwrap())
}

#[test]
fn a_tree_with_downward_imports_passes() {
    assert_eq!(found_in(&[], LIST), Vec::<String>::new());
}

#[test]
fn an_upward_use_is_found_anywhere() {
    for (text, line) in [
        ("use crate::pass::Pass;", 1),
        ("\nuse crate::{clock,\n    pass::Pass as P};", 3),
        ("\n\nuse crate::pass;", 3),
        ("use crate::pass::*;", 1),
        ("use crate::pass::{self, Pass};", 1),
        ("fn f() {\n    use crate::pass::Pass;\n}", 2),
        ("#[cfg(test)]\nmod tests {\n    use crate::pass::Pass;\n}", 3),
        ("pub(crate) use crate::pass::Pass;", 1),
        ("use super::pass::Pass;", 1),
    ] {
        let up = format!("queue/mod.rs:{line}: queue -> pass points up");
        assert!(found("queue/mod.rs", text).contains(&up), "{text}: {:?}", found("queue/mod.rs", text));
    }
}

#[test]
fn an_upward_path_is_found_anywhere() {
    for (text, line) in [
        ("fn f() {\n    crate::pass::Pass::run();\n}", 2),
        ("fn f(pass: &crate::pass::Pass) {}", 1),
        ("impl crate::pass::Run for Key {}", 1),
        ("fn f() {\n    println!(\"{}\", crate::pass::WORD);\n}", 2),
        ("fn f() {\n    assert!(matches!(x,\n        crate::pass::Pass { .. }));\n}", 3),
        ("macro_rules! m { () => { $crate::pass::run() } }", 1),
        ("#[serde(with = crate::pass::text)]\nstruct S;", 1),
        ("#[cfg(test)]\nmod tests {\n    fn f() { super::super::pass::run(); }\n}", 3),
        ("mod a {\n mod b {\n  fn f() { super::super::super::pass::run(); }\n }\n}", 3),
    ] {
        assert_eq!(found("queue/mod.rs", text), [format!("queue/mod.rs:{line}: queue -> pass points up")], "{text}");
    }
}

#[test]
fn super_is_relative_to_its_file() {
    assert_eq!(found("queue/state.rs", "use super::super::pass::Pass;"), ["queue/state.rs:1: queue -> pass points up"]);
    assert_eq!(found("queue/state.rs", "use super::Key;\nuse super::super::clock::now;"), Vec::<String>::new());
}

#[test]
fn words_that_are_not_paths_are_ignored() {
    let text = "//! See crate::pass::Pass.\n/* crate::pass */ const A: &str = \"crate::pass::Pass\"; // crate::pass\n\
        pub(in crate::pass) struct A; use std::pass::X; macro_rules! m { () => { quote! { use #crate_ as _; } } } fn f() { other::crate_::pass(); ::pass::run(); x.pass::<A>(); }";
    assert_eq!(found("queue/mod.rs", text), Vec::<String>::new());
}

#[test]
fn a_layer_may_not_import_its_neighbour() {
    assert_eq!(found("queue/mod.rs", "use crate::api::Object;"), ["queue/mod.rs:1: queue -> api is in the same layer"]);
}

#[test]
fn a_reexport_from_above_is_found_both_ways() {
    let clock = ("clock.rs", "pub use crate::pass::Pass;");
    let queue = ("queue/mod.rs", "\nuse crate::clock::Pass;");
    let up = ["clock.rs:1: clock -> pass points up", "queue/mod.rs:2: queue -> pass points up"];
    assert_eq!(found_in(&[clock, queue], LIST), up);
}

#[test]
fn a_name_of_the_root_is_in_no_layer() {
    for name in ["Object", "prelude::Pass"] {
        let wrong = found("pass/mod.rs", &format!("use crate::{name};"));
        let first = name.split("::").next().unwrap();
        let of_root = format!("pass/mod.rs:1: pass -> {first} is in no layer: name the module that it is written in");
        assert!(wrong.contains(&of_root), "{wrong:?}");
    }
}

#[test]
fn unlisted_folders_and_stale_lines_are_found() {
    assert_eq!(found("draft/mod.rs", ""), ["draft: not in the list of layers"]);
    let list = format!("{LIST}guide # texts\n");
    assert_eq!(found_in(&[], &list), ["guide: in the list of layers, but not in the tree"]);
}

#[test]
fn an_unlisted_import_cycle_is_found() {
    let files = [
        ("queue/mod.rs", "mod a; mod b; mod c;\npub use self::a::A;"),
        ("queue/a.rs", "use super::b::B; pub struct A;"),
        ("queue/b.rs", "use super::c::C; pub struct B;"),
        ("queue/c.rs", "use super::A; pub struct C;"),
    ];
    assert_eq!(found_in(&files, LIST), ["queue: a b c: these files import each other"]);
    let listed = format!("{LIST}[circles]\nqueue: c b a # one idea\n");
    assert_eq!(found_in(&files, &listed), Vec::<String>::new());
    assert_eq!(found_in(&files[..3], &listed), ["queue: a b c: in the list, but no circle"]);
}

#[test]
fn test_imports_and_reexports_make_no_cycle() {
    let files = [
        ("queue/mod.rs", "mod a;\npub use self::a::A; pub struct Key;"),
        ("queue/a.rs", "use super::Key; pub struct A;"),
        ("queue/b.rs", "pub struct B; mod tests { use super::super::a::A; }"),
        ("queue/tests.rs", "use super::Key;"),
    ];
    assert_eq!(found_in(&files, LIST), Vec::<String>::new());
    let used = [("queue/mod.rs", "mod a;\nuse self::a::A; pub struct Key;"), files[1]];
    assert_eq!(found_in(&used, LIST), ["queue: a mod: these files import each other"]);
    let named = [("queue/mod.rs", "mod a;\npub struct Key(a::A);"), files[1]];
    assert_eq!(found_in(&named, LIST), ["queue: a mod: these files import each other"]);
}

#[test]
fn each_line_of_the_list_has_a_remark() {
    for (text, why) in [
        ("[layers]\npass", "line 2: add a remark, after `#`"),
        ("[layers]\npass #", "line 2: the remark is empty"),
        ("pass # the top", "line 1: begin a section: [layers], [outside] or [circles]"),
        ("[circles]\na b # one idea", "line 2: begin with the folder: `watch: a b`"),
    ] {
        assert_eq!(List::read(text).unwrap_err(), why);
    }
}

#[test]
fn a_function_above_sixty_lines_is_found() {
    let body = |lines: usize| format!("{{\n{}}}", "    run();\n".repeat(lines - 2));
    let of = |lines| {
        [
            format!("fn f() {}", body(lines)),
            format!("impl A {{\nasync fn f() {}\n}}", body(lines)),
            format!("trait A {{\nfn f() {}\n}}", body(lines)),
            format!("mod tests {{\n#[test]\nfn f() {}\n}}", body(lines)),
            format!("fn g() {{\nfn f() {}\nf()\n}}", body(lines)),
        ]
    };
    for (short, long) in of(57).into_iter().zip(of(61)) {
        assert_eq!(long_functions(&Tree::of([("queue/mod.rs", &*short)]).unwrap()), Vec::<String>::new(), "{short}");
        let found = long_functions(&Tree::of([("queue/mod.rs", &*long)]).unwrap());
        assert!(found.iter().any(|one| one.ends_with("f has 61 lines")), "{long}: {found:?}");
    }
}

/// Methods of the type of `scattered`, in another file.
const METHODS: &str = "use super::Key; impl Key<'_> {}";

/// The findings for a type with methods in its own file and in these.
fn scattered(more: &[&str]) -> Vec<String> {
    let names: Vec<String> = (0..more.len()).map(|at| format!("queue/f{at}.rs")).collect();
    let files = names.iter().map(String::as_str).zip(more.iter().copied());
    let own = "pub use self::key::Key; #[cfg(test)] mod f5; pub trait Run {}";
    let key = "pub struct Key<'a>(&'a str); impl Key<'_> { fn new() {} }";
    scattered_methods(&Tree::of(files.chain([("queue/mod.rs", own), ("queue/key.rs", key)])).unwrap())
}

#[test]
fn methods_spread_over_six_files_are_found() {
    let of_trait = "use super::Key; trait Ext {} impl Ext for Key<'_> {}";
    let files = "queue/f0.rs queue/f1.rs queue/f2.rs queue/f3.rs queue/f4.rs queue/key.rs";
    for sixth in [METHODS, of_trait] {
        let found = scattered(&[METHODS, METHODS, of_trait, METHODS, sixth]);
        assert_eq!(found, [format!("queue::key::Key has methods in 6 files: {files}")]);
    }
}

#[test]
fn a_trait_of_several_types_and_tests_add_no_methods_to_a_type() {
    for other in [
        "",
        "use super::Key; impl Clone for Key<'_> {}",
        "use super::{Key, Run}; struct A; impl Run for A {} impl Run for Key<'_> {}",
        "struct Key; impl Key {}",
    ] {
        let found = scattered(&[METHODS, METHODS, METHODS, METHODS, other, METHODS]);
        assert_eq!(found, Vec::<String>::new(), "{other}");
    }
}
