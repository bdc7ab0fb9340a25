//! The committed reference of the operator matches its wiring.

use evenkeel::manifests::ManifestOptions;
use evenkeel_testkit::assert_generated;
use evenkeel_tests::printed;

use crate::operator::operator;
use crate::storage::Storage;

#[test]
fn the_committed_reference_matches_the_wiring() {
    let folder = tempfile::tempdir().unwrap();
    let operator = operator(Storage::open(folder.path()).unwrap());
    let reference = |name: &str| format!("{}/reference/gitrepository/{name}", env!("CARGO_MANIFEST_DIR"));
    assert_generated(reference("wiring.mmd"), &operator.graphs());
    assert_generated(reference("docs.md"), &operator.pages());
    assert_generated(reference("contract.json"), &operator.contract().to_string());
    assert_generated(reference("crds.yaml"), &printed::crds(&operator));
    assert_generated(reference("rbac.yaml"), &printed::rbac(&operator));
    let options = ManifestOptions::new("registry.example/gitrepository:1.0.0", "gitrepository");
    let (install, optional) = printed::manifests(&operator, &options);
    assert_generated(reference("install.yaml"), &install);
    assert_generated(reference("optional.yaml"), &optional);
    let (alerts, dashboard) = printed::monitoring(&operator);
    assert_generated(reference("alerts.yaml"), &alerts);
    assert_generated(reference("dashboard.json"), &dashboard);
}

#[test]
fn the_crd_has_author_and_condition_columns() {
    let folder = tempfile::tempdir().unwrap();
    let definitions = operator(Storage::open(folder.path()).unwrap()).definitions();
    let columns = definitions[0].spec.versions[0].additional_printer_columns.clone().unwrap();
    let names: Vec<_> = columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names.first(), Some(&"Ready"));
    assert_eq!(names.last(), Some(&"Age"));
    for name in ["Revision", "Status", "ArtifactStored", "SourceFetched"] {
        assert_eq!(names.iter().filter(|other| **other == name).count(), 1, "{name} in {names:?}");
    }
}
