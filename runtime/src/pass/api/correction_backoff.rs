//! Back-off between corrections of an owned object that another client keeps changing or deleting.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;

use crate::queue::Backoff;

/// Number of corrections of an object without a pause.
const AT_ONCE: u32 = 3;

/// How long a correction counts towards the back-off.
const COUNTS_FOR: Duration = Duration::from_secs(600);

/// The pauses after those: 1 s, doubling up to one minute.
const PAUSES: Backoff = Backoff { base: Duration::from_secs(1), cap: Duration::from_secs(60) };

/// The corrections of the objects that one object owns.
#[derive(Default)]
pub(in crate::pass) struct Contest {
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

impl Contest {
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
    fn three_corrections_run_at_once_and_the_next_wait_longer_and_longer() {
        let (mut contest, start) = (Contest::default(), Instant::now());
        let pauses: Vec<_> = (0..10).map(|_| contest.corrected("a".into(), start)).collect();
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        let longer = [1, 2, 4, 8, 16, 32, 60, 60].map(seconds);
        assert_eq!(pauses, [&[None, None][..], &longer].concat());
        assert_eq!(contest.left(at(start, 59)), seconds(1));
        assert_eq!((contest.left(at(start, 60)), contest.left(at(start, 61))), (None, None));
    }

    #[test]
    fn each_object_counts_for_itself() {
        let (mut contest, start) = (Contest::default(), Instant::now());
        for name in 0..1_000 {
            assert_eq!(contest.corrected(name.to_string(), start), None);
        }
        assert_eq!(contest.left(start), None);
        contest.corrected("1".into(), start);
        assert!(contest.corrected("1".into(), start).is_some() && contest.left(start).is_some());
        // One that is corrected for the first time shortens no pause.
        assert!(contest.corrected("new".into(), start).is_none() && contest.left(start).is_some());
    }

    #[test]
    fn after_ten_minutes_it_begins_anew_and_nothing_stays_behind() {
        let (mut contest, start) = (Contest::default(), Instant::now());
        for _ in 0..5 {
            contest.corrected("a".into(), start);
        }
        contest.corrected("b".into(), at(start, 300));
        assert!(contest.corrected("a".into(), at(start, 599)).is_some(), "it still counts");
        assert_eq!(contest.corrected("a".into(), at(start, 1_199)), None, "ten minutes after the last one");
        assert_eq!(contest.corrected.len(), 1, "b was corrected longer ago");
    }

    #[test]
    fn what_is_removed_after_ten_minutes_is_what_was_not_corrected_since() {
        let (mut contest, start) = (Contest::default(), Instant::now());
        contest.corrected("old".into(), start);
        for _ in 0..3 {
            contest.corrected("busy".into(), at(start, 500));
        }
        contest.corrected("new".into(), at(start, 600));
        assert_eq!(contest.corrected.keys().collect::<Vec<_>>(), ["busy", "new"]);
        assert!(contest.corrected("busy".into(), at(start, 601)).is_some(), "its corrections still count");
    }

    #[test]
    fn a_correction_counts_for_less_than_ten_minutes() {
        for (after, counts) in [(599, true), (600, false)] {
            let (mut contest, start) = (Contest::default(), Instant::now());
            contest.corrected("other".into(), start);
            for _ in 0..3 {
                contest.corrected("a".into(), at(start, 10));
            }
            contest.corrected("other".into(), at(start, 600));
            assert_eq!(contest.corrected("a".into(), at(start, 10 + after)).is_some(), counts, "{after} s");
        }
    }
}
