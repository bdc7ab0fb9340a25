//! The kind of the figures, and one object of it as the API server would send it.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use evenkeel_testkit::{Cluster, until};
use kube::api::{Patch, PatchParams, PostParams};
use kube::{Api, CustomResource, CustomResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::ours;

/// What a release should be.
#[derive(CustomResource, JsonSchema, Clone, Debug, Default, Deserialize, Serialize)]
#[kube(group = "bench.evenkeel.dev", version = "v1", kind = "Release", namespaced, status = "ReleaseStatus")]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReleaseSpec {
    pub(crate) interval: String,
    pub(crate) path: String,
    pub(crate) prune: bool,
    pub(crate) source: BTreeMap<String, String>,
    pub(crate) substitute: BTreeMap<String, String>,
    pub(crate) timeout: String,
    pub(crate) revision: u32,
}

/// What a release is.
#[evenkeel::status]
pub(crate) struct ReleaseStatus {
    pub(crate) inventory: Vec<Entry>,
    pub(crate) last_applied_revision: Option<String>,
}

/// One object that a release holds.
#[derive(JsonSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub(crate) struct Entry {
    pub(crate) id: String,
    pub(crate) v: String,
}

pub(crate) const NAMESPACE: &str = "apps";

fn spec() -> Value {
    json!({
        "interval": "10m0s", "path": "./deploy/overlays/production", "prune": true, "timeout": "3m0s", "revision": 1,
        "source": { "kind": "GitRepository", "name": "platform-configuration", "namespace": "flux-system" },
        "substitute": { "cluster": "production-eu-west-1", "domain": "apps.example.com", "replicas": "3", "tier": "backend" },
    })
}

/// The entry of one more manager, as tools leave it.
fn manager() -> Value {
    json!({
        "manager": "kubectl-client-side-apply", "operation": "Update", "apiVersion": "bench.evenkeel.dev/v1",
        "time": "2026-01-01T00:00:00Z", "fieldsType": "FieldsV1",
        "fieldsV1": { "f:metadata": { "f:annotations": { "f:kubectl.kubernetes.io/last-applied-configuration": {} } },
            "f:spec": { "f:interval": {}, "f:source": { "f:kind": {}, "f:name": {} } } },
    })
}

/// One object in two versions: as it stands, and after a change that needs no work any more.
pub(crate) struct Sample {
    before: String,
    after: String,
}

/// Stands for the name of the object.
const NAME: &str = "release-00000000";

impl Sample {
    /// Has our operator reconcile one object on the in-process server, twice.
    pub(crate) fn make() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let cluster = Cluster::start().await;
            cluster.seed(&Release::crd()).await.unwrap();
            let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": NAMESPACE } });
            cluster.seed(namespace).await.unwrap();
            let api = Api::<Release>::namespaced(cluster.client(), NAMESPACE);
            let mut object = json!({ "apiVersion": "bench.evenkeel.dev/v1", "kind": "Release", "spec": spec(),
                "metadata": { "name": NAME, "labels": { "app.kubernetes.io/part-of": "platform", "team": "payments" } } });
            let copy = json!({ "metadata": object["metadata"], "spec": { "source": object["spec"]["source"] } }).to_string();
            object["metadata"]["annotations"] = json!({ "kubectl.kubernetes.io/last-applied-configuration": copy });
            api.create(&PostParams::default(), &serde_json::from_value(object).unwrap()).await.unwrap();
            let operator = tokio::spawn(ours::start(cluster.client()));
            let before = settled(&api, 1).await;
            let patch = Patch::Merge(json!({ "spec": { "revision": 2 } }));
            api.patch(NAME, &PatchParams::default(), &patch).await.unwrap();
            let after = settled(&api, 2).await;
            operator.abort();
            Self { before, after }
        })
    }

    /// The text of one object at a version.
    pub(crate) fn render(&self, number: usize, changed: bool, version: usize) -> String {
        let text = if changed { &self.after } else { &self.before };
        text.replace(NAME, &format!("release-{number:08}")).replace("\"RV\"", &format!("\"{version}\""))
    }
}

async fn settled(api: &Api<Release>, generation: i64) -> String {
    until(api, NAME, Duration::from_secs(30), |release: &Release| {
        let status = release.status.as_ref();
        status.is_some_and(|status| status.observed_generation == Some(generation))
    })
    .await;
    let mut object = serde_json::to_value(api.get(NAME).await.unwrap()).unwrap();
    object["metadata"]["resourceVersion"] = json!("RV");
    object["metadata"]["managedFields"].as_array_mut().unwrap().push(manager());
    object.to_string()
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let object: Value = serde_json::from_str(&self.before).unwrap();
        let size = |value: &Value| value.to_string().len();
        let (all, fields) = (self.before.len(), size(&object["metadata"]["managedFields"]));
        write!(
            f,
            "object: {all} B of JSON; spec {}, status {}, annotations {}, managedFields {fields} ({} %)",
            size(&object["spec"]),
            size(&object["status"]),
            size(&object["metadata"]["annotations"]),
            fields * 100 / all
        )
    }
}
