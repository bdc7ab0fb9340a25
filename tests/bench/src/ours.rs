//! The operator, written with evenkeel.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use evenkeel::Reconciler;
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Client, CustomResourceExt};
use tokio::time::Instant;

use crate::kind::{Release, ReleaseStatus, applied, child, inventory};

/// How a release stands.
#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub enum ReleaseCondition {
    /// What the release holds is in the cluster.
    #[condition(positive)]
    Applied,
}

/// What can go wrong.
#[derive(Debug, thiserror::Error, ReconcileError)]
pub enum ReleaseError {
    /// A call failed.
    #[error(transparent)]
    #[class(transient)]
    Api(#[from] ApiError),
}

/// What is counted in the bodies, and what goes wrong on purpose.
#[derive(Default)]
pub struct Lab {
    /// How many bodies ran.
    pub bodies: AtomicUsize,
    /// The status gets a time stamp.
    pub stamps: bool,
    /// The body takes a while.
    pub naps: bool,
}

impl Lab {
    pub(crate) fn count(&self) {
        self.bodies.fetch_add(1, Ordering::Relaxed);
    }

    /// How many bodies ran.
    #[must_use]
    pub fn bodies(&self) -> usize {
        self.bodies.load(Ordering::Relaxed)
    }
}

/// Notes what is applied in the status.
fn note(release: &Release, lab: &Lab, status: &mut ReleaseStatus) {
    lab.count();
    status.inventory = inventory();
    status.last_applied_revision = Some(applied(release));
    if lab.stamps {
        status.stamp = Some(format!("{:?}", Instant::now()));
    }
}

/// Takes 5 to 25 ms, one pass more than another.
pub(crate) async fn nap(nth: usize) {
    tokio::time::sleep(Duration::from_millis(5 + nth as u64 * 7 % 21)).await;
}

/// Applies the release: here it writes down what it would have applied.
#[sub_reconciler(sets(on::Applied))]
pub async fn apply(release: &Release, lab: &Arc<Lab>, cx: &mut Cx) -> Result<(), ReleaseError> {
    if lab.naps {
        nap(lab.bodies()).await;
    }
    note(release, lab, cx.status());
    Ok(())
}

/// The same, and there is something to undo.
#[sub_reconciler(sets(on::Applied), external)]
pub async fn apply_outside(release: &Release, lab: &Arc<Lab>, cx: &mut Cx) -> Result<(), ReleaseError> {
    note(release, lab, cx.status());
    Ok(())
}

/// Undoes it.
#[cleanup(of = apply_outside)]
pub async fn remove(_: &Release, _: &Arc<Lab>, _cx: &mut Cx) -> Result<(), ReleaseError> {
    Ok(())
}

/// The same with a child.
#[sub_reconciler(sets(on::Applied), owns(ConfigMap), external)]
pub async fn apply_child(release: &Release, lab: &Arc<Lab>, cx: &mut Cx) -> Result<(), ReleaseError> {
    note(release, lab, cx.status());
    cx.apply(&child(release)).await?;
    Ok(())
}

/// Undoes what is not the child.
#[cleanup(of = apply_child)]
pub async fn remove_child(_: &Release, _: &Arc<Lab>, _cx: &mut Cx) -> Result<(), ReleaseError> {
    Ok(())
}

/// Keeps releases: a status.
#[reconciler(conditions = ReleaseCondition)]
pub async fn plain(release: &Release, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    apply(release, lab, cx).await?;
    Ok(())
}

/// Keeps releases: a finalizer and a status.
#[reconciler(conditions = ReleaseCondition)]
pub async fn finalized(release: &Release, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    apply_outside(release, lab, cx).await?;
    Ok(())
}

/// Keeps releases: a finalizer, a child and a status.
#[reconciler(conditions = ReleaseCondition)]
pub async fn parent(release: &Release, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    apply_child(release, lab, cx).await?;
    Ok(())
}

/// The same, looked at again each hour.
#[reconciler(conditions = ReleaseCondition, requeue = "1h")]
pub async fn hourly(release: &Release, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    apply_child(release, lab, cx).await?;
    Ok(())
}

/// Watches children, and makes none.
#[sub_reconciler(sets(on::Applied), owns(ConfigMap))]
pub async fn watch_children(release: &Release, lab: &Arc<Lab>, cx: &mut Cx) -> Result<(), ReleaseError> {
    note(release, lab, cx.status());
    Ok(())
}

/// For the memory of children.
#[reconciler(conditions = ReleaseCondition)]
pub async fn owner(release: &Release, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    watch_children(release, lab, cx).await?;
    Ok(())
}

/// Runs a reconciler for ever.
///
/// # Panics
/// When it cannot start.
pub async fn start<R: Reconciler<Object: CustomResourceExt, Deps = Arc<Lab>>>(client: Client) {
    start_with::<R>(client, Arc::default()).await;
}

/// The same, and counts its bodies.
///
/// # Panics
/// When it cannot start.
pub async fn start_with<R: Reconciler<Object: CustomResourceExt, Deps = Arc<Lab>>>(client: Client, lab: Arc<Lab>) {
    let operator = Operator::new("bench").client(client).reconciler::<R>(lab);
    operator.run_until(std::future::pending()).await.unwrap();
}
