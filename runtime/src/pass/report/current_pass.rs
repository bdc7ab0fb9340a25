//! The current pass: its object, its triggers and its report.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ObjectReference;
use kube::runtime::events::Event;
use tokio::time::Instant;
use tracing::Span;

use crate::client::Answers;
use crate::outcome::Outcome;
use crate::pass::context::PassContext;
use crate::queue::{Key, Next};
use crate::trigger::TriggerSet;

/// A started pass: its span and, if metrics are enabled, its start time.
pub(in crate::pass) struct Begun {
    pub(in crate::pass) span: Span,
    pub(in crate::pass) at: Option<Instant>,
}

/// The outcome of a pass that found its object unchanged.
pub(in crate::pass) const UNCHANGED: &str = "Unchanged";

/// The outcome of a pass that is postponed, as other clients undo the corrections of owned objects.
const CONTESTED: &str = "Contested";

/// An event and the object that it is about.
pub(in crate::pass) type PendingEvent = (Event, ObjectReference);

/// One pass while it runs. Each stage adds to its report.
pub(in crate::pass) struct CurrentPass<'k> {
    pub(in crate::pass) key: &'k Key,
    /// The triggers of the pass.
    pub(in crate::pass) triggers: TriggerSet,
    /// The responses of the API server.
    pub(in crate::pass) answers: Answers,
    /// The object as it was read for a watcher whose cache has no content.
    pub(in crate::pass) whole: Option<Arc<dyn Any + Send + Sync>>,
    /// The object had our finalizer before the pass, if it needs one.
    pub(in crate::pass) is_marked: bool,
    outcome: Option<&'static str>,
    events: Vec<PendingEvent>,
}

/// The results of a finished pass.
pub(in crate::pass) struct FinishedPass {
    pub(in crate::pass) next: Next,
    /// For the span and the metrics: the word of its [`Outcome`], or `Unchanged`, `Contested`, `Suspended`, `Skipped`, `Foreign`, `Undecodable`.
    pub(in crate::pass) outcome: &'static str,
    /// Sent after the pass, which does not wait for them.
    pub(in crate::pass) events: Vec<PendingEvent>,
    pub(in crate::pass) answers: Answers,
}

impl<'k> CurrentPass<'k> {
    pub(in crate::pass) fn new(key: &'k Key, triggers: TriggerSet) -> Self {
        let answers = Answers::default();
        Self { key, triggers, answers, whole: None, is_marked: true, outcome: None, events: Vec::new() }
    }

    /// Sets the outcome. It counts unless `Next` shows that the object was changed or deleted meanwhile.
    pub(in crate::pass) const fn ends(&mut self, outcome: &'static str) {
        self.outcome = Some(outcome);
    }

    /// Queues an event to be sent after the pass.
    pub(in crate::pass) fn send(&mut self, event: Event, about: ObjectReference) {
        self.events.push((event, about));
    }

    pub(in crate::pass) fn finished(self, next: Next) -> FinishedPass {
        let outcome = word(&next, self.outcome);
        FinishedPass { next, outcome, events: self.events, answers: self.answers }
    }
}

fn word(next: &Next, outcome: Option<&'static str>) -> &'static str {
    match (next, outcome) {
        (Next::Conflict { .. }, _) => Outcome::Conflict.as_str(),
        (Next::Forget, _) => Outcome::Gone.as_str(),
        (_, Some(outcome)) => outcome,
        (Next::Retry { .. } | Next::NotStarted { .. } | Next::RetryAlong { .. }, None) => "Failed",
        (Next::Later(_), None) => CONTESTED,
        (Next::Await | Next::After(_) | Next::Store(_), None) => Outcome::Ignored.as_str(),
    }
}

/// Records how a pass ended.
pub(in crate::pass) fn ended(context: &PassContext, key: &Key, begun: &Begun, outcome: &'static str, next: &Next) {
    if !begun.span.is_disabled() {
        begun.span.record("outcome", outcome);
    }
    let took = begun.at.map_or(Duration::ZERO, |began| began.elapsed());
    context.env.meter.record(|counts| counts.pass(key, outcome, next, took));
}
