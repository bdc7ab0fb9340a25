//! Admission webhooks that a service in the process answers.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::routing::post;
use axum::{Json, Router};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Pod};
use kube::api::{DeleteParams, EvictParams, Patch, PatchParams, PostParams};
use kube::{Api, Client};
use serde_json::{Value, json};

use super::{dynamic, widgets};
use crate::{Cluster, eventually};

const SOON: Duration = Duration::from_secs(5);

/// The requests of all reviews.
type Seen = Arc<Mutex<Vec<Value>>>;

/// Answers each review with what `decide` returns for its request.
fn service(decide: impl Fn(&Value) -> Value + Clone + Send + Sync + 'static) -> (Router, Seen) {
    let seen = Seen::default();
    let shared = Arc::clone(&seen);
    let answer = move |Json(review): Json<Value>| {
        let mut response = decide(&review["request"]);
        response["uid"] = review["request"]["uid"].clone();
        shared.lock().unwrap().push(review["request"].clone());
        async move { Json(json!({"apiVersion": review["apiVersion"], "kind": "AdmissionReview", "response": response})) }
    };
    (Router::new().route("/check", post(answer)), seen)
}

/// A configuration of one hook for all writes of a resource, with other fields.
fn configuration(resource: &str, other: &Value) -> Value {
    let mut hook = json!({
        "name": "check.ex.dev",
        "rules": [{"apiGroups": ["*"], "apiVersions": ["v1"], "operations": ["*"], "resources": [resource]}],
        "clientConfig": {"service": {"namespace": "default", "name": "checks", "path": "/check"}},
        "admissionReviewVersions": ["v1"], "sideEffects": "None",
    });
    for (field, value) in other.as_object().into_iter().flatten() {
        hook[field] = value.clone();
    }
    json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": "checks"}, "webhooks": [hook]})
}

async fn seed(cluster: &Cluster, object: &Value) {
    cluster.seed(object.to_string()).await.unwrap();
}

async fn create(client: Client, name: &str) -> kube::Result<ConfigMap> {
    let map = serde_json::from_value(json!({"metadata": {"name": name}})).unwrap();
    Api::namespaced(client, "default").create(&PostParams::default(), &map).await
}

fn message(result: kube::Result<ConfigMap>) -> String {
    match result {
        Err(kube::Error::Api(status)) => status.message.clone(),
        other => panic!("expected an error, found {other:?}"),
    }
}

#[tokio::test]
async fn a_service_without_an_answer_fails_the_call() {
    let cluster = Cluster::start().await;
    seed(&cluster, &configuration("configmaps", &json!({}))).await;
    let head = "Internal error occurred: failed calling webhook \"check.ex.dev\": failed to call webhook: Post \
                \"https://checks.default.svc:443/check?timeout=10s\": ";
    assert_eq!(message(create(cluster.client(), "a").await), format!("{head}service \"checks\" not found"));
    let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "checks"}, "spec": {"ports": [{"port": 443}]}});
    seed(&cluster, &service).await;
    let help = "no webhook is registered for default/checks; call Cluster::webhook_service";
    assert_eq!(message(create(cluster.client(), "a").await), format!("{head}{help}"));
    let panics = Router::new().fallback(|| async {
        if true {
            panic!("the webhook panics")
        }
    });
    cluster.webhook_service("default", "checks", panics);
    assert_eq!(message(create(cluster.client(), "a").await), format!("{head}EOF"));
    cluster.webhook_service("default", "checks", service_that_allows());
    create(cluster.client(), "a").await.unwrap();
    cluster.remove_webhook_service("default", "checks");
    assert_eq!(message(create(cluster.client(), "b").await), format!("{head}{help}"));
}

fn service_that_allows() -> Router {
    service(|_| json!({"allowed": true})).0
}

#[tokio::test(start_paused = true)]
async fn a_timeout_passes_in_virtual_time() {
    let cluster = Cluster::start().await;
    let hangs = Router::new().fallback(|| async { tokio::time::sleep(Duration::from_secs(3600)).await });
    cluster.webhook_service("default", "checks", hangs);
    seed(&cluster, &configuration("configmaps", &json!({"timeoutSeconds": 30}))).await;
    let before = tokio::time::Instant::now();
    assert!(message(create(cluster.client(), "a").await).ends_with("context deadline exceeded"));
    assert_eq!(before.elapsed().as_secs(), 30);
}

#[tokio::test]
async fn another_version_of_a_resource_is_reviewed_in_the_version_of_the_rule() {
    let cluster = Cluster::start().await;
    let mut crd = widgets();
    let mut second = crd["spec"]["versions"][0].clone();
    (second["name"], second["storage"]) = (json!("v2"), json!(false));
    crd["spec"]["versions"].as_array_mut().unwrap().push(second);
    seed(&cluster, &crd).await;
    let patch = base64::Engine::encode(
        &base64::prelude::BASE64_STANDARD,
        json!([{"op": "add", "path": "/spec/size", "value": 7}]).to_string(),
    );
    let (service, seen) = service(move |request| match request["operation"].as_str() {
        Some("CREATE") => json!({"allowed": true, "patch": patch, "patchType": "JSONPatch"}),
        _ => json!({"allowed": true}),
    });
    cluster.webhook_service("default", "checks", service);
    let mut configuration = configuration("widgets", &json!({}));
    configuration["kind"] = json!("MutatingWebhookConfiguration");
    seed(&cluster, &configuration).await;
    let api: Api<kube::core::DynamicObject> =
        Api::namespaced_with(cluster.client(), "default", &dynamic("ex.dev", "v2", "Widget", "widgets"));
    let sent = json!({"apiVersion": "ex.dev/v2", "kind": "Widget", "metadata": {"name": "w"}, "spec": {}});
    let stored = api.create(&PostParams::default(), &serde_json::from_value(sent).unwrap()).await.unwrap();
    assert_eq!((stored.types.unwrap().api_version.as_str(), &stored.data["spec"]["size"]), ("ex.dev/v2", &json!(7)));
    let request = seen.lock().unwrap()[0].clone();
    assert_eq!((&request["kind"]["version"], &request["requestKind"]["version"]), (&json!("v1"), &json!("v2")));
    assert_eq!(
        (&request["object"]["apiVersion"], &request["resource"]["version"]),
        (&json!("ex.dev/v1"), &json!("v1"))
    );

    configuration["webhooks"][0]["matchPolicy"] = json!("Exact");
    let configurations: Api<kube::core::DynamicObject> = Api::all_with(
        cluster.client(),
        &dynamic("admissionregistration.k8s.io", "v1", "MutatingWebhookConfiguration", "mutatingwebhookconfigurations"),
    );
    let change = json!({"webhooks": configuration["webhooks"]});
    configurations.patch("checks", &PatchParams::default(), &Patch::Merge(change)).await.unwrap();
    api.patch("w", &PatchParams::default(), &Patch::Merge(json!({"spec": {"size": 1}}))).await.unwrap();
    assert_eq!(seen.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn an_eviction_is_reviewed_as_a_subresource() {
    let cluster = Cluster::start().await;
    let (service, seen) = service(|_| json!({"allowed": false, "status": {"code": 403, "message": "not now"}}));
    cluster.webhook_service("default", "checks", service);
    let pod = json!({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    let pods: Api<Pod> = Api::namespaced(cluster.client(), "default");
    pods.create(&PostParams::default(), &serde_json::from_value(pod).unwrap()).await.unwrap();
    seed(&cluster, &configuration("pods/eviction", &json!({}))).await;
    let refused = pods.evict("p", &EvictParams::default()).await.unwrap_err();
    assert!(refused.to_string().contains("not now"), "{refused}");
    let request = seen.lock().unwrap()[0].clone();
    assert_eq!(request["kind"], json!({"group": "policy", "version": "v1", "kind": "Eviction"}));
    assert_eq!((&request["subResource"], &request["operation"]), (&json!("eviction"), &json!("CREATE")));
    assert!(pods.get_opt("p").await.unwrap().is_some());
}

#[tokio::test(start_paused = true)]
async fn controllers_repeat_deletions_that_a_webhook_refuses() {
    let cluster = Cluster::start().await;
    let namespace = serde_json::from_value(json!({"metadata": {"name": "team"}})).unwrap();
    let namespaces: Api<Namespace> = Api::all(cluster.client());
    namespaces.create(&PostParams::default(), &namespace).await.unwrap();
    let maps: Api<ConfigMap> = Api::namespaced(cluster.client(), "team");
    let map: ConfigMap = serde_json::from_value(json!({"metadata": {"name": "a"}})).unwrap();
    maps.create(&PostParams::default(), &map).await.unwrap();
    let (service, seen) = service(|_| json!({"allowed": false}));
    cluster.webhook_service("default", "checks", service);
    seed(&cluster, &configuration("configmaps", &json!({}))).await;
    namespaces.delete("team", &DeleteParams::default()).await.unwrap();
    eventually(SOON, || async { (seen.lock().unwrap().len() > 3).then_some(()) }).await;
    assert!(maps.get_opt("a").await.unwrap().is_some());
    let user = json!("system:serviceaccount:kube-system:namespace-controller");
    assert!(seen.lock().unwrap().iter().all(|request| request["userInfo"]["username"] == user));
    cluster.webhook_service("default", "checks", service_that_allows());
    eventually(SOON, || async { namespaces.get_opt("team").await.unwrap().is_none().then_some(()) }).await;
}

#[tokio::test]
async fn fields_have_the_same_owners_with_and_without_a_mutating_webhook() {
    let objects = [
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"k": "v"}}),
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}}),
        json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}, "spec": {"ports": [{"port": 80}]}}),
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}),
    ];
    let mut owned = Vec::new();
    for has_webhook in [false, true] {
        let cluster = Cluster::start().await;
        cluster.webhook_service("default", "checks", service_that_allows());
        if has_webhook {
            let mut configuration = configuration("*", &json!({}));
            configuration["kind"] = json!("MutatingWebhookConfiguration");
            seed(&cluster, &configuration).await;
        }
        for object in &objects {
            seed(&cluster, object).await;
        }
        owned.push(owners(&cluster).await);
    }
    assert!(owned[0].len() == objects.len() && owned[0] == owned[1], "{owned:#?}");
}

/// The owned fields of the objects that the test creates.
async fn owners(cluster: &Cluster) -> Vec<Value> {
    let paths = [
        "namespaces/default/secrets/s",
        "namespaces/team",
        "namespaces/default/services/s",
        "namespaces/default/pods/p",
    ];
    let mut owned = Vec::new();
    for path in paths {
        let request = http::Request::get(format!("/api/v1/{path}")).body(Vec::new()).unwrap();
        let object: Value = cluster.client().request(request).await.unwrap();
        let entries = object["metadata"]["managedFields"].as_array().unwrap();
        owned.extend(entries.iter().map(|entry| entry["fieldsV1"].clone()));
    }
    owned
}
