//! Sets from YAML texts and from sources of the author.

use evenkeel::dependents::{Dependents, DependentsError, Source, SourceError};
use evenkeel::prelude::*;
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::World;
use evenkeel_tests::widget::{condition, is_ready, message};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{CustomResource, CustomResourceExt, KubeSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Feed", namespaced, status = "FeedStatus")]
pub(crate) struct FeedSpec {
    /// A text that the step adds.
    #[serde(default)]
    text: Option<String>,
    /// What the source prints; it fails with the word `broken`.
    #[serde(default)]
    printed: Option<String>,
}

#[status(dependents)]
pub(crate) struct FeedStatus {}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub(crate) enum FeedCondition {
    /// All objects are as wanted, and ready.
    #[condition(positive)]
    Applied,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
pub(crate) enum FeedError {
    #[error(transparent)]
    #[class(transparent)]
    Dependents(#[from] DependentsError),
}

/// Prints what the spec says.
struct Printer(String);

impl Source for Printer {
    fn name(&self) -> String {
        "the printer".into()
    }

    async fn render(self) -> Result<String, SourceError> {
        if self.0 == "broken" { Err(SourceError::Invalid("it is out of paper".into())) } else { Ok(self.0) }
    }
}

#[sub_reconciler(sets(on::Applied), dependents(kinds("v1/ConfigMap")))]
async fn print(feed: &Feed, cx: &mut Cx) -> Result<Dependents, FeedError> {
    let mut wanted = cx.wanted();
    if let Some(text) = &feed.spec.text {
        wanted.yaml(text);
    }
    if let Some(printed) = &feed.spec.printed {
        wanted.source(Printer(printed.clone()));
    }
    Ok(cx.converge(wanted).await?)
}

#[reconciler(conditions = FeedCondition)]
pub(crate) async fn feed(feed: &Feed, cx: &mut Pass<'_>) -> PassResult {
    print(feed, cx).await?;
    Ok(())
}

on_each_server!(
    documents_of_a_text_and_of_a_source_are_applied,
    a_source_that_fails_is_reported_with_its_name_and_cause
);

async fn create(world: &World, name: &str, spec: Value) {
    let feed =
        json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Feed", "metadata": { "name": name }, "spec": spec });
    world.create::<Feed>(feed).await;
}

fn map(name: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata:\n  mode: \"1\"\n")
}

async fn documents_of_a_text_and_of_a_source_are_applied(world: World) -> World {
    world.install(&Feed::crd()).await;
    let operator = world.operator::<feed>(());
    let printed = format!("{}---\n# nothing\n---\n{}", map("second"), map("third"));
    create(&world, "a", json!({ "text": map("first"), "printed": printed })).await;
    world.until::<Feed>("a", "ready", is_ready).await;
    for name in ["first", "second", "third"] {
        assert_eq!(world.api::<ConfigMap>().get(name).await.unwrap().data.unwrap()["mode"], "1");
    }
    world.merge::<Feed>("a", json!({ "spec": { "printed": map("second") } })).await;
    world.until_gone::<ConfigMap>("third").await;
    operator.stop().await.unwrap();
    world
}

async fn a_source_that_fails_is_reported_with_its_name_and_cause(world: World) -> World {
    world.install(&Feed::crd()).await;
    let operator = world.operator::<feed>(());
    let undeclared = "apiVersion: v1\nkind: Secret\nmetadata: { name: s }\n";
    for (name, printed, reason, text) in [
        ("a", "broken", "RenderFailed", "the printer: it is out of paper"),
        ("b", "a: [1", "RenderFailed", "the printer: in line 1 of its output it is no valid YAML"),
        ("c", "just a text", "RenderFailed", "the printer: a document is no object; "),
        ("d", undeclared, "ManifestInvalid", "Secret s of the printer: kind: the step does not declare it; "),
    ] {
        create(&world, name, json!({ "printed": printed })).await;
        let is_stalled = |feed: &Value| condition(feed, "Stalled").is_some_and(|stalled| stalled["reason"] == reason);
        let feed = world.until::<Feed>(name, reason, is_stalled).await;
        assert!(message(&feed, "Ready").starts_with(text), "{feed}");
    }
    operator.stop().await.unwrap();
    world
}
