//! Metrics of the functions that review writes. All series are created at the start.

use std::collections::HashMap;
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::histogram::Histogram;

use super::families::Families;
use crate::pipeline::admission::meter::{CountsReviews, ReviewResult};
use crate::wiring::admission::AdmissionWiring;

/// The metrics of all functions.
pub(super) struct Reviews(HashMap<&'static str, Review>);

struct Review {
    results: [Counter; ReviewResult::ALL.len()],
    time: Histogram,
    replaced_lists: Counter,
}

impl Reviews {
    pub(super) fn new<'w>(families: &Families, functions: impl Iterator<Item = &'w AdmissionWiring>) -> Self {
        let review = |wiring: &AdmissionWiring| {
            let function = [("function", wiring.name)];
            let result = |result: ReviewResult| {
                families.reviews.get_or_create_owned(&[function[0], ("result", result.as_str())])
            };
            let review = Review {
                results: ReviewResult::ALL.map(result),
                time: families.review_time.get_or_create_owned(&function),
                replaced_lists: if wiring.mutates {
                    families.replaced_lists.get_or_create_owned(&function)
                } else {
                    Counter::default()
                },
            };
            (wiring.name, review)
        };
        Self(functions.map(review).collect())
    }
}

impl CountsReviews for Reviews {
    fn review(&self, function: &'static str, result: ReviewResult, took: Duration) {
        let Some(review) = self.0.get(function) else { return };
        let place = ReviewResult::ALL.iter().position(|one| *one == result);
        if let Some(counter) = place.and_then(|place| review.results.get(place)) {
            counter.inc();
        }
        // The others did not call the function.
        if !matches!(result, ReviewResult::Unchanged | ReviewResult::Undecodable) {
            review.time.observe(took.as_secs_f64());
        }
    }

    fn replaced_lists(&self, function: &'static str, lists: u64) {
        if let Some(review) = self.0.get(function) {
            review.replaced_lists.inc_by(lists);
        }
    }
}
