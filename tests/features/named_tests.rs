//! Checks that a named test exists, is not ignored, and belongs to a target that `cargo test --workspace` runs.

use std::path::Path;

use syn::visit::{Visit, visit_item_fn};
use syn::{Attribute, ItemFn, Macro};

/// What is wrong with a name such as `tests/behaviour/watch.rs::a_test`; `None` if the test runs.
pub(crate) fn defect(root: &Path, name: &str) -> Option<String> {
    let Some((file, test)) = name.split_once("::") else { return Some(format!("`{name}` is not `file::test`")) };
    let Ok(text) = std::fs::read_to_string(root.join(file)) else { return Some(format!("no file {file}")) };
    let syntax = match syn::parse_file(&text) {
        Ok(syntax) => syntax,
        Err(error) => return Some(format!("{file}: {error}")),
    };
    if !is_compiled(root, file) {
        return Some(format!("{file} is in no target that runs"));
    }
    let mut search = Search { test, state: State::Missing };
    search.visit_file(&syntax);
    match search.state {
        State::Missing => Some(format!("{file} has no test `{test}`")),
        State::Ignored => Some(format!("the test `{test}` of {file} is ignored")),
        State::Runs => None,
    }
}

/// Whether the file is the root of a target, or a module that its folder declares.
fn is_compiled(root: &Path, file: &str) -> bool {
    let path = root.join(file);
    let (Some(folder), Some(stem)) = (path.parent(), path.file_stem().and_then(|stem| stem.to_str())) else {
        return false;
    };
    let declares = |parent: &str| {
        let text = std::fs::read_to_string(folder.join(parent)).unwrap_or_default();
        text.lines().any(|line| line.trim().trim_start_matches("pub(crate) ") == format!("mod {stem};"))
    };
    // A folder without a root holds targets that are found by their place, or that the manifest lists.
    let is_root =
        ["main", "lib", "mod"].contains(&stem) || !["main.rs", "mod.rs"].iter().any(|name| folder.join(name).exists());
    is_root || declares("main.rs") || declares("mod.rs")
}

#[derive(Clone, Copy)]
enum State {
    Missing,
    Ignored,
    Runs,
}

struct Search<'a> {
    test: &'a str,
    state: State,
}

impl Visit<'_> for Search<'_> {
    fn visit_item_fn(&mut self, function: &ItemFn) {
        let has = |word: &str| function.attrs.iter().any(|attribute| is_named(attribute, word));
        if function.sig.ident == self.test && has("test") {
            self.state = if has("ignore") { State::Ignored } else { State::Runs };
        }
        visit_item_fn(self, function);
    }

    /// `on_each_server!(a, b)` and its like run functions as tests.
    fn visit_macro(&mut self, called: &Macro) {
        let runs = called.path.segments.last().is_some_and(|name| name.ident == "on_each_server");
        let mut words = called.tokens.clone().into_iter().map(|token| token.to_string());
        if runs && words.any(|word| word == self.test) {
            self.state = State::Runs;
        }
    }
}

/// `#[test]`, `#[tokio::test(..)]`, `#[ignore = ".."]`.
fn is_named(attribute: &Attribute, word: &str) -> bool {
    attribute.path().segments.last().is_some_and(|name| name.ident == word)
}
