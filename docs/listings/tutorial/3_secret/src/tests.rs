//! The tests of chapter 3.

use std::time::Duration;

use evenkeel::condition::{self, READY};
use evenkeel_testkit::{Cluster, Row, Seed, until};
use kube::Api;

use super::{Bucket, bucket, operator};

const PHOTOS: &str = "
{apiVersion: storage.example.com/v1, kind: Bucket, metadata: {name: photos}, spec: {region: north, secret: login}}
";
const LOGIN: &str = "{apiVersion: v1, kind: Secret, metadata: {name: login}, stringData: {user: alice}}";
const EMPTY: &str = "{apiVersion: v1, kind: Secret, metadata: {name: login}}";

#[tokio::test(start_paused = true)]
async fn the_user_is_published() {
    Row::new("a bucket and its Secret").given(PHOTOS).given(LOGIN).pass::<bucket>(()).await.expect(
        "
        writes:
        - patch configmaps default/photos: {data: {user: alice}}
        - patch buckets/status default/photos
        events: [Normal Succeeded]
        conditions: {Ready: True Succeeded, Located: True Succeeded, UserFound: True Succeeded, Published: True Succeeded}
        ",
    );
}

#[tokio::test(start_paused = true)]
async fn a_missing_secret_is_awaited() {
    Row::new("a bucket without its Secret").given(PHOTOS).pass::<bucket>(()).await.expect(
        "
        outcome: Waiting
        writes: [patch buckets/status default/photos]
        events: [Normal SecretMissing]
        conditions:
          Ready: False SecretMissing
          Reconciling: True Progressing
          Located: True Succeeded
          UserFound: False SecretMissing
          Published: Unknown Blocked
        ",
    );
}

#[tokio::test(start_paused = true)]
async fn a_secret_without_the_key_is_awaited() {
    let seen = Row::new("a Secret without the user").given(PHOTOS).given(EMPTY).pass::<bucket>(()).await;
    seen.expect(
        "
        outcome: Waiting
        writes: [patch buckets/status default/photos]
        events: [Normal SecretIncomplete]
        conditions:
          Ready: False SecretIncomplete
          Reconciling: True Progressing
          Located: True Succeeded
          UserFound: False SecretIncomplete
          Published: Unknown Blocked
        ",
    );
}

#[tokio::test(start_paused = true)]
async fn the_secret_triggers_a_reconcile() {
    let cluster = Cluster::start().await;
    cluster.seed(Seed::from(&evenkeel::crd::<bucket>()).and(PHOTOS)).await.expect("the objects are valid");
    tokio::spawn(operator().client(cluster.client()).run_until(std::future::pending()));
    let buckets: Api<Bucket> = Api::default_namespaced(cluster.client());
    let has_reason = |bucket: &Bucket, reason: &str| {
        let conditions = bucket.status.as_ref().map(|status| &status.conditions);
        conditions.and_then(|all| condition::find(all, READY)).is_some_and(|ready| ready.reason == reason)
    };
    let soon = Duration::from_secs(1);
    until(&buckets, "photos", soon, |bucket| has_reason(bucket, "SecretMissing")).await;
    cluster.seed(LOGIN).await.expect("the Secret is valid");
    until(&buckets, "photos", soon, |bucket| has_reason(bucket, "Succeeded")).await;
}

#[tokio::test]
async fn the_commands_print_what_the_page_shows() {
    tutorial_terminal::assert_prints(operator(), env!("CARGO_MANIFEST_DIR")).await;
}
