//! `doctor` and `status` of an operator with replicas, by the state of its Lease.

use evenkeel::{Operator, Replicas};
use evenkeel_testkit::Cluster;
use evenkeel_tests::widget::{Lab, definition, widget};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::coordination::v1::Lease;
use kube::Api;
use serde_json::{Value, json};

use super::{examined, look};

fn operator(cluster: &Cluster) -> Operator {
    let replicas = Replicas { namespace: Some("default".to_owned()), ..Replicas::default() };
    Operator::new("tester").client(cluster.client()).reconciler::<widget>(Lab::at("a")).replicas_with(replicas)
}

/// A cluster with this Lease: its holder, when it was renewed, and the operator to which it belongs.
async fn with(holder: &str, renewed: SignedDuration, owner: &str) -> Cluster {
    let cluster = Cluster::start().await;
    cluster.seed(&definition()).await.unwrap();
    let lease: Lease = serde_json::from_value(json!({
        "metadata": { "name": "tester", "annotations": { "evenkeel.dev/operator": owner } },
        "spec": { "holderIdentity": holder, "leaseDurationSeconds": 15, "renewTime": format!("{:.6}", Timestamp::now() - renewed) },
    }))
    .unwrap();
    Api::<Lease>::namespaced(cluster.client(), "default").create(&Default::default(), &lease).await.unwrap();
    cluster
}

/// The line of `doctor` about the Lease, and the first one of `status`.
async fn lines(cluster: &Cluster) -> (u8, String, String) {
    let (code, found) = examined(operator(cluster)).await;
    let line = found.into_iter().find(|line| line.contains("Lease")).unwrap();
    let (_, text) = look(operator(cluster), &["status"]).await;
    (code, line, text.lines().next().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn the_leader_is_named_as_long_as_it_renews_its_lease() {
    let cluster = with("a_1", SignedDuration::ZERO, "tester").await;
    let (code, line, first) = lines(&cluster).await;
    assert!(code == 0 && line.starts_with("ok: a_1 leads, and renewed the Lease default/tester "), "{line}");
    assert!(first.starts_with("leader: a_1, renewed "), "{first}");
    let (_, text) = look(operator(&cluster), &["status", "-o", "json"]).await;
    let status: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&status["leader"]["holder"], &status["leader"]["lease"]), (&json!("a_1"), &json!("default/tester")));

    let (code, line, first) = lines(&with("a_1", SignedDuration::from_hours(1), "tester").await).await;
    assert_eq!(code, 0, "a warning is no failure");
    assert_eq!(line, "warn: the Lease default/tester is held by a_1, which renewed it 60m ago: no replica leads");
    assert_eq!(first, "leader: none, a_1 renewed the Lease default/tester 60m ago");
}

#[tokio::test]
async fn a_lease_without_a_holder_is_no_fault() {
    let (code, line, first) = lines(&with("", SignedDuration::ZERO, "tester").await).await;
    assert_eq!(line, "info: the Lease default/tester has no holder: the last leader has given it back");
    assert!(code == 0 && first == "leader: none, the Lease default/tester has been given back", "{first}");
    let cluster = Cluster::start().await;
    cluster.seed(&definition()).await.unwrap();
    let (code, line, first) = lines(&cluster).await;
    assert_eq!(line, "info: the Lease default/tester does not exist yet: no replica has run");
    assert!(code == 0 && first == "Widget: 0 of 0 ready", "{first}");
}

#[tokio::test]
async fn a_lease_of_another_operator_fails() {
    let (code, line, _) = lines(&with("b_1", SignedDuration::ZERO, "store").await).await;
    let wanted = "fail: the Lease default/tester belongs to the operator store, so no replica of this one can lead";
    assert_eq!((code, &*line), (1, wanted));
}

#[tokio::test]
async fn an_operator_with_one_replica_has_no_line_about_a_lease() {
    let cluster = with("a_1", SignedDuration::ZERO, "tester").await;
    let alone = || Operator::new("tester").client(cluster.client()).reconciler::<widget>(Lab::at("a"));
    let (_, found) = examined(alone()).await;
    assert!(found.iter().all(|line| !line.contains("Lease")), "{found:?}");
    let (_, text) = look(alone(), &["status"]).await;
    assert_eq!(text, "Widget: 0 of 0 ready\n");
}
