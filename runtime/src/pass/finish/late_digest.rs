//! The late digest: a pass that found out nothing new writes nothing, and its digest goes with a later write.
//!
//! A label that another tool renews each minute would else cost a write each minute, and an upgrade a write per object at once. Until the
//! write, the process remembers what the last body depended on; after a restart the body runs once more.

use std::time::Duration;

use futures::FutureExt;
use tokio::time::Instant;

use crate::condition::Condition;
use crate::pass::report::current_pass::CurrentPass;
use crate::pass::{PassWorker, observed};
use crate::pipeline::object::Object;
use crate::pipeline::state::{Draft, StatusIntent};
use crate::queue::{Causes, Key, Next};
use crate::status::ObservedInputs;
use crate::status::erased::AnyStatus;
use crate::trigger::{parse, text};
use crate::wiring::Wiring;

/// The digest of the last body, which the status does not hold yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::pass) struct Late {
    /// The digest in the status meanwhile. If the status holds another one, this one is out of date.
    over: u64,
    digest: u64,
    /// When it is written at the latest; `None`: with the next write that has another reason, or with the next resync.
    due: Option<Instant>,
}

impl Late {
    /// Whether the digest is that of the last body, where this one stands for the one in the status.
    pub(in crate::pass) fn is(self, digest: u64) -> bool {
        self.digest == digest
    }

    pub(in crate::pass) fn holds_for(self, inputs: &ObservedInputs) -> bool {
        parse(&inputs.digest) == Some(self.over)
    }

    pub(in crate::pass) fn is_due(self) -> bool {
        self.due.is_some_and(|due| due <= Instant::now())
    }

    /// The same schedule, not beyond the time at which the digest is due.
    pub(in crate::pass) fn within(self, next: Next) -> Next {
        let Some(due) = self.due else { return next };
        sooner(next, due.saturating_duration_since(Instant::now()))
    }
}

/// The same schedule, not beyond the time at which something has to be stored.
pub(in crate::pass) fn sooner(next: Next, left: Duration) -> Next {
    match next {
        Next::Await => Next::Store(left),
        Next::After(delay) if left < delay => Next::Store(left),
        other => other,
    }
}

impl PassWorker {
    /// The late digest that stands for the one in the status.
    pub(in crate::pass) fn late(&self, key: &Key, inputs: &ObservedInputs) -> Option<Late> {
        self.memory().get(key)?.late.as_deref().copied().filter(|late| late.holds_for(inputs))
    }

    /// What follows late of this pass; `None`: all of it is written now.
    ///
    /// Only a digest that stands for another one can be late: one that is the first after a failure is news in itself. After a restart, and
    /// under other code, it is written within the hour, each object at a time of its own, so that a later restart runs no body.
    pub(in crate::pass) fn lateness(
        &self,
        key: &Key,
        object: &Object,
        causes: Causes,
        (found, intent): (&StatusIntent, &StatusIntent),
    ) -> Option<Late> {
        let (was, is) = (found.observed_inputs.as_ref()?, intent.observed_inputs.as_ref()?);
        let (over, digest) = (parse(&was.digest)?, parse(&is.digest)?);
        let is_other_code = was.wiring != is.wiring;
        if over == digest || !causes.both(Causes::STORED).is_empty() || !intent.differs_in_digest_only(found) {
            return None;
        }
        if is_other_code && undeclared(self.wiring, object).next().is_some() {
            return None;
        }
        let soon = is_other_code || causes.contains(Causes::APPEARED);
        let due = match self.late(key, was) {
            Some(late) => late.due,
            None => soon.then(|| self.clock.within_the_hour(object.uid())),
        };
        Some(Late { over, digest, due }).filter(|late| !late.is_due())
    }

    /// Remembers the late digest of a pass, or that there is none.
    pub(in crate::pass) fn remember(&self, key: &Key, late: Option<Late>) {
        if let Some(memory) = self.memory().get_mut(key) {
            memory.late = late.map(Box::new);
        }
    }

    /// An unchanged object: its digest is stored if that is due.
    pub(in crate::pass) async fn settled(&self, pass: &mut CurrentPass<'_>, object: &Object) -> Next {
        let seen = observed(self.wiring, object);
        let late = seen.inputs.as_deref().and_then(|inputs| self.late(pass.key, inputs));
        let next = match late.filter(|late| late.is_due()) {
            None => return self.rest(object, &seen, late),
            Some(late) => self.store_digest(pass, object, late).boxed().await,
        };
        match next {
            Next::Await => self.rest(object, &seen, None),
            other => other,
        }
    }

    async fn store_digest(&self, pass: &mut CurrentPass<'_>, object: &Object, late: Late) -> Next {
        let backend = self.backend(pass.key, object);
        if let Err(unwritten) = self.take_over(object, &backend).await {
            return self.unstamped(pass.key, &backend, unwritten);
        }
        let draft = Draft::new(object, *self.wiring, backend.clone());
        let mut intent = draft.frozen(false);
        let inputs = intent.observed_inputs.get_or_insert_default();
        (inputs.digest, inputs.wiring) = (text(late.digest), self.wiring_hash.clone());
        tracing::debug!("storing the digest");
        self.stamp(pass, object, &backend, &draft.found(), &intent).await
    }
}

/// Conditions that this code does not declare. An earlier build may have left them, so other code takes them away at once.
fn undeclared<'o>(wiring: &'static Wiring, object: &'o Object) -> impl Iterator<Item = &'o Condition> {
    let conditions = object.status().map(AnyStatus::conditions).unwrap_or_default();
    conditions.iter().filter(|condition| !wiring.is_own(&condition.type_))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    #[test]
    fn what_has_to_be_stored_comes_no_later_than_its_time() {
        assert_eq!(sooner(Next::Await, MINUTE), Next::Store(MINUTE));
        assert_eq!(sooner(Next::After(MINUTE * 2), MINUTE), Next::Store(MINUTE));
        for delay in [MINUTE, MINUTE / 2] {
            assert_eq!(sooner(Next::After(delay), MINUTE), Next::After(delay));
        }
        assert_eq!(sooner(Next::Forget, MINUTE), Next::Forget);
    }

    #[test]
    fn a_late_digest_stands_for_the_one_that_it_replaces_alone() {
        let late = Late { over: 7, digest: 8, due: None };
        let inputs = |digest: u64| ObservedInputs { digest: text(digest), ..ObservedInputs::default() };
        assert!(late.holds_for(&inputs(7)));
        assert!(!late.holds_for(&inputs(8)) && !late.holds_for(&ObservedInputs::default()));
        assert!(late.is(8) && !late.is(7));
        assert_eq!((late.is_due(), late.within(Next::Await)), (false, Next::Await));
    }

    #[tokio::test(start_paused = true)]
    async fn a_late_digest_is_due_at_its_time() {
        let late = Late { over: 7, digest: 8, due: Some(Instant::now() + MINUTE) };
        assert_eq!((late.is_due(), late.within(Next::Await)), (false, Next::Store(MINUTE)));
        tokio::time::advance(MINUTE).await;
        assert_eq!((late.is_due(), late.within(Next::Await)), (true, Next::Store(Duration::ZERO)));
    }
}
