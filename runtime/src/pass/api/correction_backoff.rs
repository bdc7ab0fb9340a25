//! Back-off between corrections of an owned object that another client keeps changing or deleting.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;

use crate::backoff::Backoff;

/// Number of corrections of an object without a pause.
const AT_ONCE: u32 = 3;

/// How long a correction counts towards the back-off.
const COUNTS_FOR: Duration = Duration::from_secs(600);

/// The pauses after those: 1 s, doubling up to one minute.
const PAUSES: Backoff = Backoff { base: Duration::from_secs(1), cap: Duration::from_secs(60) };

/// The corrections of the objects that one object owns.
#[derive(Default)]
pub(in crate::pass) struct CorrectionBackoff {
    corrected: BTreeMap<String, Corrected>,
    /// The earliest time of the next correction.
    until: Option<Instant>,
    /// When expired corrections were last removed.
    tidied: Option<Instant>,
}

struct Corrected {
    times: u32,
    last: Instant,
}

impl CorrectionBackoff {
    /// Whether there were no corrections lately.
    pub(in crate::pass) fn is_empty(&self) -> bool {
        self.corrected.is_empty() && self.until.is_none()
    }

    /// Counts a correction of the named owned object. Returns the pause before the next one; `None`: no pause.
    pub(in crate::pass) fn corrected(&mut self, name: String, now: Instant) -> Option<Duration> {
        self.tidy(now);
        let corrected = self.corrected.entry(name).or_insert(Corrected { times: 0, last: now });
        let counts = now - corrected.last < COUNTS_FOR;
        *corrected = Corrected { times: if counts { corrected.times.saturating_add(1) } else { 1 }, last: now };
        let pause = PAUSES.ceiling(corrected.times.checked_sub(AT_ONCE)?);
        self.until = self.until.max(Some(now + pause));
        Some(pause)
    }

    /// Remaining pause before the next correction.
    pub(in crate::pass) fn left(&self, now: Instant) -> Option<Duration> {
        self.until?.checked_duration_since(now).filter(|left| !left.is_zero())
    }

    /// Removes expired corrections. Runs at most once in ten minutes, so that the cost of a correction does not grow with their number.
    fn tidy(&mut self, now: Instant) {
        if now - *self.tidied.get_or_insert(now) >= COUNTS_FOR {
            self.corrected.retain(|_, corrected| now - corrected.last < COUNTS_FOR);
            self.tidied = Some(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(start: Instant, seconds: u64) -> Instant {
        start + Duration::from_secs(seconds)
    }

    #[test]
    fn corrections_after_the_third_back_off() {
        let (mut backoff, start) = (CorrectionBackoff::default(), Instant::now());
        let pauses: Vec<_> = (0..10).map(|_| backoff.corrected("a".into(), start)).collect();
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        let longer = [1, 2, 4, 8, 16, 32, 60, 60].map(seconds);
        assert_eq!(pauses, [&[None, None][..], &longer].concat());
        assert_eq!(backoff.left(at(start, 59)), seconds(1));
        assert_eq!((backoff.left(at(start, 60)), backoff.left(at(start, 61))), (None, None));
    }

    #[test]
    fn each_object_has_its_own_count() {
        let (mut backoff, start) = (CorrectionBackoff::default(), Instant::now());
        for name in 0..1_000 {
            assert_eq!(backoff.corrected(name.to_string(), start), None);
        }
        assert_eq!(backoff.left(start), None);
        backoff.corrected("1".into(), start);
        assert!(backoff.corrected("1".into(), start).is_some() && backoff.left(start).is_some());
        // The first correction of another object does not shorten the pause.
        assert!(backoff.corrected("new".into(), start).is_none() && backoff.left(start).is_some());
    }

    #[test]
    fn the_count_resets_after_ten_minutes() {
        let (mut backoff, start) = (CorrectionBackoff::default(), Instant::now());
        for _ in 0..5 {
            backoff.corrected("a".into(), start);
        }
        backoff.corrected("b".into(), at(start, 300));
        assert!(backoff.corrected("a".into(), at(start, 599)).is_some(), "it still counts");
        assert_eq!(backoff.corrected("a".into(), at(start, 1_199)), None, "ten minutes after the last one");
        assert_eq!(backoff.corrected.len(), 1, "b was corrected longer ago");
    }

    #[test]
    fn only_objects_without_recent_corrections_are_removed() {
        let (mut backoff, start) = (CorrectionBackoff::default(), Instant::now());
        backoff.corrected("old".into(), start);
        for _ in 0..3 {
            backoff.corrected("busy".into(), at(start, 500));
        }
        backoff.corrected("new".into(), at(start, 600));
        assert_eq!(backoff.corrected.keys().collect::<Vec<_>>(), ["busy", "new"]);
        assert!(backoff.corrected("busy".into(), at(start, 601)).is_some(), "its corrections still count");
    }

    #[test]
    fn a_correction_counts_for_ten_minutes() {
        for (after, counts) in [(599, true), (600, false)] {
            let (mut backoff, start) = (CorrectionBackoff::default(), Instant::now());
            backoff.corrected("other".into(), start);
            for _ in 0..3 {
                backoff.corrected("a".into(), at(start, 10));
            }
            backoff.corrected("other".into(), at(start, 600));
            assert_eq!(backoff.corrected("a".into(), at(start, 10 + after)).is_some(), counts, "{after} s");
        }
    }
}
