//! The back-off curve: starts at one second, doubles up to a cap, and jitter only shortens a delay.

use std::time::Duration;

#[cfg(feature = "operator")]
use crate::random::uniform;

/// Exponential back-off. The n-th delay is `base * 2^n`, at most `cap`, times a random factor between 0.75 and 1. The jitter spreads
/// objects that failed together, and no delay exceeds the curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Backoff {
    pub(crate) base: Duration,
    pub(crate) cap: Duration,
}

/// The smallest jitter factor.
pub(crate) const LEAST: f64 = 0.75;

impl Backoff {
    /// For failing objects: 1 s doubling to 10 min.
    pub(crate) const FAILURE: Self = Self { base: Duration::from_secs(1), cap: Duration::from_secs(600) };
    /// While the API server does not respond or rejects the credentials: 1 s doubling to 50 s. With this cap all objects recover within a
    /// minute after the server does.
    pub(crate) const OUTAGE: Self = Self { base: Duration::from_secs(1), cap: Duration::from_secs(50) };
    /// For objects that wait for something that should appear soon: 1 s doubling to 30 s.
    pub(crate) const FAST: Self = Self { base: Duration::from_secs(1), cap: Duration::from_secs(30) };
    /// For conflicting writes: 50 ms doubling to 5 s.
    pub(crate) const CONFLICT: Self = Self { base: Duration::from_millis(50), cap: Duration::from_secs(5) };

    /// Whether it delays at all, and does not become shorter.
    pub(crate) fn is_valid(self) -> bool {
        self.base >= Duration::from_millis(1) && self.base <= self.cap
    }

    /// A constant delay.
    pub(crate) const fn flat(pause: Duration) -> Self {
        Self { base: pause, cap: pause }
    }

    /// The delay after this many earlier failures, without jitter.
    pub(crate) fn ceiling(self, failures: u32) -> Duration {
        let factor = 1_u32.checked_shl(failures.min(31)).unwrap_or(u32::MAX);
        self.base.saturating_mul(factor).min(self.cap)
    }

    /// The delay after this many earlier failures, with jitter.
    #[cfg(feature = "operator")]
    pub(crate) fn delay(self, failures: u32) -> Duration {
        self.delay_at(failures, uniform())
    }

    /// The delay with jitter from `drawn`, a uniform random number between 0 and 1.
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
