//! Calls that a step sends itself with `cx.client()`, and the events that it records.

use std::sync::Arc;

use evenkeel::prelude::*;
use evenkeel::{ApiError, Bare, EventLevel};
use evenkeel_testkit::{Row, Seed, eventually};
use evenkeel_tests::on_each_server;
use evenkeel_tests::pod::a_pod;
use evenkeel_tests::test_env::{SOON, Server, World};
use evenkeel_tests::widget::Lab;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::api::{Api, EvictParams, LogParams, Patch, PatchParams, PostParams};
use kube::{Resource, ResourceExt};
use serde_json::{Value, json};

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum OrderCondition {
    /// The order is carried out.
    #[condition(positive)]
    Done,
}

/// Carries out what the data of the map says.
#[sub_reconciler(
    sets(on::Done),
    uses(Pod, eviction = create, log = get),
    uses(Deployment, scale = patch),
    uses(ConfigMap, create)
)]
async fn carry_out(map: &Bare<ConfigMap>, lab: &Arc<Lab>, cx: &mut Cx<'_, carry_out>) -> Result<(), ApiError> {
    for (verb, name) in map.data.iter().flatten() {
        let client = cx.client();
        match verb.as_str() {
            "evict" => {
                Api::<Pod>::default_namespaced(client).evict(name, &EvictParams::default()).await?;
                cx.event(EventLevel::Normal, "Evicted", format!("evicted pod {name}"));
            }
            "log" => {
                // The real servers have no kubelet, which would have the log.
                let _ = Api::<Pod>::default_namespaced(client).logs(name, &LogParams::default()).await;
                lab.note("asked for the log");
            }
            "scale" => {
                let patch = Patch::Merge(json!({ "spec": { "replicas": 3 } }));
                Api::<Deployment>::default_namespaced(client)
                    .patch_scale(name, &PatchParams::default(), &patch)
                    .await?;
            }
            "generate" => {
                let mut generated = ConfigMap::default();
                generated.meta_mut().generate_name = Some(format!("{name}-"));
                let made = Api::default_namespaced(client).create(&PostParams::default(), &generated).await?;
                lab.note(&format!("generated {}", made.name_any()));
            }
            _ => Api::<Pod>::default_namespaced(client).delete(name, &Default::default()).await.map(drop)?,
        }
    }
    Ok(())
}

fn is_order(map: &Bare<ConfigMap>) -> bool {
    map.labels().contains_key("order")
}

#[reconciler(conditions = OrderCondition, filter = is_order)]
async fn orderly(map: &Bare<ConfigMap>, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    carry_out(map, lab, cx).await?;
    Ok(())
}

fn order(data: &Value) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "o", "labels": { "order": "" } }, "data": data })
}

fn deployment() -> Value {
    let template = json!({
        "metadata": { "labels": { "app": "d" } },
        "spec": { "containers": [{ "name": "c", "image": "example.com/c" }] },
    });
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "d" },
        "spec": { "replicas": 1, "selector": { "matchLabels": { "app": "d" } }, "template": template },
    })
}

async fn declared_calls_reach_the_server(world: World) -> World {
    let lab = Lab::at("a");
    world.create::<Pod>(a_pod("p")).await;
    world.create::<Deployment>(deployment()).await;
    let running = world.operator::<orderly>(lab.clone());
    // The server of the 1.36 libraries has no evictions and no scale.
    let has_subresources = world.server != Server::Modern;
    let mut calls = json!({ "generate": "made" });
    if has_subresources {
        calls = json!({ "evict": "p", "generate": "made", "scale": "d" });
    }
    world.create::<ConfigMap>(order(&calls)).await;
    eventually(SOON, || async { (!world.notes("o", "Succeeded").is_empty()).then_some(()) }).await;
    if has_subresources {
        world.until_gone::<Pod>("p").await;
        assert_eq!(world.notes("o", "Evicted"), ["evicted pod p"]);
        assert_eq!(world.raw::<Deployment>("d").await["spec"]["replicas"], 3);
    }
    let made = lab.log().iter().find_map(|line| line.strip_prefix("generated ").map(ToOwned::to_owned)).unwrap();
    assert!(made.starts_with("made-") && made.len() > 5, "{made}");
    assert!(world.raw::<ConfigMap>(&made).await["metadata"]["ownerReferences"].is_null());
    world.quiet().await;
    assert_eq!(lab.log().len(), 1, "a generated object triggers nothing: {:?}", lab.log());
    running.stop().await.unwrap();
    world
}

async fn a_log_is_asked_for(world: World) -> World {
    let lab = Lab::at("a");
    world.create::<Pod>(a_pod("p")).await;
    let running = world.operator::<orderly>(lab.clone());
    world.create::<ConfigMap>(order(&json!({ "log": "p" }))).await;
    lab.until_logged(&["asked for the log"]).await;
    assert_eq!(world.wire.count(|call| call.method == "GET" && call.path.ends_with("/pods/p/log")), 1);
    running.stop().await.unwrap();
    world
}

async fn an_undeclared_call_is_not_sent(world: World) -> World {
    let running = world.operator::<orderly>(Lab::at("a"));
    world.create::<Pod>(a_pod("p")).await;
    world.create::<ConfigMap>(order(&json!({ "remove": "p" }))).await;
    eventually(SOON, || async { (!world.notes("o", "Forbidden").is_empty()).then_some(()) }).await;
    let note = world.notes("o", "Forbidden").remove(0);
    let wanted = "the step `carry_out` may not delete pods ";
    assert!(note.starts_with(wanted) && note.contains("add `uses(Pod, delete)`"), "{note}");
    assert_eq!(world.wire.count(|call| call.is_write() && call.path.contains("/pods/")), 0, "{:?}", world.wire.calls());
    running.stop().await.unwrap();
    world
}

on_each_server!(a_log_is_asked_for, declared_calls_reach_the_server, an_undeclared_call_is_not_sent);

#[test]
fn the_role_contains_the_declared_calls_and_no_more() {
    let operator = evenkeel::Operator::new("tester").reconciler::<orderly>(Lab::at("a"));
    let rules = operator.rbac_rules();
    let verbs = |resource: &str| -> Vec<&str> {
        let rule = rules.iter().find(|rule| rule.resource == resource);
        rule.map(|rule| rule.verbs.iter().map(|verb| verb.as_str()).collect()).unwrap_or_default()
    };
    assert_eq!(verbs("pods/eviction"), ["create"]);
    assert_eq!(verbs("pods/log"), ["get"]);
    assert_eq!(verbs("deployments/scale"), ["patch"]);
    assert_eq!(verbs("configmaps"), ["get", "list", "watch", "create", "patch"]);
    assert!(verbs("pods").is_empty() && verbs("deployments").is_empty(), "{rules:?}");
    assert!(
        operator.graphs().contains(r#"-- "calls eviction = create, log = get" --> kind__Pod"#),
        "{}",
        operator.graphs()
    );
}

#[tokio::test(start_paused = true)]
async fn a_row_sees_the_calls_of_a_step_and_their_failures() {
    let row = Row::new("a call fails").given(Seed::from(order(&json!({ "evict": "missing" }))));
    row.pass::<orderly>(Lab::at("a")).await.expect(
        "
        outcome: Failed
        writes:
        - create pods/eviction default/missing -> 404
        events: [Warning NotFound]
        ",
    );
}
