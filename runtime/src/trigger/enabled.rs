//! Which triggers count, and what they come to: the event filter, the short-circuit and the digest ask all entries of the table.

use super::digest::Digest;
use super::facts::{Inputs, PrimaryChange, TriggerFacts};
use super::table::{TRIGGERS, Trigger};
use super::trigger_set::TriggerSet;

/// The triggers that count: all of them, except where a test takes one out to show that it is needed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EnabledTriggers {
    without: TriggerSet,
    /// Every event runs the body.
    always: bool,
    /// A pass only looks the object up: what is left is the cost of the machinery around it.
    #[cfg(feature = "__test-hooks")]
    bare: bool,
}

impl EnabledTriggers {
    fn triggers(self) -> impl Iterator<Item = &'static Trigger> {
        TRIGGERS.iter().filter(move |trigger| !self.without.contains(trigger.trigger))
    }

    /// Those of the triggers that count.
    pub(crate) fn admit(self, triggers: TriggerSet) -> TriggerSet {
        triggers.without(self.without)
    }

    /// The event filter: why the object has to be looked at. Changes of status and managed fields are no triggers.
    pub(crate) fn of_change(self, event: &PrimaryChange<'_>) -> TriggerSet {
        let triggers = self.triggers().filter(|trigger| (trigger.event)(event)).map(|trigger| trigger.trigger);
        triggers.chain(self.always.then_some(TriggerSet::APPEARED)).collect()
    }

    /// The first half of the short-circuit: what of the object itself stands in the way of leaving it alone.
    pub(crate) fn of_object(self, object: &TriggerFacts<'_>) -> TriggerSet {
        let triggers = self.triggers().filter(|trigger| (trigger.stands)(object)).map(|trigger| trigger.trigger);
        triggers.chain(self.always.then_some(TriggerSet::APPEARED)).collect()
    }

    /// The second half: the hash of what has to be as it was when the body ran.
    pub(crate) fn digest(self, inputs: &Inputs<'_>) -> u64 {
        let mut digest = Digest::new();
        for (trigger, add) in self.triggers().filter_map(|trigger| Some((trigger, trigger.digest?))) {
            digest.begin(trigger.trigger);
            add(inputs, &mut digest);
        }
        digest.finish()
    }
}

/// For our own tests: what goes wrong without a cause.
#[cfg(feature = "__test-hooks")]
impl EnabledTriggers {
    pub(crate) fn words() -> impl Iterator<Item = &'static str> {
        TRIGGERS.iter().map(|trigger| trigger.word)
    }

    pub(crate) fn take_out(&mut self, word: &str) {
        let triggers: TriggerSet =
            TRIGGERS.iter().filter(|trigger| trigger.word == word).map(|trigger| trigger.trigger).collect();
        self.without = self.without | triggers;
    }

    pub(crate) fn always_run(&mut self) {
        self.always = true;
    }

    pub(crate) fn only_look_up(&mut self) {
        self.bare = true;
    }

    pub(crate) fn only_looks_up(self) -> bool {
        self.bare
    }
}
