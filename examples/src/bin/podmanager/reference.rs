//! The committed reference of the operator matches its wiring.

use evenkeel::manifests::ManifestOptions;
use evenkeel_testkit::assert_generated;
use evenkeel_tests::printed;

use crate::operator::operator;

#[test]
fn the_committed_reference_matches_the_wiring() {
    let reference = |name: &str| format!("{}/reference/podmanager/{name}", env!("CARGO_MANIFEST_DIR"));
    assert_generated(reference("wiring.mmd"), &operator().graphs());
    assert_generated(reference("docs.md"), &operator().pages());
    assert_generated(reference("contract.json"), &operator().contract().to_string());
    assert_generated(reference("crds.yaml"), &printed::crds(&operator()));
    assert_generated(reference("rbac.yaml"), &printed::rbac(&operator()));
    let options = ManifestOptions::new("registry.example/podmanager:1.0.0", "podmanager");
    let (install, optional) = printed::manifests(&operator(), &options);
    assert_generated(reference("install.yaml"), &install);
    assert_generated(reference("optional.yaml"), &optional);
    let (alerts, dashboard) = printed::monitoring(&operator());
    assert_generated(reference("alerts.yaml"), &alerts);
    assert_generated(reference("dashboard.json"), &dashboard);
}
