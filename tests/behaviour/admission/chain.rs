//! The whole chain: the in-process API server calls the service by the configurations that the operator prints.

use std::time::Duration;

use evenkeel::Operator;
use evenkeel::admission::WebhookTarget;
use evenkeel::prelude::*;
use evenkeel_testkit::Cluster;
use evenkeel_tests::test_env::Running;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube::core::Status;
use kube::{Api, CustomResourceExt, ResourceExt};
use serde_json::{Value, json};

use super::kinds::{Repo, Team, repo, web, with};

#[validate(on(create, update, delete), reads(Team))]
async fn team_exists(repo: &Repo, old: Option<&Repo>, cx: &mut Review) -> Result<(), Denial> {
    if cx.operation() == evenkeel::admission::Operation::Delete {
        let is_held = repo.labels().contains_key("held");
        return if is_held { Err(Denial::new("it is held: remove the label first")) } else { Ok(()) };
    }
    if old.is_some_and(|old| old.spec.owner_team == repo.spec.owner_team) {
        return Ok(());
    }
    if cx.get::<Team>(&repo.spec.owner_team).await?.is_none() {
        cx.deny(field!(spec.owner_team), format!("there is no team {:?}", repo.spec.owner_team));
    }
    if repo.spec.url.starts_with("http:") {
        cx.deny(field!(spec.url), "use https");
    }
    Ok(())
}

#[mutate(on(create))]
fn who(repo: &mut Repo, cx: &mut Review) -> Result<(), Denial> {
    let user = cx.user().username.clone().unwrap_or_default();
    repo.annotations_mut().insert("example.com/created-by".into(), user);
    repo.spec.login = Some(super::kinds::Login { user_name: "robot".into() });
    Ok(())
}

#[validate(timeout = "2s")]
async fn stuck(repo: &Repo) -> Result<(), Denial> {
    if repo.spec.url.contains("stuck") {
        std::future::pending::<()>().await;
    }
    Ok(())
}

fn operator(cluster: &Cluster) -> Operator {
    let operator = Operator::new("reviewer").client(cluster.client()).reconciler::<repo>(());
    operator.admission::<(team_exists, who, stuck)>(())
}

/// A cluster whose webhooks this operator answers.
async fn reviewed() -> (Cluster, Operator) {
    let cluster = Cluster::start().await;
    for definition in [Repo::crd(), Team::crd()] {
        cluster.seed(&definition).await.unwrap();
    }
    cluster.seed(json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "team-a" } })).await.unwrap();
    let operator = operator(&cluster);
    cluster.webhook_service("system", "reviewer-webhooks", operator.admission_service().unwrap());
    let target = WebhookTarget::service("system", "reviewer-webhooks");
    let configurations = operator.webhook_configurations(&target).unwrap();
    cluster.seed(&configurations.mutating.unwrap()).await.unwrap();
    cluster.seed(&configurations.validating.unwrap()).await.unwrap();
    (cluster, operator)
}

fn team() -> Value {
    json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Team", "metadata": { "name": "a", "namespace": "team-a" }, "spec": {} })
}

fn object(value: &Value) -> Repo {
    let mut value = value.clone();
    value["metadata"].as_object_mut().unwrap().remove("uid");
    serde_json::from_value(value).unwrap()
}

fn repos(cluster: &Cluster) -> Api<Repo> {
    Api::namespaced(cluster.client_as("ann"), "team-a")
}

/// The answer of the API server to a write that it refuses.
fn refused<T: std::fmt::Debug>(result: kube::Result<T>) -> Status {
    match result {
        Err(kube::Error::Api(status)) => *status,
        other => panic!("expected a refusal, found {other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_refusal_reaches_the_user_with_all_fields() {
    let (cluster, _operator) = reviewed().await;
    let wrong = object(&with(&json!({ "ownerTeam": "b", "url": "http://x" })));
    let status = refused(repos(&cluster).create(&PostParams::default(), &wrong).await);
    assert_eq!(status.code, 422);
    let denied = "admission webhook \"team-exists.repos.tests.evenkeel.dev\" denied the request";
    assert_eq!(status.message, format!("{denied}: spec.ownerTeam: there is no team \"b\"; spec.url: use https"));
    let causes = status.details.unwrap().causes;
    let fields: Vec<_> = causes.iter().map(|cause| (cause.field.as_str(), cause.message.as_str())).collect();
    assert_eq!(fields, [("spec.ownerTeam", "there is no team \"b\""), ("spec.url", "use https")]);
}

#[tokio::test(start_paused = true)]
async fn a_mutation_is_stored() {
    let (cluster, _operator) = reviewed().await;
    cluster.seed(team()).await.unwrap();
    let stored = repos(&cluster).create(&PostParams::default(), &object(&web())).await.unwrap();
    assert_eq!(stored.annotations()["example.com/created-by"], "ann");
    assert_eq!(stored.spec.login.unwrap().user_name, "robot");
}

#[tokio::test(start_paused = true)]
async fn metadata_of_an_object_that_has_become_invalid_can_change() {
    let (cluster, _operator) = reviewed().await;
    cluster.seed(team()).await.unwrap();
    let api = repos(&cluster);
    api.create(&PostParams::default(), &object(&web())).await.unwrap();
    Api::<Team>::namespaced(cluster.client(), "team-a").delete("a", &DeleteParams::default()).await.unwrap();
    let merge = async |patch: Value| api.patch("web", &PatchParams::default(), &Patch::Merge(patch)).await;
    merge(json!({ "metadata": { "finalizers": ["example.com/x"] } })).await.unwrap();
    merge(json!({ "metadata": { "finalizers": null, "labels": { "held": "yes" } } })).await.unwrap();
    let status = refused(merge(json!({ "spec": { "ownerTeam": "other" } })).await);
    assert!(status.message.contains("there is no team \"other\""), "{}", status.message);
    // Nor does its deletion depend on the team.
    let status = refused(api.delete("web", &DeleteParams::default()).await);
    assert!(status.message.ends_with("it is held: remove the label first"), "{}", status.message);
    merge(json!({ "metadata": { "labels": null } })).await.unwrap();
    api.delete("web", &DeleteParams::default()).await.unwrap();
    assert!(api.get_opt("web").await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn the_operator_reconciles_what_its_webhooks_let_through() {
    let (cluster, operator) = reviewed().await;
    let running = Running::start(operator);
    // Faster than any watch.
    cluster.seed(team()).await.unwrap();
    repos(&cluster).create(&PostParams::default(), &object(&web())).await.unwrap();
    tokio::time::sleep(Duration::from_secs(5)).await;
    let stored = repos(&cluster).get("web").await.unwrap();
    let conditions = json!(stored.status)["conditions"].clone();
    let is_ready = |condition: &Value| condition["type"] == "Ready" && condition["status"] == "True";
    assert!(conditions.as_array().is_some_and(|all| all.iter().any(is_ready)), "{conditions}");
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_function_that_hangs_fails_the_write_before_the_api_server_gives_up() {
    let (cluster, _operator) = reviewed().await;
    cluster.seed(team()).await.unwrap();
    let began = tokio::time::Instant::now();
    let stuck = object(&with(&json!({ "url": "https://stuck" })));
    let status = refused(repos(&cluster).create(&PostParams::default(), &stuck).await);
    assert!(status.code == 500 && status.message.contains("stuck.repos.tests.evenkeel.dev"), "{}", status.message);
    assert_eq!(began.elapsed(), Duration::from_millis(1_800));
}
