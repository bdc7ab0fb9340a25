//! Operators without a reconciler: they only review writes.

use std::net::TcpListener;

use evenkeel::admission::WebhookTarget;
use evenkeel::prelude::*;
use evenkeel::{Operator, WebhookServer};
use evenkeel_testkit::{Cluster, eventually};
use evenkeel_tests::listener::{get, listening, samples};
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{Running, SOON, World};
use k8s_openapi::api::admissionregistration::v1::ValidatingWebhookConfiguration;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret};
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube::{Api, Client, CustomResourceExt, ResourceExt as _};
use serde_json::json;

use super::kinds::Team;

on_each_server!(an_operator_without_a_reconciler_serves_its_reviews);

/// ConfigMaps name a team that exists.
#[validate(anyway, objects = "team", watches(Team, labels = "team=yes"))]
async fn has_a_team(map: &ConfigMap, cx: &mut Review) -> Result<(), Denial> {
    let team = map.labels().get("team").cloned().unwrap_or_default();
    match cx.get::<Team>(&team).await? {
        Some(_) => Ok(()),
        None => Err(Denial::new(format!("there is no team {team}"))),
    }
}

fn replica(client: Client, name: &str, namespace: &str) -> (Operator, WebhookTarget) {
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let target = WebhookTarget::url(format!("https://{}", socket.local_addr().unwrap()));
    let operator = Operator::new(name)
        .client(client)
        .namespaces([namespace])
        .admission::<has_a_team>(())
        .webhooks(WebhookServer::on(socket).target(target.clone()));
    (operator, target)
}

fn map(name: &str, team: &str) -> ConfigMap {
    serde_json::from_value(json!({ "metadata": { "name": name, "labels": { "team": team } } })).unwrap()
}

fn team(name: &str) -> Team {
    let object = json!({
        "apiVersion": "tests.evenkeel.dev/v1", "kind": "Team",
        "metadata": { "name": name, "labels": { "team": "yes" } }, "spec": {},
    });
    serde_json::from_value(object).unwrap()
}

async fn an_operator_without_a_reconciler_serves_its_reviews(world: World) -> World {
    world.install(&Team::crd()).await;
    let name = format!("alone-{}", world.namespace);
    let (operator, target) = replica(world.client.clone(), &name, &world.namespace);
    // Servers before 1.21 do not set the label by which the configurations select the namespace.
    let label = json!({ "metadata": { "labels": { "kubernetes.io/metadata.name": world.namespace } } });
    let namespaces: Api<Namespace> = Api::all(world.client.clone());
    namespaces.patch(&world.namespace, &PatchParams::default(), &Patch::Merge(label)).await.unwrap();
    let validating = operator.webhook_configurations(&target).unwrap().validating.unwrap();
    let configurations: Api<ValidatingWebhookConfiguration> = Api::all(world.client.clone());
    configurations.create(&PostParams::default(), &validating).await.unwrap();
    let (operator, address) = listening(operator);
    let running = Running::start(operator);
    let ready = || async {
        let answer = get(address, "/readyz").await;
        (answer.status == 200).then_some(())
    };
    eventually(SOON, ready).await;
    let (maps, teams): (Api<ConfigMap>, Api<Team>) = (
        Api::namespaced(world.client.clone(), &world.namespace),
        Api::namespaced(world.client.clone(), &world.namespace),
    );
    teams.create(&PostParams::default(), &team("blue")).await.unwrap();
    let dry = PostParams { dry_run: true, ..PostParams::default() };
    let called = || async {
        let stored = maps.create(&dry, &map("a", "blue")).await.is_ok();
        let refused = maps.create(&dry, &map("a", "red")).await.err().map(|error| error.to_string());
        (stored && refused?.contains("there is no team red")).then_some(())
    };
    eventually(SOON, called).await;
    assert_eq!(
        samples(address).await["evenkeel_admission_reviews_total{function=\"has_a_team\",result=\"unavailable\"}"],
        0.0
    );
    let secrets: Api<Secret> = Api::default_namespaced(world.client.clone());
    secrets.get(&format!("{name}-webhook")).await.unwrap();
    running.crash().await;
    configurations.delete(&name, &DeleteParams::default()).await.unwrap();
    world
}

#[tokio::test(start_paused = true)]
async fn an_operator_without_a_reconciler_stops_cleanly() {
    let cluster = Cluster::builder().rbac().start().await;
    cluster.seed(&Team::crd()).await.unwrap();
    let operator = Operator::new("alone").admission::<has_a_team>(()).client(cluster.client());
    let service = operator.admission_service().unwrap();
    let running = Running::start(operator);
    tokio::time::sleep(std::time::Duration::from_secs(3600)).await;
    assert!(!running.is_finished(), "it serves until it is stopped");
    drop(service);
    running.stop().await.unwrap();
}

#[test]
fn its_rules_are_those_of_its_reads() {
    let operator = Operator::new("alone").admission::<has_a_team>(());
    let rules = operator.rbac_rules();
    let rules: Vec<_> = rules.iter().map(|rule| (rule.resource.as_str(), rule.verbs.len())).collect();
    assert_eq!(rules, [("teams", 3)]);
    assert!(operator.definitions().is_empty() && operator.graphs().is_empty());
    assert!(operator.pages().starts_with("# Alerts\n"), "{}", operator.pages());
}

#[tokio::test]
async fn an_operator_with_nothing_does_not_start() {
    let cluster = Cluster::start().await;
    let error = Operator::new("alone").client(cluster.client()).run_until(std::future::pending()).await.unwrap_err();
    assert!(error.to_string().starts_with("alone has no reconciler"), "{error}");
}
