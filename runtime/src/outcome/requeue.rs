//! When a successful pass asks to run again.

use std::time::Duration;

/// When a successful pass asks to run again, by [`Cx::requeue`](crate::Cx::requeue) or [`Cx::requeue_after`](crate::Cx::requeue_after).
/// In order of time: with back-off is later than any time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Requeue {
    /// After this time.
    After(Duration),
    /// With the back-off of failures.
    WithBackoff,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_requeue_is_least_and_back_off_counts_as_longest() {
        let [short, long] = [1, 2].map(|seconds| Requeue::After(Duration::from_secs(seconds)));
        assert_eq!(long.min(short), short);
        assert_eq!(Requeue::WithBackoff.min(long), long);
    }
}
