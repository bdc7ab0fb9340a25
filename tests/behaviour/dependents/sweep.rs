//! The life of a set converges after any fault: no object is left, and no Job runs twice.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use evenkeel::dependents::{Dependents, DependentsError};
use evenkeel::prelude::*;
use evenkeel_tests::sweep::{Stage, from_everywhere};
use evenkeel_tests::widget::is_ready;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{ListParams, Patch, PatchParams};
use kube::{Api, CustomResource, CustomResourceExt, KubeSchema, ResourceExt};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::task::JoinSet;

#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Blog", namespaced, status = "BlogStatus")]
pub(crate) struct BlogSpec {
    /// The only text.
    title: String,
    /// The version of the tables, which a Job brings up to date.
    tables: String,
    /// A password, if there is one.
    password: Option<String>,
}

#[status(dependents)]
pub(crate) struct BlogStatus {}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub(crate) enum BlogCondition {
    /// All objects are as wanted.
    #[condition(positive)]
    Applied,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
pub(crate) enum BlogError {
    #[error(transparent)]
    #[class(transparent)]
    Dependents(#[from] DependentsError),
}

fn object<K: serde::de::DeserializeOwned>(name: &str, content: Value) -> K {
    let mut object = content;
    object["metadata"]["name"] = json!(name);
    serde_json::from_value(object).expect("an object of its kind")
}

fn pods(restart: &str) -> Value {
    json!({ "metadata": { "labels": { "app": "web" } }, "spec": { "restartPolicy": restart, "containers": [{ "name": "web", "image": "web:1" }] } })
}

#[sub_reconciler(sets(on::Applied), dependents(ConfigMap, Secret, Deployment, Job))]
async fn publish(blog: &Blog, cx: &mut Cx) -> Result<Dependents, BlogError> {
    let mut wanted = cx.wanted();
    wanted.add::<ConfigMap>(&object("text", json!({ "data": { "title": blog.spec.title } })));
    if let Some(password) = &blog.spec.password {
        wanted.add::<Secret>(&object("login", json!({ "stringData": { "password": password } })));
    }
    let job = object::<Job>(&format!("tables-{}", blog.spec.tables), json!({ "spec": { "template": pods("Never") } }));
    wanted.add(&job).apply_order(1).purge_order(1);
    let selector = json!({ "matchLabels": { "app": "web" } });
    let web = json!({ "spec": { "replicas": 2, "selector": selector, "template": pods("Always") } });
    wanted.add::<Deployment>(&object("web", web)).apply_order(2).delete_order(-1);
    Ok(cx.converge(wanted).await?)
}

#[reconciler(conditions = BlogCondition)]
pub(crate) async fn blog(blog: &Blog, cx: &mut Pass<'_>) -> PassResult {
    publish(blog, cx).await?;
    Ok(())
}

/// The controllers of a cluster: a Deployment becomes available, and a Job completes. Records the names of the Jobs that ran.
async fn play_controllers(client: kube::Client, ran: Arc<Mutex<Vec<String>>>) {
    let deployments: Api<Deployment> = Api::default_namespaced(client.clone());
    let jobs: Api<Job> = Api::default_namespaced(client);
    loop {
        for one in deployments.list(&ListParams::default()).await.expect("a list").items {
            let current = one.status.as_ref().and_then(|status| status.observed_generation);
            if current != one.metadata.generation {
                let progressing =
                    json!({ "type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable" });
                let conditions = [progressing, json!({ "type": "Available", "status": "True" })];
                let status = json!({ "observedGeneration": one.metadata.generation, "replicas": 2, "updatedReplicas": 2,
                    "readyReplicas": 2, "availableReplicas": 2, "conditions": conditions });
                set_status(&deployments, &one.name_any(), &status).await;
            }
        }
        for one in jobs.list(&ListParams::default()).await.expect("a list").items {
            if one.status.as_ref().is_none_or(|status| status.conditions.is_none()) {
                let at = "2026-01-01T00:00:00Z";
                let conditions = ["SuccessCriteriaMet", "Complete"].map(|one| json!({ "type": one, "status": "True" }));
                let status = json!({ "startTime": at, "completionTime": at, "succeeded": 1, "conditions": conditions });
                if set_status(&jobs, &one.name_any(), &status).await {
                    ran.lock().expect("no panic").push(one.name_any());
                }
            }
        }
        tokio::time::sleep(Duration::from_secs(3)).await;
    }
}

/// Whether the object is still there.
async fn set_status<K>(api: &Api<K>, name: &str, status: &Value) -> bool
where
    K: Clone + std::fmt::Debug + serde::de::DeserializeOwned,
{
    let patch = Patch::Merge(json!({ "status": status }));
    match api.patch_status(name, &PatchParams::default(), &patch).await {
        Ok(_) => true,
        Err(kube::Error::Api(status)) if status.code == 404 => false,
        Err(error) => panic!("{error}"),
    }
}

/// The dependents, each with its content.
fn dependents(stage: &Stage) -> Vec<String> {
    let contents = |object: &Value| [&object["data"], &object["spec"]["replicas"]].map(Value::to_string).concat();
    let all = stage.cluster().snapshot().objects();
    let all =
        all.iter().filter(|one| ["ConfigMap", "Secret", "Deployment", "Job"].iter().any(|kind| one["kind"] == *kind));
    all.map(|one| format!("{} {} {}", one["kind"], one["metadata"]["name"], contents(one))).collect()
}

async fn assert_ready(stage: &Stage, controllers: &mut JoinSet<()>) {
    if let Some(ended) = controllers.try_join_next() {
        panic!("the controllers have ended: {ended:?}");
    }
    let blog = stage.raw::<Blog>("mine").await;
    assert!(is_ready(&blog), "{:#}", blog["status"]);
}

async fn life(stage: Stage) -> Value {
    let ran = Arc::default();
    let mut controllers = JoinSet::new();
    controllers.spawn(play_controllers(stage.client.clone(), Arc::clone(&ran)));
    let spec = json!({ "title": "first", "tables": "1", "password": "secret" });
    let new =
        json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Blog", "metadata": { "name": "mine" }, "spec": spec });
    stage.create::<Blog>(new).await;
    stage.operate::<blog>(());
    stage.rest().await;
    assert_ready(&stage, &mut controllers).await;
    let created = dependents(&stage);
    stage.merge::<Blog>("mine", json!({ "spec": { "title": "second", "tables": "2", "password": null } })).await;
    stage.rest().await;
    assert_ready(&stage, &mut controllers).await;
    let changed = dependents(&stage);
    stage.delete::<Blog>("mine").await;
    assert_eq!(dependents(&stage), Vec::<String>::new(), "what is left");
    let ran = ran.lock().expect("no panic").clone();
    assert_eq!(ran, ["tables-1", "tables-2"], "each Job runs once");
    json!({ "created": created, "changed": changed })
}

#[tokio::test(start_paused = true)]
async fn the_life_of_a_set_converges_after_any_fault() {
    from_everywhere(&Blog::crd(), life).await;
}
