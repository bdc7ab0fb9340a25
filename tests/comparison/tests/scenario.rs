//! The scenario of both operators in Rust, on the API server in the process of the test.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test stops at the first surprise")]

use evenkeel_comparison::framework::Framework;
use evenkeel_comparison::scenario;
use evenkeel_comparison::site::Site;
use evenkeel_testkit::Cluster;

/// The checks that fail, with their errors.
async fn failed_checks(framework: Framework) -> Vec<(&'static str, String)> {
    let cluster = Cluster::start().await;
    let mut site = Site::open(framework, cluster.client()).await.expect("a namespace and a store");
    let checks = scenario::run(&mut site).await.expect("the operator runs");
    assert_eq!(checks.len(), 11);
    checks.into_iter().filter_map(|check| Some((check.name, check.error?))).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn plain_kube_rs_passes_the_scenario() {
    assert_eq!(failed_checks(Framework::Kube).await, []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn evenkeel_passes_the_scenario() {
    assert_eq!(failed_checks(Framework::Evenkeel).await, []);
}
