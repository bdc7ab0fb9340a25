//! The glance: most passes find the object as it was, and have nothing to wait for.

use super::suspend::is_suspended;
use crate::pass::finish::late_digest::Late;
use crate::pass::{HANGS, PassWorker, observed};
use crate::pipeline::reconciler::Reconciler;
use crate::queue::{Attempt, Causes, Key, Next};

impl<R: Reconciler> PassWorker<R> {
    /// How the pass ends, if a look at the caches shows that nothing is to be done. Without a future: to move one costs more than the look.
    pub(in crate::pass) fn glance(&self, key: &Key, causes: Causes, attempt: Attempt) -> Option<Next> {
        let asks_namespace = R::WIRING.policies.is_some_and(|policies| policies.namespace);
        if asks_namespace || attempt.conflicts >= HANGS {
            return None;
        }
        let late = self.recall(key)?;
        let object = self.env.primary.get(key)?;
        let seen = observed::<R>(&object);
        let is_busy = self.elsewhere(&object).is_some() || is_suspended::<R>(&object);
        if is_busy || !self.standing(&object, &seen, causes).is_empty() {
            return None;
        }
        let inputs = seen.inputs.as_deref().filter(|inputs| inputs.references.is_empty())?;
        let held_up = self.policy(&object).halt().or_else(|| self.held_up(key, &object));
        let late = late.filter(|late| late.holds_for(inputs));
        let is_due = late.is_some_and(Late::is_due);
        let unchanged = !is_due && self.is_as_it_was(&object, inputs, held_up.as_ref(), late);
        unchanged.then(|| self.rest(&object, &seen, late))
    }

    /// What is remembered of the digest; `None`: an earlier pass left something that the next has to see to.
    fn recall(&self, key: &Key) -> Option<Option<Late>> {
        let memory = self.memory();
        let Some(memory) = memory.get(key) else { return Some(None) };
        let is_settled = memory.pending.is_none() && !memory.suspended && memory.elsewhere.is_none();
        is_settled.then(|| memory.late.as_deref().copied())
    }
}
