//! Who may call a route.

use std::time::Duration;

use evenkeel::Operator;
use evenkeel::prelude::*;
use evenkeel_testkit::{Effect, Fault};
use evenkeel_tests::logs::Logs;
use http::Method;
use k8s_openapi::api::core::v1::ServiceAccount;
use kube::Api;
use kube::api::DeleteParams;

use super::client::{AUDIENCE, Served, allow, cluster, path, serve, token};
use crate::admission::kinds::{Repo, repo};

#[route(get, "/url", of = Repo)]
async fn url(repo: &Repo) -> Reply {
    Reply::text(&repo.spec.url)
}

async fn served(cluster: &evenkeel_testkit::Cluster) -> Served {
    let client = cluster.client();
    let operator = Operator::new("routes").client(client.clone()).reconciler::<repo>(()).routes::<(url,)>(());
    serve(operator, "routes", &client).await
}

/// How many reviews of this resource the operator has sent.
fn reviews(cluster: &evenkeel_testkit::Cluster, resource: &str) -> usize {
    cluster.log().filter(|entry| entry.resource == resource).len()
}

#[tokio::test]
async fn a_request_without_a_token_is_not_authenticated() {
    let cluster = cluster().await;
    let mut served = served(&cluster).await;
    let answer = served.get(&path("web", "/url")).await;
    assert_eq!((answer.status, answer.headers["www-authenticate"].to_str().unwrap()), (401, "Bearer"));
    assert_eq!(answer.json()["reason"], "Unauthorized");
    let message = answer.message();
    assert!(
        message.starts_with("the request has no bearer token: ") && message.contains("--audience repo-operator"),
        "{message}"
    );
    for value in ["Basic eDp5", "Bearer", "Bearer  "] {
        let answer = served.send(Method::GET, &path("web", "/url"), &[("authorization", value)], Vec::new()).await;
        assert_eq!(answer.status, 401, "{value}");
    }
    assert_eq!(reviews(&cluster, "tokenreviews"), 0, "nothing is asked without a token");
    served.token = Some("junk".to_owned());
    let answer = served.get(&path("web", "/url")).await;
    assert!(answer.status == 401 && answer.message().starts_with("the token is not valid: "), "{answer:?}");
    served.running.crash().await;
}

#[tokio::test]
async fn a_token_for_another_audience_is_not_accepted() {
    let cluster = cluster().await;
    let mut served = served(&cluster).await;
    allow(&cluster.client(), "robot", &["get"], "url").await;
    for audience in ["https://kubernetes.default.svc", "vault"] {
        served.token = Some(token(&cluster.client(), "robot", audience).await);
        assert_eq!(served.get(&path("web", "/url")).await.status, 401, "{audience}");
    }
    served.token = Some(token(&cluster.client(), "robot", AUDIENCE).await);
    assert_eq!(served.get(&path("web", "/url")).await.status, 200);
    served.running.crash().await;
}

#[tokio::test]
async fn a_user_without_the_right_is_forbidden() {
    let cluster = cluster().await;
    let mut served = served(&cluster).await;
    served.token = Some(token(&cluster.client(), "robot", AUDIENCE).await);
    // Neither the object itself nor another subresource is enough.
    allow(&cluster.client(), "robot", &["get"], "other").await;
    let answer = served.get(&path("web", "/url")).await;
    assert_eq!((answer.status, answer.json()["reason"].as_str()), (403, Some("Forbidden")));
    let wanted = "repos.tests.evenkeel.dev \"web\" is forbidden: User \"system:serviceaccount:default:robot\" cannot get resource \"repos/url\" in API group \"tests.evenkeel.dev\" in the namespace \"default\"";
    assert_eq!(answer.message(), wanted);
    // An object that does not exist is forbidden, too: its absence is no information for this user.
    assert_eq!(served.get(&path("absent", "/url")).await.status, 403);
    served.running.crash().await;
}

#[tokio::test]
async fn answers_of_the_api_server_count_for_ten_seconds() {
    let cluster = cluster().await;
    let mut served = served(&cluster).await;
    allow(&cluster.client(), "robot", &["get"], "url").await;
    served.token = Some(token(&cluster.client(), "robot", AUDIENCE).await);
    for _ in 0..5 {
        assert_eq!(served.get(&path("web", "/url")).await.status, 200);
    }
    assert_eq!((reviews(&cluster, "tokenreviews"), reviews(&cluster, "subjectaccessreviews")), (1, 1));
    let accounts: Api<ServiceAccount> = Api::default_namespaced(cluster.client());
    accounts.delete("robot", &DeleteParams::default()).await.unwrap();
    assert_eq!(served.get(&path("web", "/url")).await.status, 200, "the answer is still recent");
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(10)).await;
    tokio::time::resume();
    assert_eq!(served.get(&path("web", "/url")).await.status, 401);
    served.running.crash().await;
}

#[tokio::test]
async fn without_an_answer_of_the_api_server_the_route_is_unavailable() {
    let cluster = cluster().await;
    let mut served = served(&cluster).await;
    allow(&cluster.client(), "robot", &["get"], "url").await;
    served.token = Some(token(&cluster.client(), "robot", AUDIENCE).await);
    for (resource, wanted) in [
        ("tokenreviews", "the token cannot be checked: "),
        ("subjectaccessreviews", "the right of the user cannot be checked: "),
    ] {
        let fault = Fault::new(Effect::Internal).resource(resource).always();
        cluster.faults().add(fault);
        let answer = served.get(&path("web", "/url")).await;
        assert_eq!((answer.status, answer.json()["reason"].as_str()), (503, Some("ServiceUnavailable")));
        assert!(answer.message().starts_with(wanted), "{}", answer.message());
        cluster.faults().clear();
    }
    assert_eq!(served.get(&path("web", "/url")).await.status, 200, "a failure is not stored");
    served.running.crash().await;
}

#[tokio::test]
async fn no_log_line_has_a_token() {
    let (logs, _guard) = Logs::capture();
    let cluster = cluster().await;
    let mut served = served(&cluster).await;
    let valid = token(&cluster.client(), "robot", AUDIENCE).await;
    for token in [valid, "secret-junk".to_owned()] {
        served.token = Some(token.clone());
        let fault = Fault::new(Effect::Internal).resource("tokenreviews");
        cluster.faults().add(fault);
        served.get(&path("web", "/url")).await;
        let answer = served.get(&path("web", "/url")).await;
        assert!(!answer.text().contains(&token), "{answer:?}");
        assert_eq!((logs.with(&[&token]), logs.with(&["Bearer"])), (vec![], vec![]));
    }
    assert_eq!(logs.with(&["the token cannot be checked"]).len(), 2, "the log is captured");
    served.running.crash().await;
}
