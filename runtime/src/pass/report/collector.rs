//! What a pass says beside when it runs again: how it ended, for its span and the figures, and the events to send after it.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use k8s_openapi::api::core::v1::ObjectReference;
use kube::runtime::events::Event;

use crate::outcome::Outcome;
use crate::pass::{Begun, PassWorker};
use crate::pipeline::reconciler::Reconciler;
use crate::queue::{Key, Next};

tokio::task_local! {
    static WORD: Cell<Option<&'static str>>;
    static TOLD: RefCell<Vec<Told>>;
}

/// The word of a pass that found the object as it was.
pub(in crate::pass) const UNCHANGED: &str = "Unchanged";

/// The word of a pass that is put off, as others undo what is applied to the owned objects.
const CONTESTED: &str = "Contested";

/// An event, and what it is about.
pub(in crate::pass) type Told = (Event, ObjectReference);

/// Runs a pass, and tells in a word how it ended: that of its [`Outcome`], [`UNCHANGED`], `Suspended` or `Skipped`; and its events.
pub(in crate::pass) async fn kept(pass: impl Future<Output = Next>) -> (Next, &'static str, Vec<Told>) {
    let kept = async {
        let next = pass.await;
        let word = word(&next, WORD.with(Cell::get));
        (next, word, TOLD.with(RefCell::take))
    };
    TOLD.scope(RefCell::default(), WORD.scope(Cell::new(None), kept)).await
}

/// Has an event sent after the pass, which need not wait for it.
pub(in crate::pass) fn tells(event: Event, about: ObjectReference) {
    let _ = TOLD.try_with(|told| told.borrow_mut().push((event, about)));
}

/// Says how the pass ends, unless it is overtaken by what others did.
pub(in crate::pass) fn ends(word: &'static str) {
    // Outside of a pass, as in a trial, nobody asks.
    let _ = WORD.try_with(|said| said.set(Some(word)));
}

fn word(next: &Next, said: Option<&'static str>) -> &'static str {
    match (next, said) {
        (Next::Conflict { .. }, _) => Outcome::Conflict.as_str(),
        (Next::Forget, _) => Outcome::Gone.as_str(),
        (_, Some(said)) => said,
        (Next::Retry { .. } | Next::Undone { .. } | Next::RetryAlong { .. }, None) => "Failed",
        (Next::Later(_), None) => CONTESTED,
        (Next::Await | Next::After(_) | Next::Store(_), None) => Outcome::Ignored.as_str(),
    }
}

impl<R: Reconciler> PassWorker<R> {
    /// Records how a pass ended.
    pub(in crate::pass) fn ended(&self, key: &Key, begun: &Begun, outcome: &'static str, next: &Next) {
        if !begun.span.is_disabled() {
            begun.span.record("outcome", outcome);
        }
        let took = begun.at.map_or(Duration::ZERO, |began| began.elapsed());
        self.env.meter.tell(|counts| counts.pass(key, outcome, next, took));
    }
}
