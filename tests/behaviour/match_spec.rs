//! A `match` over an enum of the spec: one arm runs, and the steps of the others are skipped.

use evenkeel::introspection::ReconcilerInfo;
use evenkeel::prelude::*;
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::World;
use evenkeel_tests::widget::{condition, is_ready};
use kube::{CustomResource, CustomResourceExt as _};
use schemars::JsonSchema;
use serde_json::{Value, json};

/// A copy of a source.
#[derive(CustomResource, JsonSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Mirror", namespaced, status = "MirrorStatus")]
pub(crate) struct MirrorSpec {
    /// Where the content comes from.
    pub source: Source,
}

/// A kind of source.
#[derive(JsonSchema, Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Source {
    /// A repository.
    Git {
        /// Its address.
        url: String,
    },
    /// A bucket.
    Bucket {
        /// Its name.
        name: String,
        /// Its region.
        region: Option<String>,
    },
    /// The content itself, so that nothing is fetched.
    Inline {
        /// The content.
        text: String,
    },
}

#[evenkeel::status]
pub(crate) struct MirrorStatus {
    /// What is stored.
    pub stored: Option<String>,
}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum MirrorCondition {
    #[condition(positive)]
    Cloned,
    #[condition(positive)]
    Downloaded,
    #[condition(positive)]
    Located,
    #[condition(positive)]
    Stored,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
enum MirrorError {
    #[error("there is no {0}")]
    #[class(stalled)]
    Missing(String),
    #[error("the text is empty")]
    #[class(stalled)]
    Empty,
}

fn existing(name: &str) -> Result<String, MirrorError> {
    if name == "missing" { Err(MirrorError::Missing(name.to_owned())) } else { Ok(name.to_owned()) }
}

#[sub_reconciler(sets(on::Cloned))]
async fn copy(_: &Mirror, url: &str, _cx: &mut Cx) -> Result<String, MirrorError> {
    Ok(format!("clone of {}", existing(url)?))
}

#[sub_reconciler(sets(on::Located))]
async fn locate(_: &Mirror, name: &str, _cx: &mut Cx) -> Result<String, MirrorError> {
    Ok(format!("{}.example.com", existing(name)?))
}

#[sub_reconciler(sets(on::Downloaded))]
async fn download(_: &Mirror, address: &str, _cx: &mut Cx) -> Result<String, MirrorError> {
    Ok(format!("download of {address}"))
}

#[sub_reconciler(sets(on::Stored))]
async fn store(_: &Mirror, content: &str, cx: &mut Cx) -> Result<(), MirrorError> {
    if content.is_empty() {
        return Err(MirrorError::Empty);
    }
    cx.status().stored = Some(content.to_owned());
    Ok(())
}

#[reconciler(conditions = MirrorCondition)]
async fn mirror(mirror: &Mirror, cx: &mut Pass<'_>) -> PassResult {
    let content = match &mirror.spec.source {
        Source::Git { url } => copy(mirror, url, cx).await?,
        Source::Bucket { name, region: Some(region) } if region != "any" => {
            skip(copy, "ABucket");
            let address = locate(mirror, &format!("{name}.{region}"), cx).await?;
            tracing::info!(?region, "found at {address}");
            download(mirror, &address, cx).await?
        }
        Source::Bucket { name, .. } => {
            let address = locate(mirror, name, cx).await?;
            download(mirror, &address, cx).await?
        }
        Source::Inline { text } => text.to_owned(),
    };
    tracing::debug!("the content has {} bytes", content.len());
    store(mirror, &content, cx).await?;
    Ok(())
}

on_each_server!(
    one_arm_of_a_match_runs_and_the_steps_of_the_others_are_skipped,
    another_variant_runs_its_own_steps,
    a_failed_arm_blocks_only_its_own_steps,
);

fn a_mirror(source: &Value) -> Value {
    json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Mirror", "metadata": { "name": "m" }, "spec": { "source": source } })
}

/// The status and the reason of each condition.
fn shown(object: &Value) -> Vec<String> {
    let shown = ["Cloned", "Located", "Downloaded", "Stored"].map(|type_| {
        let condition = condition(object, type_).unwrap_or_else(|| panic!("no {type_} in {object:#}"));
        format!("{} {}", condition["status"].as_str().unwrap(), condition["reason"].as_str().unwrap())
    });
    shown.to_vec()
}

async fn one_arm_of_a_match_runs_and_the_steps_of_the_others_are_skipped(world: World) -> World {
    world.install(&Mirror::crd()).await;
    world.create::<Mirror>(a_mirror(&json!({ "git": { "url": "here" } }))).await;
    let operator = world.operator::<mirror>(());
    let object = world.until::<Mirror>("m", "ready", is_ready).await;
    assert_eq!(shown(&object), ["True Succeeded", "True NotNeeded", "True NotNeeded", "True Succeeded"]);
    assert_eq!(object["status"]["stored"], "clone of here");
    assert_eq!(condition(&object, "Located").unwrap()["message"], "step locate was not needed");
    operator.stop().await.unwrap();
    world
}

async fn another_variant_runs_its_own_steps(world: World) -> World {
    world.install(&Mirror::crd()).await;
    world.create::<Mirror>(a_mirror(&json!({ "inline": { "text": "words" } }))).await;
    let operator = world.operator::<mirror>(());
    let object = world.until::<Mirror>("m", "ready", is_ready).await;
    assert_eq!(shown(&object), ["True NotNeeded", "True NotNeeded", "True NotNeeded", "True Succeeded"]);
    let spec = json!({ "source": { "inline": null, "bucket": { "name": "b", "region": "eu" } } });
    world.merge::<Mirror>("m", json!({ "spec": spec })).await;
    let object = world.until::<Mirror>("m", "fetched", |m| m["status"]["stored"] != "words").await;
    assert_eq!(object["status"]["stored"], "download of b.eu.example.com");
    assert_eq!(shown(&object), ["True ABucket", "True Succeeded", "True Succeeded", "True Succeeded"]);
    operator.stop().await.unwrap();
    world
}

async fn a_failed_arm_blocks_only_its_own_steps(world: World) -> World {
    world.install(&Mirror::crd()).await;
    world.create::<Mirror>(a_mirror(&json!({ "bucket": { "name": "missing" } }))).await;
    let operator = world.operator::<mirror>(());
    let object = world.until::<Mirror>("m", "stalled", |m| condition(m, "Stalled").is_some()).await;
    assert_eq!(shown(&object), ["True NotNeeded", "False Missing", "Unknown Blocked", "Unknown Blocked"]);
    operator.stop().await.unwrap();
    world
}

#[test]
fn the_graph_shows_the_pattern_of_each_arm() {
    let drawn = ReconcilerInfo::of::<mirror>("tester").graph();
    assert!(drawn.contains("let Source::Git"), "{drawn}");
    assert!(drawn.contains("copy is skipped: ABucket"), "{drawn}");
}
