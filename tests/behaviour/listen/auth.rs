//! Who may read the pages: users whose token the API server accepts, and who have the right to the path.

use std::time::Duration;

use evenkeel::Operator;
use evenkeel_testkit::{Cluster, Effect, Fault, eventually};
use evenkeel_tests::listener::listening;
use evenkeel_tests::logs::Logs;
use evenkeel_tests::test_env::{Running, SOON, Server, World};
use evenkeel_tests::widget::{Lab, definition, widget};
use k8s_openapi::api::authentication::v1::{TokenRequest, TokenRequestSpec};
use k8s_openapi::api::core::v1::ServiceAccount;
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding};
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube::{Api, Client};
use serde_json::json;

use super::*;

/// A token of the service account of this name, which is created.
async fn token(client: &Client, namespace: &str, name: &str) -> String {
    let accounts: Api<ServiceAccount> = Api::namespaced(client.clone(), namespace);
    let account = json!({ "apiVersion": "v1", "kind": "ServiceAccount", "metadata": { "name": name } });
    accounts.patch(name, &PatchParams::apply("tests"), &Patch::Apply(account)).await.unwrap();
    let request = TokenRequest { spec: Some(TokenRequestSpec::default()), ..TokenRequest::default() };
    let given = accounts.create_token_request(name, &PostParams::default(), &request).await.unwrap();
    given.status.unwrap().token.unwrap()
}

/// Lets the service account get these paths.
async fn allow(client: &Client, (namespace, name): (&str, &str), paths: &[&str]) {
    let params = PatchParams::apply("tests");
    let id = format!("{namespace}-{name}");
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": { "name": id },
        "rules": [{ "nonResourceURLs": paths, "verbs": ["get"] }],
    });
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": { "name": id },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": id },
        "subjects": [{ "kind": "ServiceAccount", "name": name, "namespace": namespace }],
    });
    let roles: Api<ClusterRole> = Api::all(client.clone());
    let bindings: Api<ClusterRoleBinding> = Api::all(client.clone());
    roles.patch(&id, &params, &Patch::Apply(role)).await.unwrap();
    bindings.patch(&id, &params, &Patch::Apply(binding)).await.unwrap();
}

async fn start(operator: Operator) -> (Running, SocketAddr) {
    let (operator, address) = listening(operator.listen_auth());
    let running = Running::start(operator);
    // The client of the operator is made after the listener.
    let asks = || async { (get_with(address, "/metrics", None).await.status == 401).then_some(()) };
    eventually(SOON, asks).await;
    (running, address)
}

/// A server that checks rights, and an operator on it.
async fn cluster() -> (World, Running, SocketAddr) {
    let world = World::within(Cluster::builder().rbac().start().await);
    world.install(&definition()).await;
    let (running, address) = start(world.prepare::<widget>(Lab::at("a"))).await;
    (world, running, address)
}

/// How many reviews of this resource the operator has sent.
fn reviews(world: &World, resource: &str) -> usize {
    world.cluster().log().filter(|entry| entry.resource == resource).len()
}

#[tokio::test]
async fn each_path_needs_its_own_right() {
    let (world, running, address) = cluster().await;
    let token = token(&world.client, "default", "prometheus").await;
    let answer = get_with(address, "/metrics", Some(&token)).await;
    let wanted = "system:serviceaccount:default:prometheus may not get /metrics; add a rule with `nonResourceURLs: [\"/metrics\"]`";
    assert!(answer.status == 403 && answer.body.starts_with(wanted), "{answer:?}");
    allow(&world.client, ("default", "prometheus"), &["/metrics"]).await;
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(10)).await;
    tokio::time::resume();
    let answer = get_with(address, "/metrics", Some(&token)).await;
    assert!(answer.status == 200 && answer.body.contains("workqueue_"), "{answer:?}");
    assert_eq!(get_with(address, "/debug/objects", Some(&token)).await.status, 403);
    running.stop().await.unwrap();
}

#[tokio::test]
async fn a_request_without_a_valid_token_is_not_authenticated() {
    let (world, running, address) = cluster().await;
    let before = reviews(&world, "tokenreviews");
    let answer = get_with(address, "/metrics", None).await;
    assert!(answer.status == 401 && answer.head.to_lowercase().contains("www-authenticate: bearer"), "{answer:?}");
    assert_eq!(reviews(&world, "tokenreviews"), before, "nothing is asked without a token");
    let answer = get_with(address, "/metrics", Some("junk")).await;
    assert!(answer.status == 401 && answer.body.starts_with("the API server does not accept the token"), "{answer:?}");
    for path in ["/healthz", "/readyz"] {
        assert_eq!(get_with(address, path, None).await.status, 200, "{path}");
    }
    running.stop().await.unwrap();
}

#[tokio::test]
async fn answers_of_the_api_server_count_for_ten_seconds() {
    let (world, running, address) = cluster().await;
    let token = token(&world.client, "default", "prometheus").await;
    allow(&world.client, ("default", "prometheus"), &["/metrics"]).await;
    for _ in 0..5 {
        assert_eq!(get_with(address, "/metrics", Some(&token)).await.status, 200);
    }
    assert_eq!((reviews(&world, "tokenreviews"), reviews(&world, "subjectaccessreviews")), (1, 1));
    let accounts: Api<ServiceAccount> = Api::default_namespaced(world.client.clone());
    accounts.delete("prometheus", &DeleteParams::default()).await.unwrap();
    assert_eq!(get_with(address, "/metrics", Some(&token)).await.status, 200, "the answer is still recent");
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(10)).await;
    tokio::time::resume();
    assert_eq!(get_with(address, "/metrics", Some(&token)).await.status, 401);
    running.stop().await.unwrap();
}

#[tokio::test]
async fn no_page_and_no_log_line_has_a_token() {
    let (logs, _guard) = Logs::capture();
    let (world, running, address) = cluster().await;
    let valid = token(&world.client, "default", "prometheus").await;
    for token in [&*valid, "secret-junk"] {
        for fault in [true, false] {
            if fault {
                world.cluster().faults().add(Fault::new(Effect::Internal).resource("tokenreviews"));
            }
            let answer = get_with(address, "/metrics", Some(token)).await;
            assert!(answer.status != 200 && !answer.body.contains(token) && !answer.head.contains(token), "{answer:?}");
            assert_eq!(answer.status == 503, fault, "{answer:?}");
        }
        assert_eq!(logs.with(&[token]), [""; 0]);
    }
    assert_eq!(logs.with(&["could not be checked", "tokenreviews"]).len(), 2);
    running.stop().await.unwrap();
}

/// The rights are printed only for an operator that asks for tokens.
#[tokio::test]
async fn the_role_has_the_reviews_only_if_asked_for() {
    let reviews = |operator: &Operator| {
        let rules = operator.rbac_rules();
        rules
            .into_iter()
            .filter(|rule| rule.resource.ends_with("reviews"))
            .map(|rule| rule.resource)
            .collect::<Vec<_>>()
    };
    let operator = || Operator::new("shop").reconciler::<widget>(Lab::at("a"));
    assert_eq!(reviews(&operator()), [""; 0]);
    assert_eq!(reviews(&operator().listen_auth()), ["tokenreviews", "subjectaccessreviews"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_real_server_checks_tokens() {
    let Some(world) = World::on(Server::Full).await else { return };
    world.install(&definition()).await;
    let (running, address) = start(world.prepare::<widget>(Lab::at("a"))).await;
    assert_eq!(get_with(address, "/metrics", Some("junk")).await.status, 401);
    let given = token(&world.client, &world.namespace, "prometheus").await;
    allow(&world.client, (&world.namespace, "prometheus"), &["/metrics"]).await;
    let answers = || async { (get_with(address, "/metrics", Some(&given)).await.status == 200).then_some(()) };
    // The authorizer of the server sees the binding after a moment, and its refusal counts for 10 seconds.
    eventually(SOON * 2, answers).await;
    running.stop().await.unwrap();
    let id = format!("{}-prometheus", world.namespace);
    Api::<ClusterRole>::all(world.client.clone()).delete(&id, &DeleteParams::default()).await.unwrap();
    Api::<ClusterRoleBinding>::all(world.client.clone()).delete(&id, &DeleteParams::default()).await.unwrap();
    world.clean().await;
}

/// The libraries of Kubernetes 1.36 alone review no tokens.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_reviews_no_tokens_opens_no_page() {
    let Some(world) = World::on(Server::Modern).await else { return };
    world.install(&definition()).await;
    let (running, address) = start(world.prepare::<widget>(Lab::at("a"))).await;
    let answer = get_with(address, "/metrics", Some("junk")).await;
    assert!(answer.status == 503 && answer.body.starts_with("the API server could not check the token"), "{answer:?}");
    assert_eq!(get_with(address, "/healthz", None).await.status, 200);
    running.stop().await.unwrap();
    world.clean().await;
}
