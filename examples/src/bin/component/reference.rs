//! The committed reference of the operator matches its wiring.

use evenkeel::manifests::ManifestOptions;
use evenkeel_testkit::assert_generated;
use evenkeel_tests::printed;

use crate::operator::operator;

#[test]
fn the_committed_reference_matches_the_wiring() {
    let reference = |name: &str| format!("{}/reference/component/{name}", env!("CARGO_MANIFEST_DIR"));
    assert_generated(reference("wiring.mmd"), &operator().graphs());
    assert_generated(reference("docs.md"), &operator().pages());
    assert_generated(reference("contract.json"), &operator().contract().to_string());
    assert_generated(reference("crds.yaml"), &printed::crds(&operator()));
    assert_generated(reference("rbac.yaml"), &printed::rbac(&operator()));
    let options = ManifestOptions::new("registry.example/component:1.0.0", "component");
    let (install, optional) = printed::manifests(&operator(), &options);
    assert_generated(reference("install.yaml"), &install);
    assert_generated(reference("optional.yaml"), &optional);
    let (alerts, dashboard) = printed::monitoring(&operator());
    assert_generated(reference("alerts.yaml"), &alerts);
    assert_generated(reference("dashboard.json"), &dashboard);
}

#[tokio::test]
async fn the_committed_manifests_are_those_of_the_shop() {
    let folder = env!("CARGO_MANIFEST_DIR");
    let mut manifests = Vec::new();
    let shop = format!("{folder}/src/bin/component/shop.yaml");
    operator().render(["--object", &shop], &mut manifests).await.expect("the shop is rendered");
    assert_generated(
        format!("{folder}/reference/component/shop.yaml"),
        std::str::from_utf8(&manifests).expect("it is text"),
    );
}
