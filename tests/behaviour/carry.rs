//! Values that one try of a step hands to the next.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::sync::Arc;
use std::time::Duration;

use evenkeel::prelude::*;
use evenkeel_testkit::Cluster;
use evenkeel_tests::test_env::World;
use evenkeel_tests::widget::{Lab, is_ready};
use kube::{CustomResource, CustomResourceExt, KubeSchema};
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Parcel", namespaced, status = "ParcelStatus")]
pub(crate) struct ParcelSpec {
    /// The number of tries until it is sent.
    tries: u32,
    /// The try that does not end.
    #[serde(default)]
    hangs: Option<u32>,
}

#[status]
pub(crate) struct ParcelStatus {}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub(crate) enum ParcelCondition {
    /// It is weighed.
    #[condition(positive)]
    Weighed,
    /// It is sent.
    #[condition(positive)]
    Sent,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
pub(crate) enum ParcelError {
    #[error("not yet")]
    #[class(transient)]
    NotYet,
}

/// The tries so far.
#[derive(Debug, Default)]
struct Seen(Vec<u32>);

#[sub_reconciler(sets(on::Weighed))]
async fn weigh(_: &Parcel, lab: &Arc<Lab>, cx: &mut Cx) -> Result<(), ParcelError> {
    // The value of the other step is another one.
    let count = cx.carry::<Seen>().0.len();
    lab.note(&format!("weighed after {count}"));
    Ok(())
}

#[sub_reconciler(sets(on::Sent), timeout = "10s")]
async fn send(parcel: &Parcel, lab: &Arc<Lab>, cx: &mut Cx) -> Result<(), ParcelError> {
    let tries = cx.tries();
    let seen = cx.carry::<Seen>();
    seen.0.push(tries);
    lab.note(&format!("{:?}", seen.0));
    if parcel.spec.hangs == Some(tries) {
        std::future::pending::<()>().await;
    }
    if tries < parcel.spec.tries { Err(ParcelError::NotYet) } else { Ok(()) }
}

#[reconciler(conditions = ParcelCondition)]
pub(crate) async fn parcels(parcel: &Parcel, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    weigh(parcel, lab, cx).await?;
    send(parcel, lab, cx).await?;
    Ok(())
}

/// What `send` saw of earlier tries, for these specs one after the other.
async fn seen(specs: &[serde_json::Value]) -> Vec<String> {
    let world = World::within(Cluster::start().await);
    world.install(&Parcel::crd()).await;
    let lab = Lab::at("one");
    let operator = world.operator::<parcels>(lab.clone());
    let meta = json!({ "name": "a" });
    for (at, spec) in specs.iter().enumerate() {
        if at == 0 {
            let parcel =
                json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Parcel", "metadata": meta, "spec": spec });
            world.create::<Parcel>(parcel).await;
        } else {
            world.merge::<Parcel>("a", json!({ "spec": spec })).await;
        }
        tokio::time::sleep(Duration::from_secs(600)).await;
    }
    let is_sent = is_ready(&world.raw::<Parcel>("a").await);
    operator.stop().await.unwrap();
    assert!(is_sent);
    let log = lab.log();
    assert!(log.iter().filter(|line| line.starts_with("weighed")).all(|line| line == "weighed after 0"), "{log:?}");
    log.into_iter().filter(|line| line.starts_with('[')).collect()
}

#[tokio::test(start_paused = true)]
async fn a_step_carries_a_value_until_it_succeeds() {
    let log = seen(&[json!({ "tries": 2 }), json!({ "tries": 1 })]).await;
    assert_eq!(log, ["[0]", "[0, 1]", "[0, 1, 2]", "[0]", "[0, 1]"]);
}

#[tokio::test(start_paused = true)]
async fn a_new_generation_begins_anew() {
    let log = seen(&[json!({ "tries": 1_000_000 }), json!({ "tries": 0 })]).await;
    let (last, others) = log.split_last().unwrap();
    assert!(last == "[0]" && others.len() > 2 && others.last().unwrap().len() > last.len(), "{log:?}");
}

#[tokio::test(start_paused = true)]
async fn a_try_that_is_cut_off_hands_its_value_on() {
    let log = seen(&[json!({ "tries": 2, "hangs": 1 })]).await;
    assert_eq!(log, ["[0]", "[0, 1]", "[0, 1, 2]"]);
}
