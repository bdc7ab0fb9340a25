//! Failed calls whose error waits: no watch triggers a pass when the API server answers again, so the pass is repeated.

use std::sync::Arc;

use evenkeel::dependency::{NotReady, Reference};
use evenkeel::prelude::*;
use evenkeel::{Absent, ApiError, Class, Reconciler};
use evenkeel_testkit::{Effect, Fault, Verb, is_ready};
use evenkeel_tests::test_env::{Server, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, condition, definition};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::ResourceExt;
use kube::core::ObjectMeta;
use serde_json::json;

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum ReadCondition {
    /// The Secret was read.
    #[condition(positive)]
    Seen,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
enum Missing {
    #[error(transparent)]
    #[class(waiting)]
    SecretMissing(#[from] Absent<Secret>),
    #[error(transparent)]
    #[class(waiting)]
    SecretNotReady(#[from] NotReady<Secret>),
}

#[sub_reconciler(sets(on::Seen), watches(Secret, by_name, cache = none))]
async fn require(_widget: &Widget, _lab: &Arc<Lab>, cx: &mut Cx) -> Result<(), Missing> {
    cx.require::<Secret>("s").await?;
    Ok(())
}

#[reconciler(conditions = ReadCondition)]
async fn requiring(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    require(widget, lab, cx).await?;
    Ok(())
}

#[sub_reconciler(sets(on::Seen), watches(Secret, by_name, cache = none))]
async fn require_ready(_widget: &Widget, _lab: &Arc<Lab>, cx: &mut Cx) -> Result<(), Missing> {
    cx.require_ready::<Secret>(&Reference::new(None, "s")).await?;
    Ok(())
}

#[reconciler(conditions = ReadCondition)]
async fn requiring_ready(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    require_ready(widget, lab, cx).await?;
    Ok(())
}

/// An error that an author wrote without the derive. All call errors have one class.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Waits(#[from] ApiError);

impl ReconcileError for Waits {
    fn class(&self) -> Class {
        Class::Waiting { poll: None }
    }

    fn reason(&self) -> &'static str {
        "Waits"
    }
}

fn map(name: &str) -> ConfigMap {
    ConfigMap { metadata: ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() }, ..ConfigMap::default() }
}

#[sub_reconciler(sets(on::Seen), reads(Secret), owns(ConfigMap))]
async fn call(widget: &Widget, _lab: &Arc<Lab>, cx: &mut Cx) -> Result<(), Waits> {
    match widget.spec.child.as_deref() {
        Some("get") => drop(cx.get::<Secret>("s").await?),
        _ => drop(cx.apply(&map(&format!("of-{}", widget.name_any()))).await?),
    }
    Ok(())
}

#[reconciler(conditions = ReadCondition)]
async fn calling(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    call(widget, lab, cx).await?;
    Ok(())
}

/// The next calls of this verb fail in this way, and the object is ready in the end. The next resync is ten days away.
async fn is_repeated_after<R>(effect: &Effect, (verb, resource): (Verb, &str), child: &str)
where
    R: Reconciler<Object = Widget, Deps = Arc<Lab>>,
{
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    world.create::<Secret>(json!({ "metadata": { "name": "s" } })).await;
    let operator = world.operator::<R>(Lab::at("a"));
    // The watches are open then.
    world.create::<Widget>(a_widget("first", json!({ "child": child, "interval": "240h" }))).await;
    world.until::<Widget>("first", "ready", is_ready).await;
    // A call without an answer ends after 30 s, and a test waits a minute.
    let times = if matches!(effect, Effect::Hang) { 1 } else { 3 };
    for _ in 0..times {
        world.cluster().faults().add(Fault::new(effect.clone()).verb(verb).resource(resource));
    }
    world.create::<Widget>(a_widget("w", json!({ "child": child, "interval": "240h" }))).await;
    world.until::<Widget>("w", &format!("{effect:?} of {child}: ready"), is_ready).await;
    assert_eq!(world.cluster().faults().pending(), 0, "{effect:?} of {child}: it was called again after each failure");
    operator.stop().await.unwrap();
}

/// The failures of a read. A late answer is an answer, a 404 that names the object says that it does not exist, and a dropped watch fails
/// no read.
fn failures() -> impl Iterator<Item = &'static Effect> {
    let is_failure =
        |effect: &&Effect| !matches!(effect, Effect::Latency(_) | Effect::SubresourceNotFound | Effect::DropWatch(_));
    Effect::ALL.iter().filter(is_failure)
}

#[tokio::test(start_paused = true)]
async fn a_failed_read_of_a_required_object_is_repeated() {
    for effect in failures() {
        is_repeated_after::<requiring>(effect, (Verb::Get, "secrets"), "a").await;
        is_repeated_after::<requiring_ready>(effect, (Verb::Get, "secrets"), "a").await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_failed_call_is_repeated_although_its_error_waits() {
    for effect in failures() {
        is_repeated_after::<calling>(effect, (Verb::Get, "secrets"), "get").await;
    }
    // A refused write is not sent again by the operator itself, and the pass is repeated.
    for effect in [Effect::Forbidden, Effect::Internal, Effect::TooManyRequests(1)] {
        is_repeated_after::<calling>(&effect, (Verb::Patch, "configmaps"), "apply").await;
    }
}

/// It waits for the watch alone, without a retry.
#[tokio::test(start_paused = true)]
async fn an_object_that_does_not_exist_is_waited_for() {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    let operator = world.operator::<requiring>(Lab::at("a"));
    world.create::<Widget>(a_widget("w", json!({ "interval": "240h" }))).await;
    let missing = |object: &serde_json::Value| condition(object, "Seen").is_some_and(|seen| seen["status"] == "False");
    world.until::<Widget>("w", "missing", missing).await;
    let passes = || world.cluster().log().requests().resource("widgets").writes().count();
    let before = passes();
    tokio::time::sleep(std::time::Duration::from_secs(86_400)).await;
    assert_eq!(passes(), before);
    world.create::<Secret>(json!({ "metadata": { "name": "s" } })).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    operator.stop().await.unwrap();
}
