//! The book in `docs`: its pages have a place, its links lead somewhere, its listings are tested files, and its commands print what it shows.
#![allow(clippy::unwrap_used, reason = "a test may")]

mod guide;
mod listing;
mod page;
mod reference;
mod session;
mod source;

use std::collections::BTreeSet;

use page::{Page, pages};

fn complain(what: &str, faults: &[String]) {
    assert!(faults.is_empty(), "{what}:\n  {}", faults.join("\n  "));
}

#[test]
fn each_page_has_a_place_in_the_summary() {
    let summary = Page::read("SUMMARY.md");
    let listed: BTreeSet<String> = summary.links().into_iter().collect();
    let there: BTreeSet<String> = pages().into_iter().map(|page| page.name).collect();
    assert!(there.len() > 5, "{there:?}");
    let faults: Vec<String> = listed.symmetric_difference(&there).cloned().collect();
    complain("these pages are not in docs/src/SUMMARY.md, or only there", &faults);
}

#[test]
fn each_link_leads_to_a_page_and_a_heading() {
    let pages = pages();
    let dead = pages.iter().flat_map(|page| {
        page.links().into_iter().filter(|link| !link.contains("://")).filter_map(|link| {
            let (target, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if target.is_empty() { page.name.clone() } else { page.relative(target) };
            let found = pages.iter().find(|page| page.name == target);
            let is_alive = found.is_some_and(|found| anchor.is_empty() || found.anchors().contains(anchor));
            (!is_alive).then(|| format!("{}: {link}", page.name))
        })
    });
    complain("these links are dead", &dead.collect::<Vec<_>>());
}

#[test]
fn each_picture_is_there() {
    let pages = pages();
    let missing = pages.iter().flat_map(|page| {
        page.pictures()
            .into_iter()
            .filter(|file| !page.folder().join(file).is_file())
            .map(|file| format!("{}: {file}", page.name))
    });
    complain("these pictures do not exist", &missing.collect::<Vec<_>>());
    assert!(pages.iter().any(|page| !page.pictures().is_empty()), "no page has a picture");
}

#[test]
fn each_reference_to_the_guide_names_a_page_and_a_section() {
    let pages = pages();
    let faults = pages
        .iter()
        .flat_map(|page| guide::faults(page.text()).into_iter().map(|fault| format!("{}: {fault}", page.name)));
    complain("these references to the guide are wrong", &faults.collect::<Vec<_>>());
}

#[test]
fn each_link_to_the_guide_leads_to_a_page_of_this_version() {
    let pages = pages();
    let links: Vec<String> = pages.iter().flat_map(Page::links).collect();
    assert!(links.iter().filter(|link| link.contains("/guide/")).count() > 100);
    let dead: Vec<String> = guide::dead_links(&links).into_iter().cloned().collect();
    complain("these links to the guide are dead", &dead);
}

#[test]
fn each_listing_is_a_tested_file() {
    let pages = pages();
    let faults = pages.iter().flat_map(|page| {
        page.blocks().into_iter().filter(|block| block.language != "console").filter_map(|block| {
            let why = listing::fault(page, &block.text)?;
            Some(format!("{}: {} in a block `{}`", page.name, why, block.language))
        })
    });
    complain(
        "listings are one `{{#include path}}` of a file that is compiled or generated",
        &faults.collect::<Vec<_>>(),
    );
}

#[tokio::test]
async fn commands_print_what_the_pages_show() {
    if !session::is_possible() {
        return;
    }
    let mut faults = Vec::new();
    for page in pages() {
        faults.extend(session::run(&page).await);
    }
    complain("EVENKEEL_BOOK=all also runs those of cargo; these commands differ", &faults);
}
