//! The alerts about webhooks and conversions.

use std::net::TcpListener;
use std::time::Duration;

use axum::body::Body;
use evenkeel::admission::WebhookTarget;
use evenkeel::{Operator, WebhookServer};
use evenkeel_testkit::{Cluster, Effect, Fault, Verb, eventually};
use evenkeel_tests::listener::{listening, samples};
use evenkeel_tests::test_env::{Running, SOON};
use http::Request;
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::admissionregistration::v1::ValidatingWebhookConfiguration;
use k8s_openapi::api::core::v1::Secret;
use kube::Api;
use kube::api::{Patch, PatchParams};
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::kinds::{OPERATOR, cluster_with_versions, raw, webhooks};
use crate::promtool::fire;
use crate::recording::Recording;

/// The Secret with the certificate.
const SECRET: &str = "task-operator-webhook";
const EXPIRES: &str = "evenkeel_webhook_certificate_expiration_timestamp_seconds";

/// The operator with a server on loopback, which makes its certificate unless there are files, and the place of the server.
pub fn serving(cluster: &Cluster, change: impl FnOnce(WebhookServer) -> WebhookServer) -> (Operator, WebhookTarget) {
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let target = WebhookTarget::url(format!("https://{}", socket.local_addr().unwrap()));
    let server = change(WebhookServer::on(socket).target(target.clone()));
    (webhooks(cluster).namespaces(["default"]).webhooks(server), target)
}

/// Prometheus evaluates tests from the epoch on, so the time of the certificate counts from now, too.
fn since_now(recording: &mut Recording) {
    let now = Timestamp::now().as_second() as f64;
    let expires = recording.0.iter_mut().flatten().filter_map(|scrape| scrape.get_mut(EXPIRES));
    expires.for_each(|expires| *expires -= now);
}

/// The metrics of an operator that cannot renew its certificate, which expires in this many days, for 90 minutes.
async fn with_a_certificate_for(days: i64, expected: &[&str]) {
    let cluster = cluster_with_versions().await;
    let (operator, _) = serving(&cluster, |server| server);
    let alerts = operator.alert_set();
    let (operator, address) = listening(operator);
    let running = Running::start(operator);
    let expiry = || async { samples(address).await.get(EXPIRES).copied() };
    let first = eventually(SOON, expiry).await;
    for verb in [Verb::Update, Verb::Patch] {
        cluster.faults().add(Fault::new(Effect::Forbidden).resource("secrets").caller(OPERATOR).verb(verb).always());
    }
    let time = Timestamp::now() + SignedDuration::from_hours(24 * days);
    let patch = json!({ "metadata": { "annotations": { "evenkeel.dev/webhook-expires": time.to_string() } } });
    let secrets: Api<Secret> = Api::namespaced(cluster.client(), "default");
    secrets.patch(SECRET, &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
    let is_read = || async { Some(samples(address).await).filter(|scrape| scrape[EXPIRES] != first) };
    let mut recording = Recording(vec![Some(eventually(SOON, is_read).await)]);
    running.crash().await;
    since_now(&mut recording);
    recording.stays_for(90);
    fire(&alerts, &[&recording], 30, &[]);
    fire(&alerts, &[&recording], 89, expected);
}

#[tokio::test]
async fn a_certificate_that_is_not_renewed_expires_soon() {
    with_a_certificate_for(5, &["CertificateSoon"]).await;
}

/// The folder of a mounted certificate, which expires in this many days.
fn mounted(days: i64) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut params = rcgen::CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
    let end = Timestamp::now() + SignedDuration::from_hours(24 * days);
    params.not_after = rcgen::date_time_ymd(1970, 1, 1) + Duration::from_secs(end.as_second().try_into().unwrap());
    let key = rcgen::KeyPair::generate().unwrap();
    std::fs::write(folder.path().join("tls.crt"), params.self_signed(&key).unwrap().pem()).unwrap();
    std::fs::write(folder.path().join("tls.key"), key.serialize_pem()).unwrap();
    folder
}

#[tokio::test]
async fn a_mounted_certificate_that_is_not_renewed_expires_soon() {
    for (days, expected) in [(5, &["CertificateSoon"][..]), (40, &[])] {
        let (cluster, folder) = (cluster_with_versions().await, mounted(days));
        let (operator, _) = serving(&cluster, |server| server.certificate_files(folder.path()));
        let alerts = operator.alert_set();
        let (operator, address) = listening(operator);
        let running = Running::start(operator);
        let scrape = || async { Some(samples(address).await).filter(|scrape| scrape.contains_key(EXPIRES)) };
        let mut recording = Recording(vec![Some(eventually(SOON, scrape).await)]);
        running.crash().await;
        since_now(&mut recording);
        recording.stays_for(90);
        fire(&alerts, &[&recording], 30, &[]);
        fire(&alerts, &[&recording], 89, expected);
    }
}

#[tokio::test]
async fn a_certificate_with_time_left_is_well() {
    with_a_certificate_for(40, &[]).await;
}

#[tokio::test(start_paused = true)]
async fn a_program_that_removes_the_bundle_is_reported() {
    let cluster = cluster_with_versions().await;
    let (operator, target) = serving(&cluster, |server| server);
    let configuration = operator.webhook_configurations(&target).unwrap().validating.unwrap();
    cluster.seed(&configuration).await.unwrap();
    let alerts = operator.alert_set();
    let (operator, address) = listening(operator);
    let mut recording = Recording(Vec::new());
    let running = Running::start(operator);
    let configurations: Api<ValidatingWebhookConfiguration> = Api::all(cluster.client());
    let bundle = |object: &ValidatingWebhookConfiguration| {
        object.webhooks.as_ref().and_then(|all| all[0].client_config.ca_bundle.clone())
    };
    for _ in 0..9 {
        let is_there = || async { bundle(&configurations.get(OPERATOR).await.unwrap()) };
        eventually(Duration::from_secs(1200), is_there).await;
        // The count rises after the write.
        tokio::time::sleep(Duration::from_millis(50)).await;
        recording.0.push(Some(samples(address).await));
        let patch = json!([{ "op": "remove", "path": "/webhooks/0/clientConfig/caBundle" }]);
        let patch = Patch::Json::<()>(serde_json::from_value(patch).unwrap());
        configurations.patch(OPERATOR, &PatchParams::default(), &patch).await.unwrap();
    }
    running.crash().await;
    since_now(&mut recording);
    fire(&alerts, &[&recording], 1, &[]);
    fire(&alerts, &[&recording], 4, &["BundleRepairs"]);
}

/// Sends a review as an API server does.
async fn post<S>(service: &S, path: &str, review: &Value)
where
    S: tower::Service<Request<Body>, Response: Send, Error: std::fmt::Debug> + Clone,
{
    let request = Request::post(path).header("content-type", "application/json").body(Body::from(review.to_string()));
    service.clone().oneshot(request.unwrap()).await.unwrap();
}

/// A review of a new task with this end.
pub fn review(end: &str) -> Value {
    let group = "monitoring.evenkeel.dev";
    json!({
        "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
        "request": {
            "uid": "705ab4f5", "kind": { "group": group, "version": "v1", "kind": "Task" },
            "resource": { "group": group, "version": "v1", "resource": "tasks" },
            "name": "a", "namespace": "default", "operation": "CREATE", "userInfo": { "username": "ann" },
            "object": raw("a", "v1", &json!({ "end": end })), "oldObject": null, "dryRun": false, "options": null,
        },
    })
}

/// A conversion of a task with this result to the stored version.
pub fn conversion(result: &str) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
        "request": {
            "uid": "705ab4f5", "desiredAPIVersion": "monitoring.evenkeel.dev/v1",
            "objects": [raw("a", "v1beta1", &json!({ "result": result }))],
        },
    })
}

/// Reviews one write and converts one object, and checks what fires.
async fn answered(end: &str, result: &str, expected: &[&str]) {
    let cluster = cluster_with_versions().await;
    let operator = webhooks(&cluster);
    let alerts = operator.alert_set();
    let (reviews, conversions) = (operator.admission_service().unwrap(), operator.conversion_service().unwrap());
    let (operator, address) = listening(operator);
    let running = Running::start(operator);
    tokio::time::sleep(Duration::from_millis(500)).await;
    let mut recording = Recording(vec![Some(samples(address).await)]);
    recording.stays_for(1);
    post(&reviews, "/admit/sensible", &review(end)).await;
    post(&conversions, "/convert/tasks.monitoring.evenkeel.dev", &conversion(result)).await;
    recording.0.push(Some(samples(address).await));
    recording.stays_for(4);
    running.crash().await;
    fire(&alerts, &[&recording], 1, &[]);
    fire(&alerts, &[&recording], 4, expected);
}

#[tokio::test]
async fn reviews_and_conversions_that_succeed_are_well() {
    answered("done", "done", &[]).await;
}

#[tokio::test]
async fn a_review_that_panics_is_failing() {
    answered("panic", "done", &["ReviewsFailing"]).await;
}

#[tokio::test]
async fn a_conversion_that_panics_is_failing() {
    answered("done", "panic", &["ConversionsFailing"]).await;
}
