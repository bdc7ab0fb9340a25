//! The tests of chapter 5.

use evenkeel_testkit::Row;

use super::bucket;
use super::store::Store;

/// The claim has run already.
const PHOTOS: &str = "
apiVersion: storage.example.com/v1
kind: Bucket
metadata: {name: photos, finalizers: [storage.example.com/tester]}
spec: {region: north, secret: login, bucket: default.photos}
";
const LOGIN: &str = "{apiVersion: v1, kind: Secret, metadata: {name: login}, stringData: {user: alice}}";

#[tokio::test(start_paused = true)]
async fn a_new_bucket_is_usable_before_it_is_ready() {
    let row = Row::new("a bucket that is being copied").given(PHOTOS).given(LOGIN);
    row.pass::<bucket>(Store::default()).await.expect(
        "
        outcome: Waiting
        writes:
        - patch buckets/status default/photos
        - patch configmaps default/photos
        - patch buckets/status default/photos
        events: [Normal CopyIncomplete]
        conditions:
          Ready: False CopyIncomplete
          Reconciling: True ProgressingWithRetry
          Usable: True Succeeded
          Located: True Succeeded
          UserFound: True Succeeded
          Created: True Succeeded
          Published: True Succeeded
          Replicated: 'False CopyIncomplete: the copy is not complete yet'
        ",
    );
}

#[tokio::test]
async fn the_commands_print_what_the_page_shows() {
    tutorial_terminal::assert_prints(super::operator(Store::default()), env!("CARGO_MANIFEST_DIR")).await;
}
