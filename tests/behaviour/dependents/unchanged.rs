//! Sets that have converged: while neither their input nor a dependent changes, a pass does not look at their objects.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use evenkeel::dependents::{DependentOf, Dependents, DependentsError, Entry, Wanted};
use evenkeel::prelude::*;
use evenkeel_testkit::eventually;
use evenkeel_tests::on_each_server;
use evenkeel_tests::recording_client::{Call, Fault};
use evenkeel_tests::test_env::{SOON, World};
use evenkeel_tests::widget::{condition, is_ready, message};
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::{CustomResource, CustomResourceExt, KubeSchema, ResourceExt};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::watch;

#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Rack", namespaced, status = "RackStatus")]
pub(crate) struct RackSpec {
    /// The config maps of each step.
    upper: Vec<String>,
    lower: Vec<String>,
    /// What no set depends on.
    note: Option<String>,
}

#[status(dependents)]
pub(crate) struct RackStatus {}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub(crate) enum RackCondition {
    /// The upper board is filled.
    #[condition(positive)]
    Upper,
    /// The lower board is filled.
    #[condition(positive)]
    Lower,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
pub(crate) enum RackError {
    #[error(transparent)]
    #[class(transparent)]
    Dependents(#[from] DependentsError),
}

/// The number of objects of a step that were looked at.
#[derive(Clone, Debug, Default, Serialize)]
struct Looks {
    #[serde(skip)]
    count: Arc<AtomicUsize>,
}

/// Those of both steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Count {
    upper: Looks,
    lower: Looks,
}

impl Count {
    fn now(&self) -> [usize; 2] {
        [&self.upper, &self.lower].map(|looks| looks.count.load(Ordering::SeqCst))
    }
}

/// The set with these config maps.
fn filled<S>(mut wanted: Wanted<S>, names: &[String], looks: &Looks) -> Wanted<S>
where
    ConfigMap: DependentOf<S>,
{
    for name in names {
        let metadata = ObjectMeta { name: Some(name.clone()), ..ObjectMeta::default() };
        wanted.add(&ConfigMap { metadata, ..ConfigMap::default() });
    }
    wanted.each(looks, count);
    wanted
}

fn count(_: &mut Entry, looks: &Looks) {
    looks.count.fetch_add(1, Ordering::SeqCst);
}

#[sub_reconciler(sets(on::Upper), dependents(ConfigMap, empty = allow))]
async fn upper(rack: &Rack, looks: &Count, cx: &mut Cx) -> Result<Dependents, RackError> {
    let wanted = filled(cx.wanted(), &rack.spec.upper, &looks.upper);
    Ok(cx.converge(wanted).await?)
}

#[sub_reconciler(sets(on::Lower), dependents(ConfigMap, empty = allow))]
async fn lower(rack: &Rack, looks: &Count, cx: &mut Cx) -> Result<Dependents, RackError> {
    let wanted = filled(cx.wanted(), &rack.spec.lower, &looks.lower);
    Ok(cx.converge(wanted).await?)
}

#[reconciler(conditions = RackCondition)]
pub(crate) async fn racks(rack: &Rack, looks: &Count, cx: &mut Pass<'_>) -> PassResult {
    upper(rack, looks, cx).await?;
    lower(rack, looks, cx).await?;
    Ok(())
}

on_each_server!(
    a_pass_looks_only_at_the_objects_of_sets_that_have_changed,
    an_object_of_an_unchanged_set_stays_in_it,
    a_drift_during_the_roll_out_of_another_set_is_corrected
);

fn rack() -> Value {
    let spec = json!({ "upper": ["a", "b"], "lower": ["c"] });
    json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Rack", "metadata": { "name": "one" }, "spec": spec })
}

async fn until_ready(world: &World) {
    world.until::<Rack>("one", "ready", is_ready).await;
    world.quiet().await;
}

/// Changes the spec, and returns which boards were looked at.
async fn changed(world: &World, count: &Count, spec: Value) -> [bool; 2] {
    let before = count.now();
    world.merge::<Rack>("one", json!({ "spec": spec })).await;
    until_ready(world).await;
    let after = count.now();
    [before[0] < after[0], before[1] < after[1]]
}

async fn a_pass_looks_only_at_the_objects_of_sets_that_have_changed(world: World) -> World {
    world.install(&Rack::crd()).await;
    let count = Count::default();
    let operator = world.operator::<racks>(count.clone());
    world.create::<Rack>(rack()).await;
    until_ready(&world).await;
    // The passes after this one know that both sets have converged.
    changed(&world, &count, json!({ "note": "0" })).await;
    assert_eq!(changed(&world, &count, json!({ "note": "1" })).await, [false, false]);
    assert_eq!(changed(&world, &count, json!({ "lower": ["c", "d"] })).await, [false, true]);
    assert_eq!(changed(&world, &count, json!({ "note": "2" })).await, [false, false]);
    let before = count.now();
    let uid = world.api::<ConfigMap>().get("a").await.unwrap().uid();
    world.delete::<ConfigMap>("a").await;
    let again = || async { world.api::<ConfigMap>().get_opt("a").await.unwrap().filter(|map| map.uid() != uid) };
    eventually(SOON, again).await;
    until_ready(&world).await;
    let after = count.now();
    assert!(before[0] < after[0] && before[1] < after[1], "{before:?} {after:?}");
    assert_eq!(changed(&world, &count, json!({ "upper": ["b"] })).await, [true, true]);
    assert!(world.api::<ConfigMap>().get_opt("a").await.unwrap().is_none());
    operator.stop().await.unwrap();
    world
}

async fn an_object_of_an_unchanged_set_stays_in_it(world: World) -> World {
    world.install(&Rack::crd()).await;
    let count = Count::default();
    let operator = world.operator::<racks>(count.clone());
    world.create::<Rack>(rack()).await;
    until_ready(&world).await;
    changed(&world, &count, json!({ "note": "0" })).await;
    world.merge::<Rack>("one", json!({ "spec": { "lower": ["a", "c"] } })).await;
    let is_refused = |rack: &Value| condition(rack, "Lower").is_some_and(|one| one["reason"] == "ManifestInvalid");
    let refused = world.until::<Rack>("one", "refused", is_refused).await;
    assert!(message(&refused, "Lower").contains("the step upper wants it, too"), "{refused}");
    let of_upper = world.api::<ConfigMap>().get("a").await.unwrap();
    assert_eq!(changed(&world, &count, json!({ "upper": ["b"] })).await, [true, true]);
    let of_lower = world.api::<ConfigMap>().get("a").await.unwrap();
    assert_eq!(of_lower.uid(), of_upper.uid());
    let mark = |map: &ConfigMap| map.labels().get("evenkeel.dev/dependent-of").cloned();
    assert!(mark(&of_lower).is_some() && mark(&of_lower) != mark(&of_upper));
    world.delete::<Rack>("one").await;
    world.until_gone::<Rack>("one").await;
    assert!(world.api::<ConfigMap>().get_opt("a").await.unwrap().is_none());
    operator.stop().await.unwrap();
    world
}

/// What happens after a set was looked at, while a later step of the same pass waits for a call.
async fn a_drift_during_the_roll_out_of_another_set_is_corrected(world: World) -> World {
    world.install(&Rack::crd()).await;
    let operator = world.operator::<racks>(Count::default());
    world.create::<Rack>(rack()).await;
    until_ready(&world).await;
    let (pass_on, held) = watch::channel(false);
    let is_last = |call: &Call| call.is_write() && call.path.ends_with("/configmaps/d");
    world.wire.fault(move |call| is_last(call).then(|| Fault::Hold(held.clone())));
    // The upper set is looked at, too: something of it is new.
    world.merge::<Rack>("one", json!({ "spec": { "upper": ["a", "b", "e"], "lower": ["c", "d"] } })).await;
    eventually(SOON, || async { (world.wire.count(is_last) > 0).then_some(()) }).await;
    let uid = world.api::<ConfigMap>().get("a").await.unwrap().uid();
    world.delete::<ConfigMap>("a").await;
    world.quiet().await;
    pass_on.send_replace(true);
    eventually(SOON, || async { world.api::<ConfigMap>().get_opt("a").await.unwrap().filter(|map| map.uid() != uid) })
        .await;
    until_ready(&world).await;
    operator.stop().await.unwrap();
    world
}
