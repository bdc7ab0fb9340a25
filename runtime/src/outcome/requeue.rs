//! The time of the next pass that a successful pass requests.

use std::time::Duration;

/// The time of the next pass that a successful pass requests.
///
/// It is requested by [`Cx::requeue`](crate::Cx::requeue) or [`Cx::requeue_after`](crate::Cx::requeue_after). Values are ordered by time, and
/// `WithBackoff` is later than any `After`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Requeue {
    /// The next pass runs after this time.
    After(Duration),
    /// The next pass runs along the back-off curve of failures.
    WithBackoff,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_requeue_wins_over_backoff() {
        let [short, long] = [1, 2].map(|seconds| Requeue::After(Duration::from_secs(seconds)));
        assert_eq!(long.min(short), short);
        assert_eq!(Requeue::WithBackoff.min(long), long);
    }
}
