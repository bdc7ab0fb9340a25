//! What the pages say about the guide: the names of its pages and of their sections.

use std::path::PathBuf;

use regex::Regex;

use crate::page::root;

/// What is wrong with the references in a text.
pub(crate) fn faults(text: &str) -> Vec<String> {
    let reference = Regex::new(r"[Pp]age \[?`([a-z_]+)`\]?([^.;]*)").unwrap();
    let text = text.replace('\n', " ");
    reference.captures_iter(&text).flat_map(|found| of_page(&found[1], &found[2])).collect()
}

/// The links to the guide that do not lead to a page of this version.
pub(crate) fn dead_links(links: &[String]) -> Vec<&String> {
    let folder = concat!("https://docs.rs/evenkeel/", env!("CARGO_PKG_VERSION"), "/evenkeel/guide/");
    let is_alive = |link: &str| {
        let name = link.strip_prefix(folder).and_then(|rest| rest.strip_suffix("/index.html"));
        name.is_some_and(|name| file_of(name).is_file())
    };
    links.iter().filter(|link| link.contains("/evenkeel/guide/") && !is_alive(link)).collect()
}

fn file_of(page: &str) -> PathBuf {
    root().join("runtime/src/guide").join(page).with_extension("md")
}

/// What is wrong with the reference to this page; `rest` names its sections.
fn of_page(name: &str, rest: &str) -> Vec<String> {
    let Ok(page) = std::fs::read_to_string(file_of(name)) else {
        return vec![format!("the guide has no page `{name}`")];
    };
    let is_there = |section: &&str| ["# ", "**", "**`"].iter().any(|start| page.contains(&format!("{start}{section}")));
    let missing = sections(rest).into_iter().filter(|section| !is_there(section));
    missing.map(|section| format!("page `{name}` of the guide has no section *{section}*")).collect()
}

/// `, *One* and *Other*` or ` .. under One and Other`
fn sections(rest: &str) -> Vec<&str> {
    let named: Vec<&str> = rest.split('*').skip(1).step_by(2).collect();
    match rest.split_once(" under ") {
        Some((_, list)) if named.is_empty() => list.split(", ").flat_map(|part| part.split(" and ")).collect(),
        _ => named,
    }
}

#[test]
fn a_missing_page_and_a_missing_section_are_found() {
    let is_fine = "Guide: page `replicas`, *What is promised*; page `shards`.";
    assert_eq!(faults(is_fine), Vec::<String>::new());
    assert_eq!(faults("The page `gone` has it."), ["the guide has no page `gone`"]);
    for text in ["page [`pass`], *Gone*.", "The page `pass` of the guide has the rules, under Times and\nGone."] {
        assert_eq!(faults(text), ["page `pass` of the guide has no section *Gone*"]);
    }
    let links = ["0.0.0/evenkeel/guide/pass", concat!(env!("CARGO_PKG_VERSION"), "/evenkeel/guide/gone")];
    let links = links.map(|link| format!("https://docs.rs/evenkeel/{link}/index.html"));
    assert_eq!(dead_links(&links).len(), 2);
}
