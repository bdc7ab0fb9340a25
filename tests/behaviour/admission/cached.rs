//! Reads of a review: from a cache that has the object, otherwise from the API server.

use std::time::Duration;

use evenkeel::prelude::*;
use evenkeel::{Operator, admission::AdmissionService};
use evenkeel_testkit::{Cluster, Verb};
use evenkeel_tests::test_env::Running;
use k8s_openapi::api::core::v1::Namespace;
use kube::CustomResourceExt;
use serde_json::{Value, json};

use super::kinds::{Repo, Team, repo, web, with};
use super::review::{create, post};

#[validate(reads(Team))]
async fn live(repo: &Repo, cx: &mut Review) -> Result<(), Denial> {
    match cx.get::<Team>(&repo.spec.owner_team).await? {
        Some(team) if !team.spec.full => Ok(()),
        Some(_) => Err(Denial::new("full")),
        None => Err(Denial::new("none")),
    }
}

#[validate(watches(Team, labels = "kept=yes"))]
async fn cached(repo: &Repo, cx: &mut Review) -> Result<(), Denial> {
    match cx.get::<Team>(&repo.spec.owner_team).await? {
        Some(_) => Ok(()),
        None => Err(Denial::new("none")),
    }
}

#[validate(anyway, reads(Team))]
async fn without_namespace(_: &Namespace, cx: &mut Review) -> Result<(), Denial> {
    cx.get::<Team>("a").await?;
    Ok(())
}

fn team(name: &str, kept: bool) -> Value {
    let labels = if kept { json!({ "kept": "yes" }) } else { json!({}) };
    json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Team",
        "metadata": { "name": name, "namespace": "team-a", "labels": labels }, "spec": {} })
}

async fn cluster() -> Cluster {
    let cluster = Cluster::start().await;
    for definition in [Repo::crd(), Team::crd()] {
        cluster.seed(&definition).await.unwrap();
    }
    cluster.seed(json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "team-a" } })).await.unwrap();
    cluster
}

fn operator(cluster: &Cluster) -> Operator {
    let operator = Operator::new("reviewer").client(cluster.client()).reconciler::<repo>(());
    operator.admission::<(live, cached, without_namespace)>(())
}

/// Whether the team of the repository is found, and how many requests read teams by name.
async fn found(service: &AdmissionService, cluster: &Cluster, function: &str, name: &str) -> (bool, usize) {
    let before = cluster.log().requests().verb(Verb::Get).resource("teams").count();
    let review = create(&with(&json!({ "ownerTeam": name })));
    let (_, body) = post(service, &format!("/admit/{function}"), &review).await;
    let after = cluster.log().requests().verb(Verb::Get).resource("teams").count();
    (body["response"]["allowed"].as_bool().expect("answered"), after - before)
}

#[tokio::test(start_paused = true)]
async fn before_the_operator_runs_all_reads_are_live() {
    let cluster = cluster().await;
    let service = operator(&cluster).admission_service().unwrap();
    cluster.seed(team("a", true)).await.unwrap();
    for function in ["live", "cached"] {
        assert_eq!(found(&service, &cluster, function, "a").await, (true, 1));
        assert_eq!(found(&service, &cluster, function, "b").await, (false, 1));
    }
}

#[tokio::test(start_paused = true)]
async fn a_cache_answers_only_with_what_it_has() {
    let cluster = cluster().await;
    cluster.seed(team("a", true)).await.unwrap();
    cluster.seed(team("unlabelled", false)).await.unwrap();
    let operator = operator(&cluster);
    let service = operator.admission_service().unwrap();
    let running = Running::start(operator);
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(found(&service, &cluster, "cached", "a").await, (true, 0));
    assert_eq!(found(&service, &cluster, "cached", "unlabelled").await, (true, 1), "a miss is read live");
    assert_eq!(found(&service, &cluster, "cached", "b").await, (false, 1));
    // It was created a moment ago, and the watch has not delivered it.
    cluster.seed(team("new", true)).await.unwrap();
    assert!(found(&service, &cluster, "cached", "new").await.0);
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_text_that_is_no_name_is_not_requested() {
    let cluster = cluster().await;
    let service = operator(&cluster).admission_service().unwrap();
    for name in ["", ".", "..", "../../secrets/x", "a/b", "a?watch=true", "a%2fb", "a b", "a#b", &"x".repeat(254)] {
        assert_eq!(found(&service, &cluster, "live", name).await, (false, 0), "{name}");
    }
    let calls = cluster.log().requests().filter(|entry| entry.line().contains("secrets")).count();
    assert_eq!(calls, 0);
}

#[tokio::test(start_paused = true)]
async fn a_namespaced_kind_has_no_namespace_in_the_review_of_a_cluster_scoped_one() {
    let cluster = cluster().await;
    let service = operator(&cluster).admission_service().unwrap();
    let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "x" } });
    let (code, status) = post(&service, "/admit/without_namespace", &create(&namespace)).await;
    assert_eq!(code, http::StatusCode::SERVICE_UNAVAILABLE);
    assert!(status["message"].as_str().unwrap().contains("Team is namespaced"), "{status}");
}

#[tokio::test(start_paused = true)]
async fn reads_are_in_the_rbac_rules() {
    let cluster = cluster().await;
    let rules = operator(&cluster).rbac_rules();
    let teams = rules.iter().find(|rule| rule.resource == "teams").unwrap();
    let verbs: Vec<_> = teams.verbs.iter().map(|verb| verb.as_str()).collect();
    assert_eq!((verbs, web()["kind"].as_str()), (vec!["get", "list", "watch"], Some("Repo")));
}
