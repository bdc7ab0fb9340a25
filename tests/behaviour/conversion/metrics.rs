//! The metrics of conversions.

use evenkeel_testkit::Cluster;
use evenkeel_tests::listener::{listening, samples};
use evenkeel_tests::test_env::Running;
use serde_json::json;

use super::call::{response, review};
use super::kinds::{CRD, object, operator};

#[tokio::test]
async fn conversions_are_counted_by_version_and_result() {
    let cluster = Cluster::start().await;
    cluster.seed(&operator().definitions()[0]).await.unwrap();
    let (operator, address) = listening(operator().client(cluster.client()));
    let service = operator.conversion_service().unwrap();
    let running = Running::start(operator);
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    for url in ["a", "b", "bad:c", "panic:d"] {
        response(&service, &review("v1", &[object("v1beta1", &json!({ "url": url }))])).await;
    }
    let large = object("v1", &json!({ "url": "e", "tags": ["x".repeat(40_000)] }));
    response(&service, &review("v1beta1", &[large])).await;
    response(&service, &review("v7", &[object("v1", &json!({ "url": "f" }))])).await;
    let samples = samples(address).await;
    let of = |version: &str| {
        let of_result = |result: &str| {
            samples[&format!("evenkeel_conversions_total{{crd=\"{CRD}\",version=\"{version}\",result=\"{result}\"}}")]
        };
        ["converted", "undecodable", "panic", "refused"].map(of_result)
    };
    assert_eq!(of("v1"), [2.0, 1.0, 1.0, 0.0]);
    assert_eq!(of("v1beta1"), [0.0, 0.0, 0.0, 1.0]);
    assert_eq!(of("v1alpha1"), [0.0; 4]);
    assert!(!samples.keys().any(|name| name.contains("v7")));
    running.stop().await.unwrap();
}
