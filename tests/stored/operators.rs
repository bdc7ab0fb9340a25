//! The operators of the stored objects: each feature that writes to an object is in one of them.

use std::sync::Arc;

use evenkeel::dependency::Reference;
use evenkeel::prelude::*;
use evenkeel::{Index, Operator};
use evenkeel_tests::test_env::World;
use evenkeel_tests::widget::{Lab, Widget, WidgetCondition, WidgetError, fetch, on, store, widget};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{CustomResource, ResourceExt};
use schemars::JsonSchema;

/// The operator of the shared fixture: finalizer, owned and watched objects, suspension, policies, requests.
pub(crate) fn plain(world: &World, lab: &Arc<Lab>) -> Operator {
    world.prepare::<widget>(lab.clone())
}

/// The same with another revision of the code.
pub(crate) fn revised(world: &World, lab: &Arc<Lab>) -> Operator {
    world.prepare::<evenkeel_tests::widget::revised::widget>(lab.clone())
}

/// Dependencies between objects of the kind.
#[reconciler(conditions = WidgetCondition, depends_on = spec.depends_on)]
async fn ordered(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    let found = fetch(widget, lab, cx).await?;
    store(widget, lab, &found, cx).await?;
    Ok(())
}

pub(crate) fn dependencies(world: &World, lab: &Arc<Lab>) -> Operator {
    world.prepare::<ordered>(lab.clone())
}

/// Names the widget.
#[claim]
async fn name_it(widget: &mut Widget) -> Result<(), WidgetError> {
    let name = widget.name_any();
    widget.labels_mut().insert("tier".into(), "claimed".into());
    widget.annotations_mut().insert("example.com/external-name".into(), format!("the-{name}"));
    widget.spec.interval.get_or_insert(std::time::Duration::from_secs(30 * 24 * 3600).into());
    Ok(())
}

/// Only the spec, a label, an annotation and the fields of the claim trigger.
#[reconciler(conditions = WidgetCondition, claim = name_it, triggers(spec, labels("zone"), annotations("note")))]
async fn claimed(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    let found = fetch(widget, lab, cx).await?;
    store(widget, lab, &found, cx).await?;
    Ok(())
}

pub(crate) fn claims(world: &World, lab: &Arc<Lab>) -> Operator {
    world.prepare::<claimed>(lab.clone())
}

#[derive(ConditionSet)]
#[condition_set(mod = look, summary(Available(Found, Listed)))]
enum LookCondition {
    /// The maps of the user were looked at.
    #[condition(positive)]
    Found,
    /// All maps were looked at.
    #[condition(bipolar)]
    Listed,
}

/// An index of ConfigMaps by user.
pub(crate) struct ByUser;

impl Index for ByUser {
    const NAME: &'static str = "by-user";
    type Object = ConfigMap;

    fn keys(map: &ConfigMap) -> Vec<String> {
        map.data.iter().flatten().filter(|(key, _)| *key == "user").map(|(_, user)| user.clone()).collect()
    }
}

#[sub_reconciler(sets(look::Found), watches(ConfigMap, labels = "look=yes", index = ByUser))]
async fn find(widget: &Widget, lab: &Arc<Lab>, cx: &mut Cx) -> Result<(), WidgetError> {
    let user = widget.spec.fetch.clone().unwrap_or_default();
    let found = cx.indexed(ByUser, &user).await?.len();
    lab.note(&format!("find {}: {found}", widget.name_any()));
    Ok(())
}

#[sub_reconciler(sets(look::Listed))]
async fn rest(_: &Widget, cx: &mut Cx) -> Result<(), WidgetError> {
    cx.set(look::Listed, ConditionStatus::True, "Complete", "no map is left");
    Ok(())
}

#[reconciler(conditions = LookCondition)]
async fn finder(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    find(widget, lab, cx).await?;
    rest(widget, cx).await?;
    Ok(())
}

pub(crate) fn indexes(world: &World, lab: &Arc<Lab>) -> Operator {
    world.prepare::<finder>(lab.clone())
}

#[derive(ConditionSet)]
#[condition_set(mod = is)]
enum ListCondition {
    /// The maps were counted.
    #[condition(positive)]
    Counted,
}

#[sub_reconciler(sets(is::Counted), watches(ConfigMap, labels = "look=yes"))]
async fn count(widget: &Widget, lab: &Arc<Lab>, cx: &mut Cx) -> Result<(), WidgetError> {
    let all = cx.list::<ConfigMap>().await?.len();
    lab.note(&format!("count {}: {all}", widget.name_any()));
    cx.set(is::Counted, ConditionStatus::True, "Counted", format!("{all} maps"));
    Ok(())
}

#[reconciler(conditions = ListCondition)]
async fn lister(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    count(widget, lab, cx).await?;
    Ok(())
}

pub(crate) fn selections(world: &World, lab: &Arc<Lab>) -> Operator {
    world.prepare::<lister>(lab.clone())
}

#[derive(ConditionSet)]
#[condition_set(mod = copy)]
enum BackupCondition {
    /// There is a copy.
    #[condition(positive)]
    BackedUp,
}

#[sub_reconciler(sets(copy::BackedUp), external)]
async fn back_up(widget: &Widget, lab: &Arc<Lab>, cx: &mut Cx) -> Result<(), WidgetError> {
    lab.note(&format!("back up {}", widget.name_any()));
    cx.status().stamp = Some("copy 1".into());
    Ok(())
}

#[cleanup(of = back_up)]
async fn forget(_: &Widget, _: &Arc<Lab>, _cx: &mut Cx) -> Result<(), WidgetError> {
    Ok(())
}

#[reconciler(conditions = BackupCondition, summary = "BackupReady")]
async fn backups(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    back_up(widget, lab, cx).await?;
    Ok(())
}

/// Two reconcilers of one kind.
pub(crate) fn two(world: &World, lab: &Arc<Lab>) -> Operator {
    plain(world, lab).reconciler::<backups>(lab.clone())
}

/// Reads where no change is allowed.
#[observe(sets(on::Stored))]
async fn see(widget: &Widget, lab: &Arc<Lab>, cx: &mut Cx) -> Result<(), WidgetError> {
    lab.note(&format!("see {}", widget.name_any()));
    cx.status().fetched = Some("seen".into());
    Ok(())
}

#[hook(before_steps)]
async fn announce(_: &Widget, _: &Arc<Lab>) -> Result<(), WidgetError> {
    Ok(())
}

/// Policies of objects and namespaces, a hook, one-shot actions.
#[reconciler(conditions = WidgetCondition, policies(namespace), observe = see, hooks(announce), finalizer = "example.com/governed",
    field_manager = "governor", suspend = spec.suspend)]
async fn governed(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    let revision = ask(widget, lab, cx).await?;
    store(widget, lab, &revision.as_str().into(), cx).await?;
    Ok(())
}

#[sub_reconciler(sets(on::Fetched, on::Outdated), actions(force, hard_reset))]
async fn ask(widget: &Widget, lab: &Arc<Lab>, cx: &mut Cx) -> Result<String, WidgetError> {
    let fired = [cx.requested("force"), cx.requested("hard_reset")];
    lab.note(&format!("ask {} {fired:?}", widget.name_any()));
    Ok("a".into())
}

pub(crate) fn policies(world: &World, lab: &Arc<Lab>) -> Operator {
    world.prepare::<governed>(lab.clone())
}

/// Something that takes long.
#[derive(CustomResource, JsonSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Engine", namespaced, status = "EngineStatus")]
#[serde(rename_all = "camelCase")]
pub(crate) struct EngineSpec {
    /// What to build.
    pub size: u32,
    /// Where it comes from.
    pub from: Option<Reference>,
}

#[evenkeel::status]
pub(crate) struct EngineStatus {
    /// What was built.
    pub built: Option<String>,
    /// The building of it.
    pub building: Option<RemoteOperation>,
}

#[derive(ConditionSet)]
#[condition_set(mod = engine_is)]
enum EngineCondition {
    /// It is built.
    #[condition(positive)]
    Built,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
enum EngineError {
    /// Time is needed.
    #[error("it is being built")]
    #[class(waiting(poll = "1s"))]
    Building,
    /// A call failed.
    #[error(transparent)]
    #[class(transient)]
    Api(#[from] ApiError),
}

/// An engine of size 1 is built at once, others never.
#[sub_reconciler(sets(engine_is::Built))]
async fn build(engine: &Engine, lab: &Arc<Lab>, cx: &mut Cx) -> Result<(), EngineError> {
    lab.note(&format!("build {}", engine.name_any()));
    let size = engine.spec.size;
    if cx.status().built.is_some() {
        return Ok(());
    }
    let built = cx.operation(
        |status| &mut status.building,
        || async move { Ok::<_, EngineError>(format!("order of size {size}")) },
        |handle| async move { Ok((size == 1).then(|| format!("made by {handle}"))) },
    );
    let Some(built) = built.await? else { return Err(EngineError::Building) };
    cx.status().built = Some(built);
    Ok(())
}

#[reconciler(conditions = EngineCondition)]
async fn engine(engine: &Engine, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    build(engine, lab, cx).await?;
    Ok(())
}

pub(crate) fn operations(world: &World, lab: &Arc<Lab>) -> Operator {
    world.prepare::<engine>(lab.clone())
}
