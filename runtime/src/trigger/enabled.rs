//! The enabled triggers. The event filter, the short-circuit and the digest evaluate all of their entries in the table.

use super::digest::Digest;
use super::facts::{Inputs, PrimaryChange, TriggerFacts};
use super::table::{TRIGGERS, Trigger};
use super::trigger_set::TriggerSet;

/// The enabled triggers: all of them, unless a test disables one to show that it is needed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EnabledTriggers {
    without: TriggerSet,
    /// Every event runs the body.
    always: bool,
    /// A pass only reads the object from the cache, which measures the cost of the machinery around it.
    #[cfg(feature = "__test-hooks")]
    bare: bool,
}

impl EnabledTriggers {
    fn triggers(self) -> impl Iterator<Item = &'static Trigger> {
        TRIGGERS.iter().filter(move |trigger| !self.without.contains(trigger.trigger))
    }

    /// The enabled ones of these triggers.
    pub(crate) fn admit(self, triggers: TriggerSet) -> TriggerSet {
        triggers.without(self.without)
    }

    /// The event filter: the triggers of a change. Changes to status and `managedFields` are not triggers.
    pub(crate) fn of_change(self, event: &PrimaryChange<'_>) -> TriggerSet {
        let triggers = self.triggers().filter(|trigger| (trigger.event)(event)).map(|trigger| trigger.trigger);
        triggers.chain(self.always.then_some(TriggerSet::APPEARED)).collect()
    }

    /// The first half of the short-circuit: the triggers in the object itself that prevent it.
    pub(crate) fn of_object(self, object: &TriggerFacts<'_>) -> TriggerSet {
        let triggers = self.triggers().filter(|trigger| (trigger.stands)(object)).map(|trigger| trigger.trigger);
        triggers.chain(self.always.then_some(TriggerSet::APPEARED)).collect()
    }

    /// The second half: the hash of the inputs that must be unchanged since the body ran.
    pub(crate) fn digest(self, inputs: &Inputs<'_>) -> u64 {
        let mut digest = Digest::new();
        for (trigger, add) in self.triggers().filter_map(|trigger| Some((trigger, trigger.digest?))) {
            digest.begin(trigger.trigger);
            add(inputs, &mut digest);
        }
        digest.finish()
    }
}

/// For our own tests, which show what fails without a trigger.
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
