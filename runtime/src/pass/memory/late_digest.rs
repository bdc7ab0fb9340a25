//! The digest of the last body, if the status does not hold it yet, or if it was stored for its own sake.

use std::time::Duration;

use tokio::time::Instant;

use crate::queue::Next;
use crate::status::ObservedInputs;
use crate::trigger::parse;

/// The digest of the last body, which the status does not hold yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::pass) struct LateDigest {
    /// The digest in the status. If the status holds another one, the late digest is out of date.
    pub(in crate::pass) over: u64,
    pub(in crate::pass) digest: u64,
    /// The latest time of its write; `None`: with the next write that has another reason, or with the next resync.
    pub(in crate::pass) due: Option<Instant>,
}

impl LateDigest {
    /// Records that this digest was stored at once. Until that time, the next one is late.
    pub(in crate::pass) fn stored(digest: u64, until: Instant) -> Self {
        Self { over: digest, digest, due: Some(until) }
    }

    /// The time until which the next digest is late, if this one was stored at once and is still in the status.
    pub(in crate::pass) fn stored_until(self, status: u64) -> Option<Instant> {
        self.due.filter(|due| self.is_stored() && self.over == status && *due > Instant::now())
    }

    pub(in crate::pass) fn is_stored(self) -> bool {
        self.over == self.digest
    }

    /// Whether `digest` is that of the last body.
    pub(in crate::pass) fn is(self, digest: u64) -> bool {
        self.digest == digest
    }

    pub(in crate::pass) fn holds_for(self, inputs: &ObservedInputs) -> bool {
        !self.is_stored() && parse(&inputs.digest) == Some(self.over)
    }

    pub(in crate::pass) fn is_due(self) -> bool {
        self.due.is_some_and(|due| due <= Instant::now())
    }

    /// Limits the schedule to the time at which the digest is due.
    pub(in crate::pass) fn within(self, next: Next) -> Next {
        let Some(due) = self.due else { return next };
        sooner(next, due.saturating_duration_since(Instant::now()))
    }
}

/// Limits the schedule to the time at which something has to be stored.
pub(in crate::pass) fn sooner(next: Next, left: Duration) -> Next {
    match next {
        Next::Await => Next::Store(left),
        Next::After(delay) if left < delay => Next::Store(left),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trigger::text;

    const MINUTE: Duration = Duration::from_secs(60);

    #[test]
    fn a_pending_store_limits_the_delay() {
        assert_eq!(sooner(Next::Await, MINUTE), Next::Store(MINUTE));
        assert_eq!(sooner(Next::After(MINUTE * 2), MINUTE), Next::Store(MINUTE));
        for delay in [MINUTE, MINUTE / 2] {
            assert_eq!(sooner(Next::After(delay), MINUTE), Next::After(delay));
        }
        assert_eq!(sooner(Next::Forget, MINUTE), Next::Forget);
    }

    #[test]
    fn a_late_digest_holds_only_for_the_digest_it_replaces() {
        let late = LateDigest { over: 7, digest: 8, due: None };
        let inputs = |digest: u64| ObservedInputs { digest: text(digest), ..ObservedInputs::default() };
        assert!(late.holds_for(&inputs(7)));
        assert!(!late.holds_for(&inputs(8)) && !late.holds_for(&ObservedInputs::default()));
        assert!(late.is(8) && !late.is(7));
        assert_eq!((late.is_due(), late.within(Next::Await)), (false, Next::Await));
    }

    #[tokio::test(start_paused = true)]
    async fn a_stored_digest_makes_the_next_one_late_until_its_time() {
        let until = Instant::now() + MINUTE;
        let stored = LateDigest::stored(7, until);
        let inputs = ObservedInputs { digest: text(7), ..ObservedInputs::default() };
        assert!(!stored.holds_for(&inputs));
        assert_eq!((stored.stored_until(7), stored.stored_until(8)), (Some(until), None));
        assert_eq!(LateDigest { over: 7, digest: 8, due: Some(until) }.stored_until(7), None);
        tokio::time::advance(MINUTE).await;
        assert_eq!(stored.stored_until(7), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_late_digest_is_due_at_its_time() {
        let late = LateDigest { over: 7, digest: 8, due: Some(Instant::now() + MINUTE) };
        assert_eq!((late.is_due(), late.within(Next::Await)), (false, Next::Store(MINUTE)));
        tokio::time::advance(MINUTE).await;
        assert_eq!((late.is_due(), late.within(Next::Await)), (true, Next::Store(Duration::ZERO)));
    }
}
