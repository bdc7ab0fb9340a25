//! The back-off curve: one second, doubling, capped, with jitter downward only.

use std::time::Duration;

/// Exponential back-off. The n-th delay is `base * 2^n`, at most `cap`, times a random factor between 0.75 and 1: objects that
/// failed together do not come back together, and none waits longer than the curve says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Backoff {
    pub(crate) base: Duration,
    pub(crate) cap: Duration,
}

/// The shortest part of a delay that jitter leaves.
const LEAST: f64 = 0.75;

impl Backoff {
    /// For objects that fail: 1 s doubling to 10 min.
    pub(crate) const FAILURE: Self = Self { base: Duration::from_secs(1), cap: Duration::from_secs(600) };
    /// While the API server itself does not answer, or takes no credentials: as above, but at most 50 s, so that all are right within a
    /// minute after it is back.
    pub(crate) const OUTAGE: Self = Self { base: Duration::from_secs(1), cap: Duration::from_secs(50) };
    /// For objects that lack what is about to come: 1 s doubling to 30 s.
    pub(crate) const FAST: Self = Self { base: Duration::from_secs(1), cap: Duration::from_secs(30) };
    /// Between conflicting writes: 50 ms doubling to 5 s.
    pub(crate) const CONFLICT: Self = Self { base: Duration::from_millis(50), cap: Duration::from_secs(5) };

    /// Always the same.
    pub(crate) const fn flat(pause: Duration) -> Self {
        Self { base: pause, cap: pause }
    }

    /// The delay after so many failures before this one, without jitter.
    pub(crate) fn ceiling(self, failures: u32) -> Duration {
        let factor = 1_u32.checked_shl(failures.min(31)).unwrap_or(u32::MAX);
        self.base.saturating_mul(factor).min(self.cap)
    }

    /// The delay after so many failures before this one.
    pub(crate) fn delay(self, failures: u32) -> Duration {
        self.delay_at(failures, rand::random())
    }

    /// The delay with the jitter of a number that was drawn evenly from 0 to 1.
    pub(crate) fn delay_at(self, failures: u32, drawn: f64) -> Duration {
        self.ceiling(failures).mul_f64(1.0 - (1.0 - LEAST) * drawn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_doubles_to_its_cap_and_stays_there() {
        let seconds: Vec<u64> = (0..12).map(|n| Backoff::FAILURE.ceiling(n).as_secs()).collect();
        assert_eq!(seconds, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600]);
        assert_eq!(Backoff::FAILURE.ceiling(u32::MAX), Duration::from_secs(600));
    }

    #[test]
    fn jitter_only_shortens() {
        for failures in 0..40 {
            let (delay, ceiling) = (Backoff::FAILURE.delay(failures), Backoff::FAILURE.ceiling(failures));
            assert!(delay <= ceiling && delay >= ceiling.mul_f64(LEAST * 0.999), "{delay:?} of {ceiling:?}");
        }
    }
}
