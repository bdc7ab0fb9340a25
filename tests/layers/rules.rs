//! The findings in a tree, by the list of layers.

use std::collections::{BTreeMap, BTreeSet};

use crate::list::List;
use crate::source::{Module, Named};
use crate::tree::{File, Tree};

/// All violations, one per line, starting with the location.
pub(crate) fn findings(tree: &Tree, list: &List) -> Vec<String> {
    let mut found = unlisted(tree, list);
    let mut edges: BTreeMap<&str, BTreeSet<(&Module, &Module)>> = BTreeMap::new();
    for (module, File { name: file, source, .. }) in &tree.modules {
        let Some(layer) = module.first().filter(|layer| list.heights.contains_key(*layer)) else { continue };
        for named in source.named.iter().filter(|named| !named.path.is_empty()) {
            let home = tree.home(&named.path);
            found.extend(upward(list, layer, named, home).map(|wrong| format!("{file}:{}: {wrong}", named.line)));
            let is_test = named.in_tests || file.ends_with("tests.rs") || file.contains("tests/");
            if home != module && home.first() == Some(layer) && !named.handed_on && !is_test {
                edges.entry(layer).or_default().insert((module, home));
            }
        }
    }
    let circles = edges.iter().flat_map(|(layer, edges)| {
        let files =
            |circle: BTreeSet<&Module>| circle.iter().map(|module| below(&tree.modules[*module].name)).collect();
        circles(edges).into_iter().map(move |circle| ((*layer).to_owned(), files(circle)))
    });
    found.extend(unknown_circles(&circles.collect(), list));
    found
}

/// Folders and files that are missing in the list, and listed names that do not exist.
fn unlisted(tree: &Tree, list: &List) -> Vec<String> {
    let tops: BTreeSet<&String> = tree.modules.keys().filter_map(|module| module.first()).collect();
    let is_listed = |top: &str| list.heights.contains_key(top) || list.outside.contains(top);
    let missing = tops.iter().filter(|top| !is_listed(top));
    let missing = missing.map(|top| format!("{top}: not in the list of layers"));
    let gone = list.heights.keys().chain(&list.outside).filter(|name| !tops.contains(name));
    missing.chain(gone.map(|name| format!("{name}: in the list of layers, but not in the tree"))).collect()
}

/// The violation of one path: it must start and end in a lower layer.
fn upward<'a>(list: &'a List, layer: &'a str, named: &'a Named, home: &'a Module) -> impl Iterator<Item = String> + 'a {
    let ends: BTreeSet<&String> = named.path.first().into_iter().chain(home.first()).collect();
    ends.into_iter().filter(move |end| *end != layer).filter_map(move |end| match list.heights.get(end) {
        None => Some(format!("{layer} -> {end} is in no layer: name the module that it is written in")),
        Some(height) if height > &list.heights[layer] => Some(format!("{layer} -> {end} points up")),
        Some(height) if height == &list.heights[layer] => Some(format!("{layer} -> {end} is in the same layer")),
        Some(_) => None,
    })
}

/// The sets of modules that import each other, directly or through others of the set.
fn circles<'a>(edges: &BTreeSet<(&'a Module, &'a Module)>) -> BTreeSet<BTreeSet<&'a Module>> {
    let reached = |from: &'a Module| {
        let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(module) = open.pop() {
            let next = edges.iter().filter(|(from, _)| *from == module).map(|(_, to)| *to);
            open.extend(next.filter(|to| reached.insert(*to)));
        }
        reached
    };
    let all: BTreeMap<&Module, BTreeSet<&Module>> = edges.iter().map(|(from, _)| (*from, reached(from))).collect();
    let circle = |module: &&'a Module| -> BTreeSet<&'a Module> {
        let mutual = |other: &&&'a Module| all.get(**other).is_some_and(|back| back.contains(*module));
        all[*module].iter().filter(mutual).copied().collect()
    };
    all.keys().map(circle).filter(|circle| circle.len() > 1).collect()
}

fn unknown_circles(circles: &BTreeSet<(String, BTreeSet<String>)>, list: &List) -> Vec<String> {
    let text = |(layer, files): &(String, BTreeSet<String>)| {
        format!("{layer}: {}", files.iter().map(String::as_str).collect::<Vec<_>>().join(" "))
    };
    let new = circles.difference(&list.circles).map(|one| format!("{}: these files import each other", text(one)));
    let gone = list.circles.difference(circles).map(|one| format!("{}: in the list, but no circle", text(one)));
    new.chain(gone).collect()
}

/// The file without its top folder and its extension.
fn below(file: &str) -> String {
    let (_, name) = file.split_once('/').unwrap_or(("", file));
    name.trim_end_matches(".rs").to_owned()
}
