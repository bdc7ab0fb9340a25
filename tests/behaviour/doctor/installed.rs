//! `doctor` of an operator with webhooks: the configurations, the bundle, the certificate and the Service.

use evenkeel::Operator;
use evenkeel::admission::WebhookTarget;
use evenkeel::prelude::*;
use evenkeel_testkit::Cluster;
use k8s_openapi::api::admissionregistration::v1::ValidatingWebhookConfiguration;
use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::api::discovery::v1::EndpointSlice;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Api;
use kube::api::{Patch, PatchParams};
use serde_json::json;

use super::examined;
use crate::conversion::kinds::{CRD, operator, v1};
use crate::conversion::policy::All;

#[validate]
fn has_an_address(repo: &v1::Repo, _cx: &mut Review) -> Result<(), Denial> {
    if repo.spec.url.0.is_empty() { Err(Denial::new("the URL is empty")) } else { Ok(()) }
}

fn reviewed(cluster: &Cluster) -> Operator {
    operator().rules::<All>().admission::<has_an_address>(()).client(cluster.client())
}

/// A cluster with the CRD and the webhook configuration, as the commands print them.
async fn applied() -> Cluster {
    let cluster = Cluster::start().await;
    cluster.seed(&operator().definitions()[0]).await.unwrap();
    let target = WebhookTarget::service("default", "converter-webhooks");
    let configurations = reviewed(&cluster).webhook_configurations(&target).unwrap();
    cluster.seed(&configurations.validating.unwrap()).await.unwrap();
    cluster
}

/// What is not well, as `level: text`.
async fn bad(cluster: &Cluster) -> Vec<String> {
    let (code, lines) = examined(reviewed(cluster)).await;
    let bad: Vec<String> =
        lines.into_iter().filter(|line| line.starts_with("fail") || line.starts_with("warn")).collect();
    assert_eq!(code, u8::from(bad.iter().any(|line| line.starts_with("fail"))));
    bad
}

/// The Secret as a replica writes it.
async fn secret(cluster: &Cluster, expires: &str) {
    let secret: Secret = serde_json::from_value(json!({
        "metadata": { "name": "converter-webhook", "namespace": "default", "annotations": {
            "evenkeel.dev/webhook-operator": "converter", "evenkeel.dev/webhook-expires": expires } },
        "stringData": { "tls.crt": "a certificate\n" },
    }))
    .unwrap();
    let params = PatchParams::apply("tests").force();
    let api = Api::<Secret>::namespaced(cluster.client(), "default");
    api.patch("converter-webhook", &params, &Patch::Apply(&secret)).await.unwrap();
}

/// Puts the text into all bundles.
async fn bundle(cluster: &Cluster, text: &str) {
    let bundle = k8s_openapi::ByteString(text.as_bytes().to_vec());
    let params = PatchParams::default();
    let configurations = Api::<ValidatingWebhookConfiguration>::all(cluster.client());
    let mut found = configurations.get("converter").await.unwrap();
    for webhook in found.webhooks.iter_mut().flatten() {
        webhook.client_config.ca_bundle = Some(bundle.clone());
    }
    configurations.replace("converter", &Default::default(), &found).await.unwrap();
    let patch = json!({ "spec": { "conversion": { "webhook": { "clientConfig": { "caBundle": bundle } } } } });
    Api::<CustomResourceDefinition>::all(cluster.client()).patch(CRD, &params, &Patch::Merge(patch)).await.unwrap();
}

#[tokio::test]
async fn what_is_missing_is_named_until_a_replica_has_started() {
    let cluster = applied().await;
    let no_replica =
        "fail: the Service default/converter-webhooks has no replica, so each call of the API server fails";
    let wanted = [
        "warn: the conversion of repos.convert.tests.evenkeel.dev has no `caBundle`, so requests in other versions fail",
        no_replica,
        "warn: the Secret default/converter-webhook with the certificate does not exist",
        "warn: a webhook of the ValidatingWebhookConfiguration converter has no `caBundle`, so its calls fail",
    ];
    assert_eq!(bad(&cluster).await, wanted);
    secret(&cluster, "2999-01-01T00:00:00Z").await;
    bundle(&cluster, "a foreign one\n").await;
    let differs = "warn: the `caBundle` of the ValidatingWebhookConfiguration converter does not contain the certificate of the Secret";
    assert_eq!(bad(&cluster).await, [no_replica, differs]);
    bundle(&cluster, "an older one\na certificate\n").await;
    let slice: EndpointSlice = serde_json::from_value(json!({
        "metadata": { "name": "a", "namespace": "default", "labels": { "kubernetes.io/service-name": "converter-webhooks" } },
        "addressType": "IPv4",
        "endpoints": [{ "addresses": ["192.0.2.1"], "conditions": { "ready": false } }],
    }))
    .unwrap();
    cluster.seed(&slice).await.unwrap();
    assert_eq!(bad(&cluster).await, [no_replica]);
    let patch = json!({ "endpoints": [{ "addresses": ["192.0.2.1"], "conditions": { "ready": true } }] });
    let slices = Api::<EndpointSlice>::namespaced(cluster.client(), "default");
    slices.patch("a", &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
    assert_eq!(bad(&cluster).await, [] as [&str; 0]);
}

#[tokio::test]
async fn a_certificate_that_was_not_renewed_fails() {
    let cluster = applied().await;
    secret(&cluster, "2020-01-01T00:00:00Z").await;
    let ends = "fail: the certificate of the Secret default/converter-webhook ends at 2020-01-01T00:00:00Z";
    assert!(bad(&cluster).await.iter().any(|line| line == ends));
}

#[tokio::test]
async fn a_configuration_that_is_not_installed_fails() {
    let cluster = Cluster::start().await;
    cluster.seed(&operator().definitions()[0]).await.unwrap();
    let missing = "fail: the ValidatingWebhookConfiguration converter is not installed, so no write is reviewed";
    assert!(bad(&cluster).await.iter().any(|line| line == missing));
}

#[tokio::test]
async fn an_operator_without_webhooks_is_not_asked_for_them() {
    let cluster = Cluster::start().await;
    let alone = Operator::new("converter").reconciler::<crate::conversion::kinds::repo>(());
    cluster.seed(&alone.definitions()[0]).await.unwrap();
    let (code, lines) = examined(alone.client(cluster.client())).await;
    assert!(code == 0 && !lines.iter().any(|line| line.contains("ebhook")), "{lines:?}");
}
