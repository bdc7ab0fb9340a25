//! Each item of the public API is used by an example, the guide, a documentation test or an expansion, or has a reason in `reasons.txt`.

use std::collections::BTreeSet;
use std::path::Path;

/// Folders whose files use the API as a user does, and the extension of the files.
const USES: [(&str, &str); 8] = [
    ("README.md", "md"),
    ("docs", "md"),
    ("examples", "rs"),
    ("macros/src", "rs"),
    ("macros/src", "md"),
    ("runtime/src/guide", "md"),
    ("tests/kit/examples", "rs"),
    ("tests/kit", "md"),
];
/// Folders whose documentation contains tests.
const DOCUMENTED: [&str; 2] = ["runtime/src", "tests/kit/src"];
/// Keywords before the path of an item. A line without one is a field or a variant, which belongs to its type.
const KEYWORDS: [&str; 10] = ["async", "const", "enum", "fn", "macro", "static", "struct", "trait", "type", "use"];
/// Methods of standard traits, which a user calls through the trait.
const STANDARD: [&str; 24] = [
    "as_ref",
    "clone",
    "cmp",
    "default",
    "deref",
    "deserialize",
    "drop",
    "eq",
    "fmt",
    "from",
    "from_str",
    "hash",
    "inline_schema",
    "into_future",
    "into_iter",
    "json_schema",
    "next",
    "partial_cmp",
    "poll",
    "schema_id",
    "schema_name",
    "serialize",
    "source",
    "try_from",
];

/// Checks the items of one crate, given as the lines of its file.
pub(crate) fn check(root: &Path, krate: &str, items: &BTreeSet<String>) {
    let words = words(root);
    let text = std::fs::read_to_string(root.join("tests/api/reasons.txt")).expect("the reasons");
    let reasons: Vec<(&str, &str)> = text.lines().filter_map(|line| line.split_once(" | ")).collect();
    let is_for = |path: &str, item: &str| match path.strip_suffix("::*") {
        Some(parent) => item.strip_prefix(parent).is_some_and(|rest| rest.is_empty() || rest.starts_with("::")),
        None => item == path,
    };
    let unused: BTreeSet<String> =
        items.iter().filter_map(|line| path(line, krate)).filter(|item| !is_used(item, &words)).collect();
    let bare: Vec<_> = unused.iter().filter(|item| !reasons.iter().any(|(path, _)| is_for(path, item))).collect();
    assert!(
        bare.is_empty(),
        "use these items in an example or the guide, hide them, or add a reason to tests/api/reasons.txt:\n{bare:#?}"
    );
    let of_crate = reasons.iter().filter(|(path, _)| path.split("::").next() == Some(krate));
    let idle: Vec<_> = of_crate.filter(|(path, _)| !unused.iter().any(|item| is_for(path, item))).collect();
    assert!(idle.is_empty(), "these lines of tests/api/reasons.txt are about no unused item:\n{idle:#?}");
}

fn is_used(item: &str, words: &BTreeSet<String>) -> bool {
    item.rsplit("::").next().is_some_and(|name| words.contains(name) || STANDARD.contains(&name))
}

/// The path of the item, without generics: `evenkeel::Cx::apply`.
fn path(line: &str, krate: &str) -> Option<String> {
    let line = line.trim();
    let mut rest = line.strip_prefix("#[non_exhaustive] ").unwrap_or(line).strip_prefix("pub ")?;
    let mut is_item = false;
    while let Some((_, after)) = rest.split_once(' ').filter(|(word, _)| KEYWORDS.contains(word)) {
        (rest, is_item) = (after, true);
    }
    let (mut path, mut depth) = (String::new(), 0);
    for c in rest.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            _ if depth > 0 => {}
            c if c.is_alphanumeric() || c == '_' || c == ':' => path.push(c),
            _ => break,
        }
    }
    let path = path.trim_end_matches(':');
    (is_item && path.starts_with(&format!("{krate}::"))).then(|| path.to_owned())
}

/// The words of all files that use the API.
fn words(root: &Path) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for (place, extension) in USES {
        for file in files(&root.join(place), extension) {
            add(&mut words, &std::fs::read_to_string(file).expect("a text"));
        }
    }
    for file in DOCUMENTED.into_iter().flat_map(|place| files(&root.join(place), "rs")) {
        let text = std::fs::read_to_string(file).expect("a text");
        let docs = text.lines().filter_map(|line| line.trim().strip_prefix("///").or(line.trim().strip_prefix("//!")));
        let mut is_code = false;
        for line in docs {
            match line.trim().starts_with("```") {
                true => is_code = !is_code,
                false if is_code => add(&mut words, line),
                false => {}
            }
        }
    }
    words
}

fn add(words: &mut BTreeSet<String>, text: &str) {
    words.extend(text.split(|c: char| !c.is_alphanumeric() && c != '_').map(ToOwned::to_owned));
}

/// The file itself, or the files below a folder. Left out are `target` folders, and the tests of the book, which do not use the API.
fn files(place: &Path, extension: &str) -> Vec<std::path::PathBuf> {
    if place.is_file() {
        return vec![place.to_owned()];
    }
    let entries = std::fs::read_dir(place).unwrap_or_else(|error| panic!("{}: {error}", place.display()));
    let paths = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| ["target", "examples/tests/book"].iter().all(|folder| !path.ends_with(folder)));
    let (folders, files): (Vec<_>, Vec<_>) = paths.partition(|path| path.is_dir());
    let below = folders.iter().flat_map(|folder| self::files(folder, extension));
    files.into_iter().filter(|file| file.extension().is_some_and(|found| found == extension)).chain(below).collect()
}

#[test]
fn the_path_of_an_item_has_no_generics() {
    let line = "pub fn evenkeel::Cx<'_, S>::apply<K: Kind>(&mut self, &K) -> evenkeel::future::Apply<'_, K>";
    assert_eq!(path(line, "evenkeel").as_deref(), Some("evenkeel::Cx::apply"));
    assert_eq!(
        path("pub async fn evenkeel::Operator::run(self)", "evenkeel").as_deref(),
        Some("evenkeel::Operator::run")
    );
    assert_eq!(path("pub evenkeel::Actions::event: evenkeel::EventLevel", "evenkeel"), None);
}
