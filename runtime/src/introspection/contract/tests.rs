//! The contract: its JSON, and the level of each change.

use super::super::api_diff::Semver;
use super::super::fixture;
use super::*;

fn stored() -> Contract {
    Contract::of(&[fixture::known()], &AppManifest::default())
}

/// The version increment and the text of the only change.
fn only(before: &Contract, after: &Contract) -> (Semver, String) {
    let changes = before.compare(after);
    assert_eq!(changes.len(), 1, "{changes:?}");
    (changes[0].semver, changes[0].to_string())
}

fn changed(change: impl Fn(&mut ReconcilerContract)) -> Contract {
    let mut contract = stored();
    contract.reconcilers.values_mut().for_each(change);
    contract
}

#[test]
fn a_contract_survives_a_round_trip() {
    let read = Contract::parse(&stored().to_string()).unwrap();
    assert_eq!(read, stored());
    assert_eq!(Semver::of(&stored().compare(&read)), Semver::Patch);
}

#[test]
fn removing_a_condition_is_major_and_adding_one_minor() {
    let without = changed(|reconciler| drop(reconciler.conditions.remove("Stored")));
    assert_eq!(only(&stored(), &without), (Semver::Major, "removed: op/things, condition Stored".into()));
    assert_eq!(only(&without, &stored()), (Semver::Minor, "added: op/things, condition Stored".into()));
}

#[test]
fn removing_a_reason_or_finalizer_is_a_major_change() {
    let without = changed(|reconciler| {
        reconciler.conditions.get_mut("Stored").unwrap().reasons.remove("Blocked");
    });
    let what = "removed: op/things, condition Stored, reason Blocked".into();
    assert_eq!(only(&stored(), &without), (Semver::Major, what));
    let without = changed(|reconciler| reconciler.finalizer = None);
    assert_eq!(only(&stored(), &without), (Semver::Major, "removed: op/things, finalizer".into()));
}

#[test]
fn changing_the_triggers_is_a_major_change() {
    let triggers = |text: &'static str| changed(move |reconciler| reconciler.triggers = Some(text.into()));
    let (one, other) = (triggers("triggers(spec, labels)"), triggers("triggers(spec)"));
    let what = "changed: op/things, triggers: triggers(spec, labels) -> triggers(spec)".into();
    assert_eq!(only(&one, &other), (Semver::Major, what));
}

#[test]
fn changing_the_polarity_is_a_major_change() {
    let other = changed(|reconciler| {
        reconciler.conditions.get_mut("Stored").unwrap().polarity = "negative".into();
    });
    let what = "changed: op/things, condition Stored: positive -> negative".into();
    assert_eq!(only(&stored(), &other), (Semver::Major, what));
}

#[test]
fn a_new_validation_is_a_major_change_and_a_new_version_a_minor_one() {
    let mut other = stored();
    let reviews = AdmissionContract { validation: ["CREATE".to_owned()].into(), ..AdmissionContract::default() };
    other.admission.insert("things.example.com".to_owned(), reviews);
    let added = "added: validation of things.example.com, CREATE".to_owned();
    assert_eq!(only(&stored(), &other), (Semver::Major, added));
    let mut other = stored();
    other.versions.insert("things.example.com".to_owned(), ["v1".to_owned()].into());
    let what = "added: versions of things.example.com, v1".to_owned();
    assert_eq!(only(&stored(), &other), (Semver::Minor, what));
    let what = "removed: versions of things.example.com, v1".to_owned();
    assert_eq!(only(&other, &stored()), (Semver::Major, what));
}

#[test]
fn another_right_for_a_route_is_a_major_change() {
    let with = |needed: &str| {
        let routes = [("GET /x".to_owned(), needed.to_owned())].into();
        Contract { routes, ..stored() }
    };
    assert_eq!(only(&stored(), &with("get a/b")), (Semver::Minor, "added: route GET /x".into()));
    let what = "changed: route GET /x: get a/b -> get a/c".into();
    assert_eq!(only(&with("get a/b"), &with("get a/c")), (Semver::Major, what));
    assert_eq!(Contract::parse(&with("get a/b").to_string()).unwrap(), with("get a/b"));
}

#[test]
fn a_contract_without_functions_has_no_sections_for_them() {
    let text = stored().to_string();
    assert!(["versions", "admission", "routes"].iter().all(|section| !text.contains(section)), "{text}");
}

/// A contract with each section.
fn with_sections() -> Contract {
    let labels = |labels: &[&str]| labels.iter().map(|label| (*label).to_owned()).collect();
    Contract {
        rights: [("core/secrets".to_owned(), labels(&["get", "list"]))].into(),
        metrics: [("evenkeel_step_total".to_owned(), labels(&["step"]))].into(),
        flags: [("--listen".to_owned(), "ADDRESS".to_owned())].into(),
        ..stored()
    }
}

#[test]
fn neither_more_nor_fewer_rights_break_a_client() {
    let mut next = with_sections();
    next.rights.get_mut("core/secrets").unwrap().remove("list");
    let what = "removed: rights on core/secrets, list".to_owned();
    assert_eq!(only(&with_sections(), &next), (Semver::Minor, what));
    let what = "added: rights on core/secrets, list".to_owned();
    assert_eq!(only(&next, &with_sections()), (Semver::Minor, what));
}

#[test]
fn a_metric_or_a_label_that_is_gone_is_a_major_change() {
    let mut next = with_sections();
    next.metrics.get_mut("evenkeel_step_total").unwrap().clear();
    let what = "removed: metric evenkeel_step_total, label step".to_owned();
    assert_eq!(only(&with_sections(), &next), (Semver::Major, what));
    next.metrics.clear();
    assert_eq!(only(&with_sections(), &next), (Semver::Major, "removed: metric evenkeel_step_total".to_owned()));
    assert_eq!(only(&next, &with_sections()).0, Semver::Minor);
}

#[test]
fn a_flag_that_is_gone_or_takes_another_value_is_a_major_change() {
    let mut next = with_sections();
    next.flags.insert("--listen".to_owned(), String::new());
    let what = "changed: command line --listen: ADDRESS -> ".to_owned();
    assert_eq!(only(&with_sections(), &next), (Semver::Major, what));
    next.flags.clear();
    assert_eq!(only(&with_sections(), &next), (Semver::Major, "removed: command line --listen".to_owned()));
}

#[test]
fn sections_that_the_earlier_format_lacks_are_not_compared() {
    let before = Contract { format: 0, ..stored() };
    assert_eq!(before.compare(&with_sections()), []);
}
