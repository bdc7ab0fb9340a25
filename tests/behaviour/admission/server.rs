//! The webhook server: API servers call the operator over TLS, with the certificate that it makes for itself.

use std::net::TcpListener;

use evenkeel::admission::WebhookTarget;
use evenkeel::introspection::Roles;
use evenkeel::prelude::*;
use evenkeel::{Operator, WebhookServer};
use evenkeel_testkit::{Cluster, eventually};
use evenkeel_tests::listener::{get, listening, samples};
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{Running, SOON, World};
use k8s_openapi::api::admissionregistration::v1::{MutatingWebhookConfiguration, ValidatingWebhookConfiguration};
use k8s_openapi::api::core::v1::{Namespace, Secret};
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube::{Api, Client, CustomResourceExt, ResourceExt};
use serde_json::json;

use super::kinds::{Login, Repo, repo, with};

on_each_server!(the_api_server_calls_the_operator_over_tls, two_replicas_have_one_certificate);

#[validate]
fn https_only(repo: &Repo, cx: &mut Review) -> Result<(), Denial> {
    if repo.spec.url.starts_with("http:") {
        cx.deny(field!(spec.url), "use https");
    }
    Ok(())
}

#[mutate(on(create))]
fn robot(repo: &mut Repo) -> Result<(), Denial> {
    repo.spec.login = Some(Login { user_name: "robot".into() });
    Ok(())
}

/// An operator of this name with a server on loopback, and the URL at which it is called.
pub(super) fn replica(client: Client, name: &str, namespace: &str) -> (Operator, WebhookTarget) {
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let target = WebhookTarget::url(format!("https://{}", socket.local_addr().unwrap()));
    let operator = Operator::new(name)
        .client(client)
        .namespaces([namespace])
        .reconciler::<repo>(())
        .admission::<(https_only, robot)>(())
        .webhooks(WebhookServer::on(socket).target(target.clone()));
    (operator, target)
}

/// Creates the configurations that the operator prints.
pub(super) async fn configure(world: &World, operator: &Operator, target: &WebhookTarget) {
    // Servers before 1.21 do not set the label by which the configurations select the namespace.
    let label = json!({ "metadata": { "labels": { "kubernetes.io/metadata.name": world.namespace } } });
    let namespaces: Api<Namespace> = Api::all(world.client.clone());
    namespaces.patch(&world.namespace, &PatchParams::default(), &Patch::Merge(label)).await.unwrap();
    let configurations = operator.webhook_configurations(target).unwrap();
    let (mutating, validating) = (configurations.mutating.unwrap(), configurations.validating.unwrap());
    Api::all(world.client.clone()).create(&PostParams::default(), &mutating).await.unwrap();
    Api::all(world.client.clone()).create(&PostParams::default(), &validating).await.unwrap();
}

pub(super) async fn remove(world: &World, name: &str) {
    let (mutating, validating) = (Api::all(world.client.clone()), Api::all(world.client.clone()));
    Api::<MutatingWebhookConfiguration>::delete(&mutating, name, &DeleteParams::default()).await.unwrap();
    Api::<ValidatingWebhookConfiguration>::delete(&validating, name, &DeleteParams::default()).await.unwrap();
}

fn object(name: &str, url: &str) -> Repo {
    let mut object = with(&json!({ "url": url }));
    object["metadata"] = json!({ "name": name });
    serde_json::from_value(object).unwrap()
}

/// Waits until API servers use the bundle. Until then, writes fail.
pub(super) async fn called(repos: &Api<Repo>) {
    let dry = PostParams { dry_run: true, ..PostParams::default() };
    let reviewed = || async {
        let stored = repos.create(&dry, &object("probe", "https://a")).await.ok()?;
        let is_refused = repos.create(&dry, &object("probe", "http://a")).await.is_err();
        (stored.spec.login.is_some() && is_refused).then_some(())
    };
    eventually(SOON, reviewed).await;
}

async fn the_api_server_calls_the_operator_over_tls(world: World) -> World {
    world.install(&Repo::crd()).await;
    let name = format!("reviewer-{}", world.namespace);
    let (operator, target) = replica(world.client.clone(), &name, &world.namespace);
    configure(&world, &operator, &target).await;
    let running = Running::start(operator);
    let repos: Api<Repo> = Api::namespaced(world.client.clone(), &world.namespace);
    called(&repos).await;
    let stored = repos.create(&PostParams::default(), &object("a", "https://a")).await.unwrap();
    assert_eq!(stored.spec.login.unwrap().user_name, "robot");
    let status = match repos.create(&PostParams::default(), &object("b", "http://b")).await {
        Err(kube::Error::Api(status)) => status,
        other => panic!("{other:?}"),
    };
    assert_eq!((status.code, &*status.reason), (422, "Invalid"));
    let causes = status.details.unwrap().causes;
    assert_eq!((&*causes[0].field, &*causes[0].message), ("spec.url", "use https"));
    running.crash().await;
    remove(&world, &name).await;
    world
}

async fn two_replicas_have_one_certificate(world: World) -> World {
    world.install(&Repo::crd()).await;
    let name = format!("reviewer-{}", world.namespace);
    let (first, target) = replica(world.client.clone(), &name, &world.namespace);
    configure(&world, &first, &target).await;
    let first = Running::start(first);
    let repos: Api<Repo> = Api::namespaced(world.client.clone(), &world.namespace);
    called(&repos).await;
    let secrets: Api<Secret> = Api::namespaced(world.client.clone(), &world.namespace);
    let secret = || async {
        let all = secrets.list(&kube::api::ListParams::default()).await.unwrap();
        all.items.into_iter().find(|secret| secret.name_any() == format!("{name}-webhook"))
    };
    let before = secret().await;
    // The second replica is called instead of the first one, with the certificate of the first.
    let (second, other) = replica(world.client.clone(), &name, &world.namespace);
    remove(&world, &name).await;
    configure(&world, &second, &other).await;
    let second = Running::start(second);
    called(&repos).await;
    let after = secret().await;
    assert_eq!(after.and_then(|secret| secret.data), before.and_then(|secret| secret.data));
    for replica in [first, second] {
        replica.crash().await;
    }
    remove(&world, &name).await;
    world
}

async fn cluster() -> Cluster {
    let cluster = Cluster::start().await;
    cluster.seed(&Repo::crd()).await.unwrap();
    cluster
}

#[tokio::test]
async fn a_server_is_ready_before_the_first_list() {
    let cluster = cluster().await;
    let slow = evenkeel_testkit::Fault::new(evenkeel_testkit::Effect::Hang).resource("repos").always();
    cluster.faults().add(slow);
    let (operator, _) = replica(cluster.client(), "reviewer", "default");
    let (operator, address) = listening(operator);
    let running = Running::start(operator);
    let ready = || async {
        let answer = get(address, "/readyz").await;
        (answer.status == 200).then_some(answer.body)
    };
    let text = eventually(SOON, ready).await;
    assert!(text.contains("[+]webhooks ok") && text.contains("not listed yet"), "{text}");
    let samples = samples(address).await;
    let expires = samples["evenkeel_webhook_certificate_expiration_timestamp_seconds"];
    let days = (expires - jiff::Timestamp::now().as_second() as f64) / 86_400.0;
    assert!((89.0..91.0).contains(&days), "{days}");
    assert_eq!(samples["evenkeel_webhook_bundle_writes_total"], 0.0);
    running.crash().await;
}

/// Gives roles to the service account of the operator.
async fn grant(cluster: &Cluster, roles: &Roles) {
    let (cluster_binding, bindings) = roles.bindings("default", "reviewer");
    if let Some((role, binding)) = roles.cluster_role.as_ref().zip(cluster_binding) {
        cluster.seed(role).await.unwrap();
        cluster.seed(&binding).await.unwrap();
    }
    for (role, binding) in roles.roles.iter().zip(bindings) {
        cluster.seed(role).await.unwrap();
        cluster.seed(&binding).await.unwrap();
    }
}

#[tokio::test]
async fn a_server_without_rights_is_not_ready_and_names_the_right() {
    let cluster = Cluster::builder().rbac().start().await;
    cluster.seed(&Repo::crd()).await.unwrap();
    let client = cluster.client_as("system:serviceaccount:default:reviewer");
    let (operator, _) = replica(client, "reviewer", "default");
    grant(&cluster, &operator.roles()).await;
    let (operator, address) = listening(operator);
    let running = Running::start(operator);
    let failed = || async {
        let answer = get(address, "/readyz").await;
        (answer.status == 503 && answer.body.contains("cannot get resource")).then_some(answer.body)
    };
    let text = eventually(SOON, failed).await;
    assert!(text.contains("secrets \"reviewer-webhook\" is forbidden"), "{text}");
    running.crash().await;
}

#[tokio::test]
async fn an_address_in_use_is_refused_at_the_start() {
    let cluster = cluster().await;
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let server = WebhookServer::at(taken.local_addr().unwrap());
    let operator = Operator::new("reviewer").client(cluster.client()).reconciler::<repo>(()).webhooks(server);
    let error = operator.run_until(std::future::pending()).await.unwrap_err().to_string();
    assert!(error.contains("the webhook server cannot listen on 127.0.0.1") && error.contains("--webhooks"), "{error}");
}

#[tokio::test]
async fn files_that_are_missing_are_refused_at_the_start() {
    let cluster = cluster().await;
    let server = WebhookServer::at(([127, 0, 0, 1], 0)).certificate_files("/nowhere");
    let operator = Operator::new("reviewer").client(cluster.client()).reconciler::<repo>(()).webhooks(server);
    let error = operator.run_until(std::future::pending()).await.unwrap_err().to_string();
    assert!(error.contains("/nowhere/tls.crt cannot be read") && error.contains("--webhook-certs"), "{error}");
}

/// The rights that `webhooks` prints are all that the server needs.
#[tokio::test]
async fn the_printed_roles_are_enough() {
    let cluster = Cluster::builder().rbac().start().await;
    cluster.seed(&Repo::crd()).await.unwrap();
    let (operator, target) =
        replica(cluster.client_as("system:serviceaccount:default:reviewer"), "reviewer", "default");
    grant(&cluster, &operator.roles()).await;
    grant(&cluster, &operator.webhook_roles("default")).await;
    let configurations = operator.webhook_configurations(&target).unwrap();
    cluster.seed(&configurations.validating.unwrap()).await.unwrap();
    cluster.seed(&configurations.mutating.unwrap()).await.unwrap();
    let running = Running::start(operator);
    let repos: Api<Repo> = Api::namespaced(cluster.client(), "default");
    called(&repos).await;
    let denied = cluster.log().filter(|entry| entry.code == 403);
    assert!(denied.is_empty(), "{denied:?}");
    running.crash().await;
}
