//! The time in which this process may work. It ends by itself, whether or not any task runs.

use std::time::Duration;

use crate::clock::Reading;

/// The time in which this process may work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Term {
    /// Rises with every term, in all replicas: a fencing token.
    pub(crate) epoch: u64,
    /// When the last renewal that was answered was sent.
    pub(crate) renewed: Reading,
    /// How long the term lasts from then on.
    pub(crate) lasts: Duration,
}

impl Term {
    /// The time that is left; `None`: the term is over.
    pub(crate) fn left(&self, now: &Reading) -> Option<Duration> {
        self.lasts.checked_sub(now.since(&self.renewed)).filter(|left| !left.is_zero())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_term_ends_by_any_of_its_clocks() {
        let (second, renewed) = (Duration::from_secs(1), Reading::now());
        let term = Term { epoch: 1, renewed, lasts: 10 * second };
        assert_eq!(term.left(&renewed), Some(10 * second));
        let monotonic = Reading { monotonic: renewed.monotonic + 4 * second, ..renewed };
        assert_eq!(term.left(&monotonic), Some(6 * second));
        assert_eq!(term.left(&Reading { boot: renewed.boot + 10 * second, ..monotonic }), None, "suspended");
        let set = |seconds| jiff::SignedDuration::from_hours(2) * seconds;
        assert_eq!(term.left(&Reading { wall: renewed.wall + set(1), ..monotonic }), None, "set forward");
        assert_eq!(term.left(&Reading { wall: renewed.wall + set(-1), ..monotonic }), Some(6 * second), "set back");
    }
}
