//! The tests of chapter 2.

use evenkeel_testkit::{Effect, Fault, Row, Verb};

use super::bucket;

/// A bucket in a region.
fn photos(region: &str) -> String {
    format!(
        "{{apiVersion: storage.example.com/v1, kind: Bucket, metadata: {{name: photos}}, spec: {{region: {region}}}}}"
    )
}

#[tokio::test(start_paused = true)]
async fn an_unknown_region_stalls_the_object() {
    Row::new("a region that the store does not have").given(photos("mars")).pass::<bucket>(()).await.expect(
        "
        outcome: Stalled
        writes: [patch buckets/status default/photos]
        events: [Warning UnknownRegion]
        conditions:
          Ready: 'False UnknownRegion: the store has no region \"mars\": use north or south'
          Stalled: True UnknownRegion
          Located: False UnknownRegion
          Published: Unknown Blocked
        ",
    );
}

#[tokio::test(start_paused = true)]
async fn a_failed_call_is_retried() {
    let busy = Fault::new(Effect::Forbidden).verb(Verb::Patch).resource("configmaps");
    Row::new("a ConfigMap that is refused").given(photos("north")).fault(busy).pass::<bucket>(()).await.expect(
        "
        outcome: Failed
        writes:
        - patch configmaps default/photos -> 403
        - patch buckets/status default/photos
        events: [Warning Forbidden]
        conditions:
          Ready: False Forbidden
          Reconciling: True ProgressingWithRetry
          Located: True Succeeded
          Published: False Forbidden
        ",
    );
}

#[tokio::test]
async fn the_commands_print_what_the_page_shows() {
    tutorial_terminal::assert_prints(super::operator(), env!("CARGO_MANIFEST_DIR")).await;
}
