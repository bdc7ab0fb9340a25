//! The operator, written with evenkeel.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use evenkeel::Reconciler;
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Client, CustomResourceExt};
use tokio::time::Instant;

use crate::kind::{Release, ReleaseStatus, applied, child, children, inventory};

/// The condition of a release.
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

/// Counts the bodies, and selects the deliberate mistakes.
#[derive(Default)]
pub struct Lab {
    /// The number of bodies that ran.
    pub bodies: AtomicUsize,
    /// Writes a timestamp into the status.
    pub stamps: bool,
    /// Makes the body slow.
    pub naps: bool,
    /// Rounds of a computation in the body.
    pub computes: u32,
}

impl Lab {
    pub(crate) fn count(&self) {
        self.bodies.fetch_add(1, Ordering::Relaxed);
    }

    /// The number of bodies that ran.
    #[must_use]
    pub fn bodies(&self) -> usize {
        self.bodies.load(Ordering::Relaxed)
    }
}

/// Records the applied objects in the status.
fn note(release: &Release, lab: &Lab, status: &mut ReleaseStatus) {
    lab.count();
    status.inventory = inventory();
    status.last_applied_revision = Some(applied(&release.spec));
    if lab.stamps {
        status.stamp = Some(format!("{:?}", Instant::now()));
    }
}

/// Sleeps for 5 to 25 ms, depending on the pass.
pub(crate) async fn nap(nth: usize) {
    tokio::time::sleep(Duration::from_millis(5 + nth as u64 * 7 % 21)).await;
}

/// Takes processor time: some nanoseconds for each round.
pub(crate) fn compute(rounds: u32) {
    let found = (0..rounds).fold(1_u64, |state, _| std::hint::black_box(state.rotate_left(7) ^ 0x9E37_79B9));
    std::hint::black_box(found);
}

/// Applies the release by recording what it would apply.
#[sub_reconciler(sets(on::Applied))]
pub async fn apply(release: &Release, lab: &Arc<Lab>, cx: &mut Cx) -> Result<(), ReleaseError> {
    if lab.naps {
        nap(lab.bodies()).await;
    }
    compute(lab.computes);
    note(release, lab, cx.status());
    Ok(())
}

/// The same, with an external effect.
#[sub_reconciler(sets(on::Applied), external)]
pub async fn apply_outside(release: &Release, lab: &Arc<Lab>, cx: &mut Cx) -> Result<(), ReleaseError> {
    note(release, lab, cx.status());
    Ok(())
}

/// Removes the external effect.
#[cleanup(of = apply_outside)]
pub async fn remove(_: &Release, _: &Arc<Lab>, _cx: &mut Cx) -> Result<(), ReleaseError> {
    Ok(())
}

/// The same with a child.
#[sub_reconciler(sets(on::Applied), owns(ConfigMap), external)]
pub async fn apply_child(release: &Release, lab: &Arc<Lab>, cx: &mut Cx) -> Result<(), ReleaseError> {
    note(release, lab, cx.status());
    cx.apply(&child(&release.metadata, &release.spec)).await?;
    Ok(())
}

/// Removes everything except the child.
#[cleanup(of = apply_child)]
pub async fn remove_child(_: &Release, _: &Arc<Lab>, _cx: &mut Cx) -> Result<(), ReleaseError> {
    Ok(())
}

/// A reconciler of releases with a status.
#[reconciler(conditions = ReleaseCondition)]
pub async fn plain(release: &Release, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    apply(release, lab, cx).await?;
    Ok(())
}

/// The same as a watcher.
#[watcher(conditions = ReleaseCondition, sets(on::Applied), undo = none)]
pub async fn watched(event: Event<'_, Release>, lab: &Arc<Lab>, cx: &mut Cx) -> Result<(), ReleaseError> {
    note(event.object(), lab, cx.status());
    Ok(())
}

/// A watcher that caches no content.
pub struct Uncached {
    lab: Arc<Lab>,
}

#[watcher(plain, cache = none)]
impl Uncached {
    async fn sync(&self, release: &Release) -> Result<(), ReleaseError> {
        assert!(!release.spec.path.is_empty(), "it has the whole object");
        self.lab.count();
        Ok(())
    }
}

/// A reconciler of releases with a finalizer and a status.
#[reconciler(conditions = ReleaseCondition)]
pub async fn finalized(release: &Release, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    apply_outside(release, lab, cx).await?;
    Ok(())
}

/// A reconciler of releases with a finalizer, a child and a status.
#[reconciler(conditions = ReleaseCondition)]
pub async fn parent(release: &Release, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    apply_child(release, lab, cx).await?;
    Ok(())
}

/// The same with an hourly resync.
#[reconciler(conditions = ReleaseCondition, requeue = "1h")]
pub async fn hourly(release: &Release, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    apply_child(release, lab, cx).await?;
    Ok(())
}

/// The same with two children, and without an external effect.
#[sub_reconciler(sets(on::Applied), owns(ConfigMap))]
pub async fn apply_children(release: &Release, lab: &Arc<Lab>, cx: &mut Cx) -> Result<(), ReleaseError> {
    note(release, lab, cx.status());
    for child in children(&release.metadata, &release.spec, 2) {
        cx.apply(&child).await?;
    }
    Ok(())
}

/// A reconciler of releases with two children.
#[reconciler(conditions = ReleaseCondition)]
pub async fn pair(release: &Release, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    apply_children(release, lab, cx).await?;
    Ok(())
}

/// Watches children and creates none.
#[sub_reconciler(sets(on::Applied), owns(ConfigMap))]
pub async fn watch_children(release: &Release, lab: &Arc<Lab>, cx: &mut Cx) -> Result<(), ReleaseError> {
    note(release, lab, cx.status());
    Ok(())
}

/// A reconciler for the memory of children.
#[reconciler(conditions = ReleaseCondition)]
pub async fn owner(release: &Release, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    watch_children(release, lab, cx).await?;
    Ok(())
}

/// Runs a reconciler for ever.
///
/// # Panics
/// It cannot start.
pub async fn start<R: Reconciler<Object: CustomResourceExt, Deps = Arc<Lab>>>(client: Client) {
    start_with::<R>(client, Arc::default()).await;
}

/// Runs a reconciler for ever and counts its bodies.
///
/// # Panics
/// It cannot start.
pub async fn start_with<R: Reconciler<Object: CustomResourceExt, Deps = Arc<Lab>>>(client: Client, lab: Arc<Lab>) {
    let operator = Operator::new("bench").client(client).reconciler::<R>(lab);
    operator.run_until(std::future::pending()).await.unwrap();
}

/// Runs a reconciler for ever whose cache keeps this many objects decoded, and counts its bodies.
///
/// # Panics
/// It cannot start.
pub async fn start_compact<R>(client: Client, lab: Arc<Lab>, decoded: usize)
where
    R: Reconciler<Object: CustomResourceExt, Deps = Arc<Lab>>,
{
    let decoded = decoded.try_into().expect("at least one");
    let operator = Operator::new("bench").client(client).compact_cache(decoded).reconciler::<R>(lab);
    operator.run_until(std::future::pending()).await.unwrap();
}

/// Runs the watcher without a cache for ever.
///
/// # Panics
/// It cannot start.
pub async fn start_uncached(client: Client, lab: Arc<Lab>) {
    let operator = Operator::new("bench").client(client).watcher::<Uncached>(Uncached { lab });
    operator.run_until(std::future::pending()).await.unwrap();
}
