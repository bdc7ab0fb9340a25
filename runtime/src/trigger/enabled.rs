//! Which causes count, and what they come to: the event filter, the short-circuit and the digest ask all entries of the table.

use super::causes::Causes;
use super::digest::Digest;
use super::facts::{Event, Inputs, Standing};
use super::table::{CAUSES, Cause};

/// The causes that count: all of them, except where a test takes one out to show that it is needed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct List {
    without: Causes,
    /// Every event runs the body.
    always: bool,
    /// A pass only looks the object up: what is left is the cost of the machinery around it.
    #[cfg(feature = "sabotage")]
    bare: bool,
}

impl List {
    fn causes(self) -> impl Iterator<Item = &'static Cause> {
        CAUSES.iter().filter(move |cause| !self.without.contains(cause.cause))
    }

    /// Those of the causes that count.
    pub(crate) fn admit(self, causes: Causes) -> Causes {
        causes.without(self.without)
    }

    /// The event filter: why the object has to be looked at. Changes of status and managed fields are no causes.
    pub(crate) fn woken(self, event: &Event<'_>) -> Causes {
        let causes = self.causes().filter(|cause| (cause.event)(event)).map(|cause| cause.cause);
        causes.chain(self.always.then_some(Causes::APPEARED)).collect()
    }

    /// The first half of the short-circuit: what of the object itself stands in the way of leaving it alone.
    pub(crate) fn standing(self, object: &Standing<'_>) -> Causes {
        let causes = self.causes().filter(|cause| (cause.stands)(object)).map(|cause| cause.cause);
        causes.chain(self.always.then_some(Causes::APPEARED)).collect()
    }

    /// The second half: the hash of what has to be as it was when the body ran.
    pub(crate) fn digest(self, inputs: &Inputs<'_>) -> u64 {
        let mut digest = Digest::new();
        for (cause, add) in self.causes().filter_map(|cause| Some((cause, cause.digest?))) {
            digest.begin(cause.cause);
            add(inputs, &mut digest);
        }
        digest.finish()
    }
}

/// For our own tests: what goes wrong without a cause.
#[cfg(feature = "sabotage")]
impl List {
    pub(crate) fn words() -> impl Iterator<Item = &'static str> {
        CAUSES.iter().map(|cause| cause.word)
    }

    pub(crate) fn take_out(&mut self, word: &str) {
        let causes: Causes = CAUSES.iter().filter(|cause| cause.word == word).map(|cause| cause.cause).collect();
        self.without = self.without | causes;
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
