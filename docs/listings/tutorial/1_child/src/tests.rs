//! The tests of chapter 1.

use evenkeel_testkit::Row;

use super::bucket;

const PHOTOS: &str = "
{apiVersion: storage.example.com/v1, kind: Bucket, metadata: {name: photos}, spec: {region: north}}
";

#[tokio::test(start_paused = true)]
async fn the_url_is_in_a_config_map() {
    Row::new("a new bucket").given(PHOTOS).pass::<bucket>(()).await.expect(
        "
        writes:
        - patch configmaps default/photos: {data: {url: 'https://north.objects.example.com/photos'}}
        - patch buckets/status default/photos: {status: {observedGeneration: 1}}
        events: [Normal Succeeded]
        conditions: {Ready: True Succeeded, Published: True Succeeded}
        ",
    );
}

#[tokio::test]
async fn the_commands_print_what_the_page_shows() {
    tutorial_terminal::assert_prints(super::operator(), env!("CARGO_MANIFEST_DIR")).await;
}
