//! The cases of other systems, run from their files through thin adapters. `deviations.txt` lists the intended differences.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod aso;
mod grafana;
mod sap;
mod script;
mod stage;
mod suite;

/// The guide has a page with them.
#[test]
fn the_guide_shows_every_deviation() {
    let mut table = String::from("| group | case | rule | why |\n| --- | --- | --- | --- |\n");
    for line in evenkeel_tests::deviations::listed(suite::DEVIATIONS) {
        let key = line.key.map(|key| format!(" ({key})")).unwrap_or_default();
        table += &format!("| {} | `{}`{key} | {} | {} |\n", line.suite, line.case, line.rule, line.reason);
    }
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../runtime/src/guide/systems.md");
    evenkeel_testkit::assert_generated(guide, &table);
}
