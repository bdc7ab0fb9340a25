//! The metrics of reviews.

use evenkeel::prelude::*;
use evenkeel_testkit::Cluster;
use evenkeel_tests::listener::{listening, samples};
use evenkeel_tests::test_env::Running;
use kube::CustomResourceExt;
use serde_json::json;

use super::kinds::{Repo, operator, web, with};
use super::review::{create, post, update};

#[validate]
fn counted(repo: &Repo) -> Result<(), Denial> {
    match &*repo.spec.owner_team {
        "panic" => panic!("on purpose"),
        "refused" => Err(Denial::new("no")),
        _ => Ok(()),
    }
}

#[mutate]
fn shortened(repo: &mut Repo) -> Result<(), Denial> {
    repo.spec.paths.truncate(1);
    Ok(())
}

#[tokio::test]
async fn reviews_are_counted_by_function_and_result() {
    let cluster = Cluster::start().await;
    cluster.seed(&Repo::crd()).await.unwrap();
    let (operator, address) = listening(operator::<counted>().admission::<shortened>(()).client(cluster.client()));
    let service = operator.admission_service().unwrap();
    let running = Running::start(operator);
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    for team in ["a", "b", "refused", "panic"] {
        post(&service, "/admit/counted", &create(&with(&json!({ "ownerTeam": team })))).await;
    }
    post(&service, "/admit/counted", &update(&web(), &web())).await;
    post(&service, "/admit/counted", &create(&with(&json!({ "every": "x" })))).await;
    let paths = json!({ "paths": [{ "storedAs": "a" }, { "storedAs": "b" }] });
    post(&service, "/admit/mutate-repos.v1.tests.evenkeel.dev", &create(&with(&paths))).await;
    let samples = samples(address).await;
    let of = |result: &str| {
        samples[&format!("evenkeel_admission_reviews_total{{function=\"counted\",result=\"{result}\"}}")]
    };
    let counts = ["allowed", "denied", "panic", "unchanged", "undecodable", "timeout", "unavailable"].map(of);
    assert_eq!(counts, [2.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0]);
    assert_eq!(samples["evenkeel_admission_review_duration_seconds_count{function=\"counted\"}"], 4.0);
    assert_eq!(samples["evenkeel_admission_replaced_lists_total{function=\"shortened\"}"], 1.0);
    running.stop().await.unwrap();
}
