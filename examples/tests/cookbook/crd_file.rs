//! The CRD as a file in the repository, which a test compares with the code.

use evenkeel::prelude::*;
use evenkeel_testkit::{Cluster, assert_generated};

use crate::immutable::operator;

/// The CRDs of the operator, as YAML documents.
pub fn crds(operator: &Operator) -> String {
    let print = |crd| serde_saphyr::to_string(crd).expect("a CRD can be printed");
    operator.definitions().iter().map(print).collect::<Vec<_>>().join("---\n")
}

/// `GENERATED=overwrite cargo test` writes the file. Without the test, a change of `SiteSpec` does not reach it.
#[test]
fn the_committed_crd_is_that_of_the_code() {
    assert_generated(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cookbook/crds.yaml"), &crds(&operator()));
}

#[tokio::test]
async fn an_api_server_accepts_the_file() {
    let cluster = Cluster::start().await;
    cluster.seed(crds(&operator())).await.unwrap();
    let site = "{apiVersion: cookbook.evenkeel.dev/v1, kind: Site, metadata: {name: a}, spec: {interval: soon}}";
    let refused = cluster.seed(site).await.unwrap_err();
    assert!(refused.to_string().contains("spec.interval"), "{refused}");
}
