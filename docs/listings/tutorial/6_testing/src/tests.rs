//! The tests of chapter 6: a row for each reason, the reasons that no row reaches, and a sweep.

use std::time::Duration;

use evenkeel::{ApiError, ReconcileError};
use evenkeel_testkit::{
    Coverage, Crash, Disruption, Effect, Fault, Row, Seed, Sweep, Trial, Verb, eventually, is_ready, until,
};
use kube::Api;
use kube::api::DeleteParams;

use super::store::Store;
use super::{Bucket, bucket, create, operator};

/// The claim has run already.
const PHOTOS: &str = "
apiVersion: storage.example.com/v1
kind: Bucket
metadata: {name: photos, finalizers: [storage.example.com/tester]}
spec: {region: north, secret: login, bucket: default.photos}
";
const NEW: &str = "
{apiVersion: storage.example.com/v1, kind: Bucket, metadata: {name: photos}, spec: {region: north, secret: login}}
";
const LOGIN: &str = "{apiVersion: v1, kind: Secret, metadata: {name: login}, stringData: {user: alice}}";
const EMPTY: &str = "{apiVersion: v1, kind: Secret, metadata: {name: login}}";
const LONG: Duration = Duration::from_secs(1200);

#[tokio::test(start_paused = true)]
async fn a_created_bucket_is_recorded() {
    let (row, store) = (Row::new("one step").given(PHOTOS), Store::default());
    row.step::<create, _>(async |bucket, cx| create(bucket, &store, "alice", cx).await).await.expect(
        "
        outcome: Ok(\"default.photos-0\")
        writes:
        - patch buckets/status default/photos: {status: {id: default.photos-0}}
        conditions: {Created: True Succeeded}
        ",
    );
}

#[tokio::test(start_paused = true)]
async fn the_rows_reach_every_other_reason() {
    let foreign = Store::default();
    foreign.create("default.photos", "another owner").await.expect("the store works");
    let row = |name: &str| Row::new(name).given(PHOTOS).given(LOGIN);
    let refused = || Fault::new(Effect::Forbidden).verb(Verb::Patch);
    let rows = [
        (row("a bucket that is being copied"), Store::default()),
        (row("a name that is taken"), foreign),
        (row("a record that is refused").fault(refused().resource("buckets")), Store::default()),
        (row("a ConfigMap that is refused").fault(refused().resource("configmaps")), Store::default()),
        (Row::new("an unknown region").given(PHOTOS.replace("north", "mars")).given(LOGIN), Store::default()),
        (Row::new("no Secret").given(PHOTOS), Store::default()),
        (Row::new("a Secret without the user").given(PHOTOS).given(EMPTY), Store::default()),
    ];
    let mut coverage = Coverage::default();
    coverage.declare_reconciler::<bucket>();
    for (row, store) in rows {
        coverage.add(row.pass::<bucket>(store).await.cluster());
    }
    coverage.assert_missing(unreached());
}

/// The reasons that no row reaches.
fn unreached() -> Vec<String> {
    // The sweep has the first two, and the third one needs a second pass.
    let own = ["Created StoreFailed", "Replicated StoreFailed", "Replicated Copied"];
    let mut all: Vec<String> = own.iter().map(|one| format!("buckets {one}")).collect();
    // These errors have the same class as `Forbidden`, or are handled before a step sees them.
    for error in ApiError::VARIANTS.iter().filter(|error| error.reason != "Forbidden") {
        all.extend(["Created", "Published"].map(|condition| format!("buckets {condition} {}", error.reason)));
    }
    all
}

#[tokio::test(start_paused = true)]
async fn the_operator_converges_after_any_fault() {
    let two = [Disruption::Crash(Crash::After), Disruption::Fault(Effect::Internal)];
    let report = Sweep::new().disruptions(two).run(scenario).await;
    report.assert_converged();
    assert_eq!(report.missed(), Vec::<&Disruption>::new(), "each disruption happened");
}

/// A bucket is created and deleted. Returns the user names at the store before and after the deletion.
async fn scenario(trial: Trial) -> [Vec<Option<String>>; 2] {
    let seed = Seed::from(&evenkeel::crd::<bucket>()).and(NEW).and(LOGIN);
    trial.cluster().seed(seed).await.expect("the objects are valid");
    // The store outlives the operator.
    let store = Store { calls: trial.sdk_calls(), ..Store::default() };
    let of_operator = store.clone();
    trial.operate(move |client| operator(of_operator.clone()).client(client).run_until(std::future::pending()));
    let users = || {
        let stored = store.buckets.lock().expect("no call panics");
        stored.values().map(|bucket| bucket.user.clone()).collect()
    };
    let buckets: Api<Bucket> = Api::default_namespaced(trial.client());
    until(&buckets, "photos", LONG, is_ready).await;
    let before = users();
    buckets.delete("photos", &DeleteParams::default()).await.expect("the object is there");
    eventually(LONG, || async { buckets.get_opt("photos").await.expect("the server works").is_none().then_some(()) })
        .await;
    [before, users()]
}
