//! Rate limit for retries over all objects: a burst, then an even rate.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::lock::Mutex;

/// The retry rate of an operator. Clones share one bucket. Only retries after a failure are limited, never changes.
#[derive(Clone, Debug)]
pub(crate) struct Rate {
    shared: Arc<Mutex<Bucket>>,
    /// The limit of one reconciler, in addition.
    own: Option<Arc<Mutex<Bucket>>>,
}

/// A token bucket with a burst of one second, stored as the time up to which retries have been granted.
#[derive(Debug)]
struct Bucket {
    per_second: NonZeroU32,
    ahead: Option<Instant>,
}

impl Rate {
    /// The default number of retries per second. With the burst, the busiest second has twice as many: a fifth of the seats of an API
    /// server. Few objects get the same rate: their load is small, and a lower rate would delay the last retries after a short outage.
    pub(crate) const RETRIES: NonZeroU32 = NonZeroU32::new(100).unwrap();

    pub(crate) fn new(per_second: NonZeroU32) -> Self {
        Self { shared: Arc::new(Mutex::new(Bucket { per_second, ahead: None })), own: None }
    }

    /// The same rate with the limit of one reconciler in addition.
    pub(crate) fn and(&self, own: Option<&Self>) -> Self {
        Self { shared: self.shared.clone(), own: own.map(|own| own.shared.clone()) }
    }

    /// A rate that defers no retry.
    #[cfg(any(test, feature = "__test-hooks"))]
    pub(crate) fn unlimited() -> Self {
        Self::new(NonZeroU32::MAX)
    }

    /// Reserves the next retry and returns when it may begin.
    pub(super) fn reserve(&self, now: Instant) -> Instant {
        let reserve = |bucket: &Mutex<Bucket>| bucket.lock().reserve(now);
        let own = self.own.as_deref().map_or(now, reserve);
        reserve(&self.shared).max(own)
    }
}

impl Default for Rate {
    fn default() -> Self {
        Self::new(Self::RETRIES)
    }
}

impl Bucket {
    fn reserve(&mut self, now: Instant) -> Instant {
        let every = Duration::from_secs(1) / self.per_second.get();
        let ahead = self.ahead.map_or(now, |ahead| ahead.max(now));
        self.ahead = Some(ahead + every);
        let burst = every * (self.per_second.get() - 1);
        ahead.checked_sub(burst).map_or(now, |at| at.max(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retries_beyond_one_second_are_spread_evenly() {
        let rate = Rate::new(NonZeroU32::new(10).unwrap());
        let now = Instant::now();
        let after: Vec<u128> = (0..25).map(|_| (rate.reserve(now) - now).as_millis()).collect();
        assert!(after[..10].iter().all(|after| *after == 0), "{after:?}");
        assert_eq!(after[10..15], [100, 200, 300, 400, 500]);
        assert_eq!(after[24], 1500);
    }

    #[test]
    fn the_limit_of_a_reconciler_applies_with_that_of_the_operator() {
        let ten = Rate::new(NonZeroU32::new(10).unwrap());
        let (one, other) = (ten.and(Some(&Rate::new(NonZeroU32::MIN))), ten.and(None));
        let now = Instant::now();
        let after = |rate: &Rate| (rate.reserve(now) - now).as_millis();
        assert_eq!([after(&one), after(&one), after(&one)], [0, 1000, 2000]);
        let others: Vec<u128> = (0..8).map(|_| after(&other)).collect();
        assert_eq!(others, [0, 0, 0, 0, 0, 0, 0, 100], "three of the burst are used");
    }

    #[test]
    fn unused_rate_is_saved_for_one_second() {
        let rate = Rate::new(NonZeroU32::new(10).unwrap());
        let now = Instant::now();
        rate.reserve(now);
        let later = now + Duration::from_secs(3600);
        let at_once = (0..30).filter(|_| rate.reserve(later) == later).count();
        assert_eq!(at_once, 10);
    }

    #[test]
    fn no_second_exceeds_twice_the_rate() {
        let rate = Rate::new(NonZeroU32::new(10).unwrap());
        let start = Instant::now();
        let mut begun: Vec<u128> =
            (0..500).map(|at| (rate.reserve(start + Duration::from_millis(at * 7)) - start).as_millis()).collect();
        begun.sort_unstable();
        let busiest = begun.iter().map(|from| begun.iter().filter(|at| (*from..from + 1000).contains(*at)).count());
        assert!(busiest.max() <= Some(20));
    }

    #[test]
    fn an_unlimited_rate_delays_nothing() {
        let (rate, now) = (Rate::unlimited(), Instant::now());
        assert!((0..10_000).all(|_| rate.reserve(now) == now));
    }
}
