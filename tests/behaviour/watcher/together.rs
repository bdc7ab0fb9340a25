//! Watchers that cannot share a kind, and the metrics of those that do.

use std::convert::Infallible;

use evenkeel::prelude::*;
use evenkeel_testkit::{Cluster, eventually};
use evenkeel_tests::listener::{get, listening};
use evenkeel_tests::test_env::{Running, SOON, World};
use evenkeel_tests::widget::is_ready;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{CustomResource, CustomResourceExt, KubeSchema};
use serde::{Deserialize, Serialize};

use super::service::{Directory, Info, InfoStatus, Infos, Service, info};

/// The kind of the other tests in another version.
mod beta {
    use super::*;

    #[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
    #[kube(group = "tests.evenkeel.dev", version = "v1beta1", kind = "Info", namespaced, status = "InfoStatus")]
    pub(super) struct InfoSpec {}
}

#[watcher(undo = none)]
async fn former_infos(_event: Event<'_, beta::Info>) -> Result<(), Infallible> {
    Ok(())
}

#[watcher(undo = none)]
async fn other_infos(_event: Event<'_, Info>) -> Result<(), Infallible> {
    Ok(())
}

#[watcher(bare, finalizer = "tests.evenkeel.dev/one")]
async fn one_map(_event: Event<'_, ConfigMap>) -> Result<(), Infallible> {
    Ok(())
}

#[watcher(bare, finalizer = "tests.evenkeel.dev/two")]
async fn another_map(_event: Event<'_, ConfigMap>) -> Result<(), Infallible> {
    Ok(())
}

#[watcher(bare, finalizer = "tests.evenkeel.dev/one")]
async fn same_map(_event: Event<'_, ConfigMap>) -> Result<(), Infallible> {
    Ok(())
}

/// Why an operator with both is refused; empty: it is not.
async fn refusal(operator: Operator) -> String {
    let client = Cluster::start().await.client();
    let run = operator.client(client).run_until(std::future::ready(()));
    run.await.err().map_or_else(String::new, |error| error.to_string())
}

#[tokio::test]
async fn watchers_that_would_disturb_each_other_are_refused() {
    let operator = || Operator::new("tester").watcher::<Infos>(Infos { service: Service::new() });
    let same = refusal(operator().watcher::<other_infos>(())).await;
    assert!(same.contains("infos and other_infos both reconcile Info"), "{same}");
    let versions = refusal(operator().watcher::<former_infos>(())).await;
    assert!(versions.contains("infos and former_infos reconcile Info in two versions, v1 and v1beta1"), "{versions}");
    let maps = || Operator::new("tester").watcher::<one_map>(());
    let finalizer = refusal(maps().watcher::<same_map>(())).await;
    assert!(finalizer.contains("share the finalizer tests.evenkeel.dev/one of ConfigMap"), "{finalizer}");
    assert_eq!(refusal(maps().watcher::<another_map>(())).await, "");
    let plain = operator().watcher::<Directory>(Directory { service: Service::new() });
    assert!(!refusal(plain).await.contains("Directory"));
}

#[test]
fn a_plain_watcher_needs_no_right_to_write() {
    let verbs = |operator: Operator| {
        let rules = operator.rbac_rules().into_iter().filter(|rule| rule.resource.starts_with("infos"));
        rules.flat_map(|rule| rule.verbs).map(evenkeel::introspection::Verb::as_str).collect::<Vec<_>>()
    };
    let plain = Operator::new("tester").watcher::<Directory>(Directory { service: Service::new() });
    assert_eq!(verbs(plain), ["get", "list", "watch"]);
    let other = Operator::new("tester").watcher::<Infos>(Infos { service: Service::new() });
    assert!(verbs(other).contains(&"patch"));
}

#[tokio::test]
async fn a_plain_watcher_runs_beside_another_one_and_both_are_counted() {
    let world = World::within(Cluster::start().await);
    world.install(&Info::crd()).await;
    let (service, directory) = (Service::new(), Service::new());
    service.fail("update", 1, true);
    let operator = world.prepare::<Infos>(Infos { service: service.clone() });
    let (operator, address) = listening(operator.watcher::<Directory>(Directory { service: directory.clone() }));
    let operator = Running::start(operator);
    world.create::<Info>(info("a", "one")).await;
    world.until::<Info>("a", "ready", is_ready).await;
    world.merge::<Info>("a", serde_json::json!({ "spec": { "text": "two" } })).await;
    eventually(SOON, || async { (service.calls().len() > 1 && directory.calls().len() > 1).then_some(()) }).await;
    world.quiet().await;
    assert_eq!(directory.calls(), ["sync a=one", "sync a=two"]);
    assert_eq!(service.calls(), ["add a=one", "update one a=two 0"]);
    let wanted = [
        r#"evenkeel_watcher_calls_total{controller="infos",event="add",result="success"} 1"#,
        r#"evenkeel_watcher_calls_total{controller="infos",event="update",result="stalled"} 1"#,
        r#"evenkeel_watcher_calls_total{controller="infos",event="delete",result="success"} 0"#,
        r#"evenkeel_watcher_calls_total{controller="directory",event="add",result="success"} 1"#,
        r#"evenkeel_watcher_call_duration_seconds_count{controller="infos",event="add"} 1"#,
    ];
    eventually(SOON, || async {
        let text = get(address, "/metrics").await.body;
        wanted.iter().all(|line| text.contains(line)).then_some(())
    })
    .await;
    operator.stop().await.unwrap();
}
