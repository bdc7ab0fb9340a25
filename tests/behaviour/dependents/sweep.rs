//! The life of a set converges after any fault: no object is left, and no Job runs twice.

use std::time::Duration;

use evenkeel::dependents::{Dependents, DependentsError};
use evenkeel::prelude::*;
use evenkeel_testkit::Settler;
use evenkeel_tests::sweep::{Stage, from_everywhere};
use evenkeel_tests::widget::is_ready;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::{CustomResource, CustomResourceExt, KubeSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

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

/// The dependents, each with its content.
fn dependents(stage: &Stage) -> Vec<String> {
    let contents = |object: &Value| [&object["data"], &object["spec"]["replicas"]].map(Value::to_string).concat();
    let all = stage.cluster().snapshot().objects();
    let all =
        all.iter().filter(|one| ["ConfigMap", "Secret", "Deployment", "Job"].iter().any(|kind| one["kind"] == *kind));
    all.map(|one| format!("{} {} {}", one["kind"], one["metadata"]["name"], contents(one))).collect()
}

async fn assert_ready(stage: &Stage) {
    let blog = stage.raw::<Blog>("mine").await;
    assert!(is_ready(&blog), "{:#}", blog["status"]);
}

async fn life(stage: Stage) -> Value {
    let controllers = Settler::new().after(Duration::from_secs(3)).start(stage.cluster());
    let spec = json!({ "title": "first", "tables": "1", "password": "secret" });
    let new =
        json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Blog", "metadata": { "name": "mine" }, "spec": spec });
    stage.create::<Blog>(new).await;
    stage.operate::<blog>(());
    stage.rest().await;
    assert_ready(&stage).await;
    let created = dependents(&stage);
    stage.merge::<Blog>("mine", json!({ "spec": { "title": "second", "tables": "2", "password": null } })).await;
    stage.rest().await;
    assert_ready(&stage).await;
    let changed = dependents(&stage);
    stage.delete::<Blog>("mine").await;
    assert_eq!(dependents(&stage), Vec::<String>::new(), "what is left");
    let ran = controllers.settled::<Job>();
    assert_eq!(ran, ["default/tables-1", "default/tables-2"], "each Job runs once");
    json!({ "created": created, "changed": changed })
}

#[tokio::test(start_paused = true)]
async fn the_life_of_a_set_converges_after_any_fault() {
    from_everywhere(&Blog::crd(), life).await;
}
