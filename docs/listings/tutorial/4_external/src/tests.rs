//! The tests of chapter 4.

use std::time::Duration;

use evenkeel_testkit::{Cluster, Effect, Fault, Row, Seed, Verb, eventually, is_ready, until};
use kube::Api;
use kube::api::DeleteParams;

use super::store::Store;
use super::{Bucket, bucket, operator};

const PHOTOS: &str = "
{apiVersion: storage.example.com/v1, kind: Bucket, metadata: {name: photos}, spec: {region: north, secret: login}}
";
const LOGIN: &str = "{apiVersion: v1, kind: Secret, metadata: {name: login}, stringData: {user: alice}}";
const LONG: Duration = Duration::from_secs(600);

#[tokio::test(start_paused = true)]
async fn a_new_bucket_is_claimed_created_and_recorded() {
    let row = Row::new("a new bucket").given(PHOTOS).given(LOGIN);
    row.pass::<bucket>(Store::default()).await.expect(
        "
        writes:
        - patch buckets default/photos: {metadata: {finalizers: [storage.example.com/tester]}, spec: {bucket: default.photos}}
        - patch buckets/status default/photos: {status: {id: default.photos-0}}
        - patch configmaps default/photos: {data: {url: 'https://north.objects.example.com/default.photos-0'}}
        - patch buckets/status default/photos: {status: {observedGeneration: 2, id: default.photos-0}}
        events: [Normal Succeeded]
        conditions:
          Ready: True Succeeded
          Located: True Succeeded
          UserFound: True Succeeded
          Created: True Succeeded
          Published: True Succeeded
        ",
    );
}

#[tokio::test(start_paused = true)]
async fn a_bucket_of_another_owner_is_left_alone() {
    let store = Store::default();
    let other = store.create("default.photos", "another owner").await.expect("the store works");
    Row::new("a name that is taken").given(PHOTOS).given(LOGIN).pass::<bucket>(store.clone()).await.expect(
        "
        outcome: Waiting
        writes: [patch buckets default/photos, patch buckets/status default/photos]
        events: [Normal NameTaken]
        conditions:
          Ready: False NameTaken
          Reconciling: True ProgressingWithRetry
          Located: True Succeeded
          UserFound: True Succeeded
          Created: False NameTaken
          Published: Unknown Blocked
        ",
    );
    assert_eq!(store.buckets.lock().expect("no call panics")["default.photos"], other);
}

#[tokio::test(start_paused = true)]
async fn an_interrupted_creation_leaves_one_bucket_and_deletion_none() {
    let (cluster, store) = (Cluster::start().await, Store::default());
    cluster.seed(Seed::from(&evenkeel::crd::<bucket>()).and(PHOTOS).and(LOGIN)).await.expect("the objects are valid");
    // The store has the bucket, and the record of its identifier fails.
    let lost = Fault::new(Effect::Internal).verb(Verb::Patch).resource("buckets").subresource("status");
    cluster.faults().add(lost);
    tokio::spawn(operator(store.clone()).client(cluster.client()).run_until(std::future::pending()));
    let buckets: Api<Bucket> = Api::default_namespaced(cluster.client());
    let object = until(&buckets, "photos", LONG, is_ready).await;
    let stored = store.buckets.lock().expect("no call panics").clone();
    assert_eq!(stored.keys().collect::<Vec<_>>(), ["default.photos"]);
    assert_eq!(object.status.expect("it is ready").id.as_ref(), Some(&stored["default.photos"].id));
    assert_eq!(stored["default.photos"].user.as_deref(), Some("alice"));
    buckets.delete("photos", &DeleteParams::default()).await.expect("the object is there");
    eventually(LONG, || async { buckets.get_opt("photos").await.expect("the server works").is_none().then_some(()) })
        .await;
    assert!(store.buckets.lock().expect("no call panics").is_empty());
}

#[tokio::test]
async fn the_commands_print_what_the_page_shows() {
    tutorial_terminal::assert_prints(operator(Store::default()), env!("CARGO_MANIFEST_DIR")).await;
}
