//! The fault sweep finds no bug in a correct reconciler of plain kube-rs, and finds each of three seeded bugs.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use evenkeel_testkit::{
    Crash, Disruption, Effect, ExternalState, Refused, Report, Seed, Sweep, Trial, eventually, until,
};
use futures::StreamExt;
use kube::api::{Patch, PatchParams, PostParams};
use kube::runtime::controller::Action;
use kube::runtime::{Controller, watcher};
use kube::{Api, Client, CustomResource, CustomResourceExt, ResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// A bucket outside the cluster.
#[derive(CustomResource, JsonSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "ex.dev", version = "v1", kind = "Bucket", namespaced, status = "BucketStatus")]
struct BucketSpec {
    content: String,
}

#[derive(JsonSchema, Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct BucketStatus {
    observed_generation: Option<i64>,
    ready: bool,
}

/// The bug of the reconciler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bug {
    None,
    /// The side effect happens before the finalizer is added.
    FinalizerLate,
    /// The status is written in two requests, and the first one already sets `observedGeneration`.
    TwoStatusWrites,
    /// A conflict is treated as success.
    SwallowedConflict,
}

struct Context {
    buckets: Api<Bucket>,
    external: ExternalState,
    bug: Bug,
}

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Api(#[from] kube::Error),
    #[error(transparent)]
    ExternalState(#[from] Refused),
    #[error("no answer")]
    Silence(#[from] tokio::time::error::Elapsed),
}

const FINALIZER: &str = "ex.dev/bucket";

impl Context {
    async fn claim(&self, bucket: &Bucket) -> kube::Result<()> {
        if bucket.finalizers().iter().any(|name| name == FINALIZER) {
            return Ok(());
        }
        let patch = json!({"metadata": {"finalizers": [FINALIZER], "resourceVersion": bucket.resource_version()}});
        self.buckets.patch(&bucket.name_any(), &PatchParams::default(), &Patch::Merge(patch)).await.map(drop)
    }

    /// Replaces the status of the object as it is now.
    async fn write(&self, name: &str, change: impl FnOnce(&mut BucketStatus)) -> kube::Result<()> {
        let mut bucket = self.buckets.get(name).await?;
        change(bucket.status.get_or_insert_default());
        self.buckets.replace_status(name, &PostParams::default(), &bucket).await.map(drop)
    }

    async fn report(&self, bucket: &Bucket) -> kube::Result<()> {
        let (name, generation) = (bucket.name_any(), bucket.metadata.generation);
        if self.bug == Bug::TwoStatusWrites {
            self.write(&name, |status| status.observed_generation = generation).await?;
            return self.write(&name, |status| status.ready = true).await;
        }
        let written =
            self.write(&name, |status| *status = BucketStatus { observed_generation: generation, ready: true });
        match written.await {
            Err(kube::Error::Api(status)) if status.is_conflict() && self.bug == Bug::SwallowedConflict => Ok(()),
            written => written,
        }
    }

    async fn clean(&self, bucket: &Bucket) -> Result<(), Error> {
        self.external.remove(&bucket.name_any()).await?;
        let patch = Patch::Merge(json!({"metadata": {"finalizers": null}}));
        // A 404 is an error here: it may mean that the kind is not served, so it does not prove a deletion.
        self.buckets.patch(&bucket.name_any(), &PatchParams::default(), &patch).await.map(drop).map_err(Error::Api)
    }
}

/// The timeout of one run. Calls to the external system may hang, too.
const RUN: Duration = Duration::from_secs(120);

async fn reconcile(bucket: Arc<Bucket>, context: Arc<Context>) -> Result<Action, Error> {
    tokio::time::timeout(RUN, run(bucket, context)).await?
}

async fn run(bucket: Arc<Bucket>, context: Arc<Context>) -> Result<Action, Error> {
    if bucket.metadata.deletion_timestamp.is_some() {
        if !bucket.finalizers().is_empty() {
            context.clean(&bucket).await?;
        }
        return Ok(Action::await_change());
    }
    if bucket.status.as_ref().and_then(|status| status.observed_generation) == bucket.metadata.generation {
        return Ok(Action::await_change());
    }
    if context.bug != Bug::FinalizerLate {
        context.claim(&bucket).await?;
    }
    context.external.put(&bucket.name_any(), &bucket.spec.content).await?;
    if context.bug == Bug::FinalizerLate {
        context.claim(&bucket).await?;
    }
    context.report(&bucket).await?;
    Ok(Action::await_change())
}

async fn operator(client: Client, external: ExternalState, bug: Bug) {
    let buckets: Api<Bucket> = Api::default_namespaced(client);
    let context = Arc::new(Context { buckets: buckets.clone(), external, bug });
    let again = |_: Arc<Bucket>, _: &Error, _: Arc<Context>| Action::requeue(Duration::from_secs(2));
    Controller::new(buckets, watcher::Config::default()).run(reconcile, again, context).for_each(async |_| {}).await;
}

const LONG: Duration = Duration::from_secs(600);

/// A bucket that is changed once, and a bucket that its user deletes after ten seconds.
async fn scenario(trial: &Trial, bug: Bug) {
    let bucket = |name: &str| json!({"apiVersion": "ex.dev/v1", "kind": "Bucket", "metadata": {"name": name}, "spec": {"content": "c"}});
    trial.cluster().seed(Seed::from(&Bucket::crd()).and(bucket("stays")).and(bucket("goes"))).await.unwrap();
    let external = trial.external();
    trial.operate(move |client| operator(client, external.clone(), bug));
    tokio::time::sleep(Duration::from_secs(10)).await;
    let buckets: Api<Bucket> = Api::default_namespaced(trial.client());
    buckets.delete("goes", &Default::default()).await.unwrap();
    until(&buckets, "stays", LONG, |bucket| is_ready(bucket, 1)).await;
    let change = Patch::Merge(json!({"spec": {"content": "other"}}));
    buckets.patch("stays", &PatchParams::default(), &change).await.unwrap();
    until(&buckets, "stays", LONG, |bucket| is_ready(bucket, 2)).await;
    eventually(LONG, || async { buckets.get_opt("goes").await.unwrap().is_none().then_some(()) }).await;
}

fn is_ready(bucket: &Bucket, generation: i64) -> bool {
    bucket.status.as_ref().is_some_and(|status| status.ready && status.observed_generation == Some(generation))
}

/// Runs only the disruptions that find the bug, since a full sweep is slow.
async fn sweep(bug: Bug, disruptions: &[Disruption]) -> Report {
    let sweep = Sweep::new().disruptions(disruptions.iter().cloned());
    sweep.run(async |trial| scenario(&trial, bug).await).await
}

async fn full_sweep() -> Report {
    let sweep = Sweep::new().read_timeout(Duration::from_secs(60));
    sweep.run(async |trial| scenario(&trial, Bug::None).await).await
}

#[tokio::test(start_paused = true)]
async fn a_client_without_a_read_timeout_is_detected() {
    let sweep = Sweep::new().disruptions([Disruption::Fault(Effect::Hang)]);
    let failing = failing(&sweep.run(async |trial| scenario(&trial, Bug::None).await).await);
    assert!(failing.contains(&"list buckets default: Hang".to_owned()), "{failing:#?}");
}

#[tokio::test(start_paused = true)]
async fn the_report_counts_the_trials_beyond_the_limit() {
    let report = Sweep::new().limit(10).read_timeout(Duration::from_secs(60));
    let report = report.run(async |trial| scenario(&trial, Bug::None).await).await;
    assert_eq!(report.missed(), Vec::<&Disruption>::new(), "at least one trial for each disruption");
    assert!(report.to_string().contains("more trials; EVENKEEL_SWEEP=all runs all of them"), "{report}");
}

#[tokio::test(start_paused = true)]
async fn an_unreached_await_is_replaced_by_an_earlier_one() {
    let runs = AtomicUsize::new(0);
    let sweep = Sweep::new().disruptions([Disruption::Crash(Crash::Await)]).limit(1);
    let report = sweep.run(async |trial| {
        // The two runs without a disruption have many more awaits than those after them.
        let awaits = if runs.fetch_add(1, Ordering::Relaxed) < 2 { 100 } else { 10 };
        trial.operate(move |_| async move {
            for _ in 0..awaits {
                tokio::task::yield_now().await;
            }
            std::future::pending::<()>().await;
        });
        tokio::time::sleep(Duration::from_secs(60)).await;
    });
    let report = report.await;
    assert_eq!(report.missed(), Vec::<&Disruption>::new(), "{report}");
    let visits: Vec<_> = report.visits().iter().map(|visit| (visit.injected, visit.number <= 11)).collect();
    assert_eq!(visits, [(true, true)], "{report}");
}

/// Returns point and disruption of each failed trial, such as `patch buckets default/stays: crash before`.
fn failing(report: &Report) -> Vec<String> {
    report.failures().map(|visit| format!("{}: {}", visit.point, visit.disruption)).collect()
}

#[tokio::test(start_paused = true)]
async fn a_correct_reconciler_converges_after_each_disruption() {
    let report = full_sweep().await;
    report.assert_converged();
    let lines: Vec<&str> = report.visits().iter().map(|visit| visit.point.as_str()).collect();
    for point in ["watch buckets default", "external put stays", "update buckets/status default/stays", "await"] {
        assert!(lines.contains(&point), "{point} was not visited:\n{report}");
    }
    let counts = report.counts();
    let disruptions = [
        "BareForbidden",
        "Conflict",
        "DropWatch(5s)",
        "Expired",
        "Forbidden",
        "Garbage",
        "HalfBody",
        "Hang",
        "Internal",
        "KindNotFound",
        "Latency(5s)",
        "LostAnswer",
        "OtherJson",
        "PageNotFound",
        "Starting",
        "SubresourceNotFound",
        "Timeout",
        "TooManyRequests(1)",
        "Unauthorized",
        "Unavailable",
        "crash",
        "crash after",
        "crash before",
    ];
    assert_eq!(counts.keys().collect::<Vec<_>>(), disruptions, "each disruption was injected");
    let crashes =
        |visit: &&evenkeel_testkit::Visit| visit.disruption == Disruption::Crash(Crash::After) && visit.injected;
    assert!(report.visits().iter().filter(crashes).count() >= 6, "{report}");
}

#[tokio::test(start_paused = true)]
async fn a_finalizer_after_the_side_effect_is_detected() {
    let failing = failing(&sweep(Bug::FinalizerLate, &[Crash::Before, Crash::After].map(Disruption::Crash)).await);
    // The user deletes the bucket while the operator is down, so the external item is never removed.
    assert!(failing.contains(&"external put goes: crash after".to_owned()), "{failing:#?}");
    assert!(failing.contains(&"patch buckets default/goes: crash before".to_owned()), "{failing:#?}");
}

#[tokio::test(start_paused = true)]
async fn two_status_writes_are_detected() {
    let failing = failing(
        &sweep(Bug::TwoStatusWrites, &[Disruption::Fault(Effect::Internal), Disruption::Crash(Crash::After)]).await,
    );
    assert!(failing.contains(&"update buckets/status default/stays: Internal".to_owned()), "{failing:#?}");
    assert!(failing.contains(&"update buckets/status default/stays: crash after".to_owned()), "{failing:#?}");
}

#[tokio::test(start_paused = true)]
async fn a_swallowed_conflict_is_detected() {
    let failing = failing(&sweep(Bug::SwallowedConflict, &[Disruption::Fault(Effect::Conflict)]).await);
    // The event of the finalizer write triggers another reconcile after the first status write. No event follows the
    // status write for the changed spec.
    assert_eq!(failing, ["update buckets/status default/stays: Conflict"]);
}
