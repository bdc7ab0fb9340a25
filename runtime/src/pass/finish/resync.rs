//! Wall-clock time that advances with the runtime's clock. Tests can control it, and a system clock that jumps back has no effect.

use std::time::Duration;

use tokio::time::Instant;

use crate::clock;
use crate::interval::{Jitter, LONGEST, SHORTEST};
use crate::outcome::retry::Retry;

#[derive(Clone, Copy, Debug)]
pub(in crate::pass) struct Clock {
    wall: Duration,
    start: Instant,
    jitter: Jitter,
}

impl Clock {
    pub(in crate::pass) fn start(jitter: Jitter) -> Self {
        let wall = Duration::try_from(clock::now().as_duration()).unwrap_or_default();
        Self { wall, start: Instant::now(), jitter }
    }

    /// A time within the next hour, different for each object.
    pub(in crate::pass) fn within_the_hour(&self, uid: &str) -> Instant {
        let now = self.start.elapsed();
        self.start + now + phase(self.wall + now, Retry::HOUR, uid)
    }

    /// Time until the next resync. Phase and jitter depend on the uid only: a restart causes no burst, and objects that coincide once do
    /// not stay together.
    pub(in crate::pass) fn until_resync(&self, interval: Duration, uid: &str) -> Duration {
        let own = self.jitter.spread(interval, drawn(uid)).clamp(SHORTEST, LONGEST);
        phase(self.wall + self.start.elapsed(), own, uid)
    }
}

/// A number from 0 to 1 that is stable for the object.
fn drawn(uid: &str) -> f64 {
    let hash = uid.bytes().fold(5381_u32, |hash, byte| hash.wrapping_mul(0x0100_0193) ^ u32::from(byte));
    f64::from(hash) / f64::from(u32::MAX)
}

fn phase(now: Duration, interval: Duration, uid: &str) -> Duration {
    let interval = interval.as_millis().max(1);
    let offset = uid.bytes().fold(17_u128, |hash, byte| (hash * 31 + u128::from(byte)) % interval);
    let left = interval - (now.as_millis() + offset) % interval;
    Duration::from_millis(u64::try_from(left).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn resyncs_run_once_per_interval() {
        let interval = Duration::from_secs(600);
        for start in [0, 1, 299, 599, 600, 86_399] {
            let now = Duration::from_secs(start);
            let first = phase(now, interval, "uid");
            assert!(first <= interval && !first.is_zero());
            assert_eq!(phase(now + first, interval, "uid"), interval);
        }
    }

    #[test]
    fn each_object_has_a_stable_jitter() {
        let draws: Vec<f64> = (0..100).map(|i| drawn(&format!("6f9c2a1e-{i:04x}-4c55-9a1e"))).collect();
        let mean = draws.iter().sum::<f64>() / 100.0;
        assert!((0.4..0.6).contains(&mean) && draws.iter().all(|d| (0.0..=1.0).contains(d)), "{mean}");
        assert!((drawn("a uid") - drawn("a uid")).abs() < f64::EPSILON);
    }

    #[test]
    fn objects_are_spread_over_the_interval() {
        let interval = Duration::from_secs(600);
        let mut buckets = [0; 6];
        for i in 0..600 {
            let uid = format!("6f9c2a1e-{i:04x}-4c55-9a1e-{:012x}", i * 7919);
            let due = phase(Duration::ZERO, interval, &uid);
            buckets[usize::try_from(due.as_secs() / 100).unwrap().min(5)] += 1;
        }
        assert!(buckets.iter().all(|n| (60..=140).contains(n)), "{buckets:?}");
    }

    fn uid(random: u128) -> String {
        let hex = format!("{random:032x}");
        [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
    }

    #[test]
    fn no_second_gets_three_times_the_mean_resyncs() {
        let interval = Duration::from_secs(3600);
        let clock =
            Clock { wall: Duration::from_secs(1_700_000_000), start: Instant::now(), jitter: Jitter::default() };
        let mut seconds = HashMap::<u64, u32>::new();
        for object in 0..100_000_u128 {
            // Distributed like the uids of a server, but the same in every run.
            let random = (object + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835).rotate_left(41);
            let random = random.wrapping_mul(0x2545_f491_4f6c_dd1d_bf58_476d_1ce4_e5b9);
            let due = clock.until_resync(interval, &uid(random));
            *seconds.entry(due.as_secs()).or_default() += 1;
        }
        let (busiest, mean) = (seconds.values().max().copied().unwrap(), 100_000 / 3600);
        assert!(busiest <= 3 * mean, "{busiest} in one second, {mean} on average");
    }

    #[tokio::test(start_paused = true)]
    async fn time_until_resync_decreases_with_the_clock() {
        let wall = Duration::from_secs(1_700_000_000);
        let clock = Clock { wall, start: Instant::now(), jitter: Jitter::default() };
        let (left, within) = (clock.until_resync(Retry::HOUR, "uid"), clock.within_the_hour("uid"));
        assert!(left > Duration::from_secs(1) && within > Instant::now() + Duration::from_secs(1));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(clock.until_resync(Retry::HOUR, "uid"), left - Duration::from_secs(1));
        assert_eq!(clock.within_the_hour("uid"), within);
    }

    #[tokio::test(start_paused = true)]
    async fn the_time_of_the_hour_survives_a_restart() {
        let before = Clock::start(Jitter::default()).within_the_hour("uid");
        tokio::time::advance(before - Instant::now() + Duration::from_secs(60)).await;
        let after = Clock::start(Jitter::default()).within_the_hour("uid");
        // The time of day has nanoseconds, and the phase has milliseconds.
        let apart = (after - before).as_millis();
        assert!((3_599_999..=3_600_001).contains(&apart), "{apart} ms");
    }
}
