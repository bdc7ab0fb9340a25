//! The committed reference of the app matches its wiring.

use std::sync::Arc;

use evenkeel::manifests::ManifestOptions;
use evenkeel_testkit::assert_generated;
use evenkeel_tests::printed;

use crate::operator::operator;

#[test]
fn the_committed_reference_matches_the_wiring() {
    let reference = |name: &str| format!("{}/reference/app/{name}", env!("CARGO_MANIFEST_DIR"));
    let operator = operator(&Arc::default());
    assert_generated(reference("wiring.mmd"), &operator.graphs());
    assert_generated(reference("docs.md"), &operator.pages());
    assert_generated(reference("contract.json"), &operator.contract().to_string());
    assert_generated(reference("crds.yaml"), &printed::crds(&operator));
    assert_generated(reference("rbac.yaml"), &printed::rbac(&operator));
    let options = ManifestOptions::new("registry.example/app:1.0.0", "app");
    let (install, optional) = printed::manifests(&operator, &options);
    assert_generated(reference("install.yaml"), &install);
    assert_generated(reference("optional.yaml"), &optional);
    let (alerts, dashboard) = printed::monitoring(&operator);
    assert_generated(reference("alerts.yaml"), &alerts);
    assert_generated(reference("dashboard.json"), &dashboard);
}

#[test]
fn the_rules_are_the_same_in_rust_and_in_cel() {
    evenkeel_testkit::rules::<(crate::reviews::team_stays,)>();
}

#[test]
fn nothing_is_lost_between_the_versions() {
    evenkeel_testkit::conversion::<crate::site_v1beta1::Site>();
}
