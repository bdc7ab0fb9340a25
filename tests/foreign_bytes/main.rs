//! Documents of other programs that were changed at random: each is answered or refused, and nothing panics.
//!
//! The targets in `tests/fuzz` begin with the same documents.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod changes;

use evenkeel_random_cases::each_paused;
use evenkeel_tests::foreign_bytes::{admission_review, conversion_review, response};

use self::changes::changed;

const ADMISSION: &[&[u8]] = &[include_bytes!("../fuzz/corpus/admission_review/create.json")];
const CONVERSION: &[&[u8]] = &[include_bytes!("../fuzz/corpus/conversion_review/two.json")];
const RESPONSES: &[&[u8]] = &[
    include_bytes!("../fuzz/corpus/response/list.json"),
    include_bytes!("../fuzz/corpus/response/watch.json"),
    include_bytes!("../fuzz/corpus/response/status.json"),
];

#[test]
fn each_admission_review_is_answered_or_refused() {
    each_paused(400, async |choices| {
        admission_review(&changed(ADMISSION, choices)).await;
    });
}

#[test]
fn each_conversion_review_is_answered_or_refused() {
    each_paused(400, async |choices| {
        conversion_review(&changed(CONVERSION, choices)).await;
    });
}

#[test]
fn no_response_ends_a_part_of_the_operator() {
    each_paused(200, async |choices| {
        response(&changed(RESPONSES, choices)).await;
    });
}

/// Otherwise the laws above would be about refusals alone.
#[tokio::test(start_paused = true)]
async fn the_documents_are_valid_until_they_are_changed() {
    assert!(admission_review(ADMISSION[0]).await);
    assert!(conversion_review(CONVERSION[0]).await);
    assert!(response(RESPONSES[0]).await, "a list");
    assert!(response(RESPONSES[1]).await, "a streaming list");
    assert!(!response(RESPONSES[2]).await, "a Status has no object");
}
