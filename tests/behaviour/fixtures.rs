//! The objects of the benchmarks as evenkeel left them on the in-process server, committed in `tests/bench/fixtures`.
//!
//! After a change of what the framework writes: `GENERATED=overwrite cargo test -p evenkeel-tests --test behaviour fixtures`.

use std::sync::Arc;
use std::time::Duration;

use evenkeel::{Operator, Reconciler};
use evenkeel_bench::hand::{self, Work};
use evenkeel_bench::kind::{NAMESPACE, Release, child, release};
use evenkeel_bench::ours::{self, Lab};
use evenkeel_bench::sample::{NAME, Sample, UID, VERSION, fixture};
use evenkeel_bench::shapes;
use evenkeel_testkit::{Cluster, assert_generated};
use kube::api::{DynamicObject, Patch, PatchParams, PostParams};
use kube::core::ApiResource;
use kube::{Api, Client, CustomResourceExt, Resource};
use serde_json::{Value, json};
use tokio::time::sleep;

const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";
const THEN: &str = "2026-01-01T00:00:00Z";

/// The entry of another field manager, as tools leave it.
fn manager() -> Value {
    json!({
        "manager": "kubectl-client-side-apply", "operation": "Update", "apiVersion": "bench.evenkeel.dev/v1", "time": THEN,
        "fieldsType": "FieldsV1",
        "fieldsV1": {
            "f:metadata": { "f:annotations": { ".": {}, format!("f:{LAST_APPLIED}"): {} }, "f:labels": { ".": {}, "f:team": {} } },
            "f:spec": { "f:interval": {}, "f:source": { "f:kind": {}, "f:name": {} } },
        },
    })
}

/// Replaces values that differ in each run by constants.
fn settled(object: &DynamicObject, managers: usize) -> Value {
    let mut object = serde_json::to_value(object).unwrap();
    object["metadata"]["resourceVersion"] = json!(VERSION);
    object["metadata"]["creationTimestamp"] = json!(THEN);
    let fields = object["metadata"]["managedFields"].as_array_mut().unwrap();
    fields.extend(std::iter::repeat_n(manager(), managers));
    fields.iter_mut().for_each(|entry| entry["time"] = json!(THEN));
    for condition in object["status"]["conditions"].as_array_mut().into_iter().flatten() {
        condition["lastTransitionTime"] = json!(THEN);
    }
    object
}

/// The object after each of the patches, as the operator left it.
async fn left<R>(object: &Value, patches: &[Value], managers: usize) -> Vec<Value>
where
    R: Reconciler<Object: CustomResourceExt>,
    Arc<Lab>: Into<R::Deps>,
{
    let operator = |client| async {
        let operator = Operator::new("bench").client(client).reconciler::<R>(Arc::<Lab>::default().into());
        operator.run_until(std::future::pending()).await.unwrap();
    };
    left_by::<R::Object, _>(object, patches, managers, operator).await
}

/// The same by any operator.
async fn left_by<K, F>(
    object: &Value,
    patches: &[Value],
    managers: usize,
    operator: impl FnOnce(Client) -> F,
) -> Vec<Value>
where
    K: Resource<DynamicType = ()> + CustomResourceExt,
    F: Future<Output = ()> + Send + 'static,
{
    let cluster = Cluster::start().await;
    cluster.seed(&K::crd()).await.unwrap();
    cluster.seed(json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": NAMESPACE } })).await.unwrap();
    let resource = ApiResource::erase::<K>(&());
    let api: Api<DynamicObject> = Api::namespaced_with(cluster.client(), NAMESPACE, &resource);
    let operator = tokio::spawn(operator(cluster.client()));
    let mut object = object.clone();
    let copy = json!({ "kind": object["kind"], "metadata": object["metadata"], "spec": { "source": object["spec"]["source"] } });
    object["metadata"]["annotations"] = json!({ LAST_APPLIED: copy.to_string() });
    api.create(&PostParams::default(), &serde_json::from_value(object).unwrap()).await.unwrap();
    sleep(Duration::from_secs(20)).await;
    let mut left = vec![settled(&api.get(NAME).await.unwrap(), managers)];
    for patch in patches {
        api.patch(NAME, &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
        sleep(Duration::from_secs(20)).await;
        left.push(settled(&api.get(NAME).await.unwrap(), managers));
    }
    operator.abort();
    left
}

fn of_kind(kind: &str, spec: &Value) -> Value {
    let mut object = release(NAME);
    object["kind"] = json!(kind);
    object["spec"] = spec.clone();
    object
}

/// A Pod as a Deployment creates it.
fn pod() -> Value {
    let probe = |path: &str| {
        json!({ "httpGet": { "path": path, "port": 8080, "scheme": "HTTP" }, "periodSeconds": 10, "timeoutSeconds": 1,
        "successThreshold": 1, "failureThreshold": 3 })
    };
    let container = |name: &str| {
        json!({
            "name": name, "image": format!("registry.example.com/platform/{name}@sha256:{:064x}", 7), "imagePullPolicy": "IfNotPresent",
            "args": ["--log-level=info", "--leader-elect", "--metrics-bind-address=:9090"],
            "env": [{ "name": "POD_NAME", "valueFrom": { "fieldRef": { "apiVersion": "v1", "fieldPath": "metadata.name" } } },
                { "name": "REGION", "value": "eu-west-1" }],
            "ports": [{ "containerPort": 8080, "name": "http", "protocol": "TCP" }],
            "resources": { "limits": { "cpu": "500m", "memory": "256Mi" }, "requests": { "cpu": "50m", "memory": "64Mi" } },
            "livenessProbe": probe("/healthz"), "readinessProbe": probe("/readyz"),
            "securityContext": { "allowPrivilegeEscalation": false, "capabilities": { "drop": ["ALL"] }, "readOnlyRootFilesystem": true },
            "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
            "volumeMounts": [{ "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "name": "token", "readOnly": true }],
        })
    };
    json!({
        "containers": [container("backend"), container("proxy")], "dnsPolicy": "ClusterFirst", "restartPolicy": "Always",
        "nodeName": "ip-10-0-12-34.eu-west-1.compute.internal", "serviceAccountName": "backend", "priority": 0,
        "terminationGracePeriodSeconds": 30, "schedulerName": "default-scheduler",
        "tolerations": [{ "effect": "NoExecute", "key": "node.kubernetes.io/not-ready", "operator": "Exists", "tolerationSeconds": 300 }],
        "volumes": [{ "name": "token", "projected": { "defaultMode": 420, "sources": [
            { "serviceAccountToken": { "expirationSeconds": 3607, "path": "token" } },
            { "configMap": { "items": [{ "key": "ca.crt", "path": "ca.crt" }], "name": "kube-root-ca.crt" } }] } }],
    })
}

/// The stable part of the objects: the server draws the uid, on which the digest depends.
fn lasting(objects: &[Value]) -> String {
    let mut objects = objects.to_vec();
    for object in &mut objects {
        object["metadata"]["uid"] = json!(UID);
        if let Some(digest) = object.pointer_mut("/status/observedInputs/digest") {
            *digest = json!("drawn");
        }
    }
    serde_json::to_string_pretty(&objects).unwrap()
}

fn keep(name: &'static str, left: &[Value], share: std::ops::RangeInclusive<usize>) {
    let path = fixture(name);
    let held: Vec<Value> =
        serde_json::from_str(&std::fs::read_to_string(&path).unwrap_or_default()).unwrap_or_default();
    // A change of the digest algorithm alone is only visible to the bench, which refuses to write then.
    if lasting(&held) != lasting(left) || std::env::var_os("GENERATED").is_some() {
        assert_generated(path, &format!("{}\n", serde_json::to_string_pretty(left).unwrap()));
    }
    let sample = Sample::read(name);
    let (all, fields) = sample.sizes();
    assert!(share.contains(&(fields * 100 / all)), "{sample}");
}

#[tokio::test(start_paused = true)]
async fn a_release_has_43_percent_managed_fields() {
    let changes = [json!({ "spec": { "revision": 2 } })];
    keep("releases", &left::<ours::plain>(&release(NAME), &changes, 1).await, 40..=46);
}

#[tokio::test(start_paused = true)]
async fn a_release_by_hand_is_as_the_tuned_operator_left_it() {
    let changes = [json!({ "spec": { "revision": 2 } })];
    let operator = |client| hand::b1(client, Work::default(), Arc::default());
    keep("hand", &left_by::<Release, _>(&release(NAME), &changes, 1, operator).await, 36..=46);
}

#[tokio::test(start_paused = true)]
async fn a_watched_release_is_as_its_watcher_left_it() {
    let changes = [json!({ "spec": { "revision": 2 } })];
    keep("watched", &left::<ours::watched>(&release(NAME), &changes, 1).await, 40..=46);
}

#[tokio::test(start_paused = true)]
async fn pod_and_secret_fixtures_have_the_expected_managed_fields() {
    let instance = of_kind("Instance", &json!({ "template": pod() }));
    keep("instances", &left::<shapes::instances>(&instance, &[], 1).await, 22..=30);
    let data = |name: &str| (name.to_owned(), json!("LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t".repeat(60)));
    let data: serde_json::Map<String, Value> = ["tls.crt", "tls.key", "ca.crt"].map(data).into_iter().collect();
    let credential = of_kind("Credential", &json!({ "data": data }));
    keep("credentials", &left::<shapes::credentials>(&credential, &[], 0).await, 8..=13);
}

/// The answer of a server to a request for the metadata of the children only.
#[test]
fn the_child_fixture_is_partial_metadata() {
    let release: Release = serde_json::from_value(release(NAME)).unwrap();
    let mut map = serde_json::to_value(child(&release.metadata, &release.spec)).unwrap();
    map["apiVersion"] = json!("meta.k8s.io/v1");
    map["kind"] = json!("PartialObjectMetadata");
    map.as_object_mut().unwrap().remove("data");
    let owner = json!({ "apiVersion": "bench.evenkeel.dev/v1", "kind": "Release", "name": NAME, "uid": UID, "controller": true });
    let managed: Vec<Value> = std::iter::repeat_n(manager(), 4).collect();
    let meta = json!({
        "name": NAME, "namespace": NAMESPACE, "resourceVersion": VERSION, "uid": format!("{}-child", UID), "creationTimestamp": THEN,
        "labels": { "app.kubernetes.io/managed-by": "bench", "team": "payments" }, "ownerReferences": [owner], "managedFields": managed,
    });
    map["metadata"] = meta;
    keep("configmaps", &[map], 60..=80);
}
