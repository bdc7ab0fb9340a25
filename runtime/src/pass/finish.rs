//! The end of a pass: summary, status write, event, schedule.

use std::collections::BTreeSet;
use std::sync::Arc;

use kube::api::DynamicObject;
use kube::runtime::events::EventType;
use kube::{Resource, ResourceExt};

use super::backend::PassBackend;
use super::status::{self, Unwritten};
use super::{PassWorker, event};
use crate::backend::ApiError;
use crate::condition::{Condition, RECONCILING, STALLED, Status, find};
use crate::draft::{Draft, StatusIntent};
use crate::interval::{LONGEST, SHORTEST};
use crate::outcome::Outcome;
use crate::queue::{Causes, Key, Next};
use crate::reconciler::{Primary, Reconciler};
use crate::status::{ObservedInputs, StatusContract};

/// A status that could not be written, and what was to come after it.
#[derive(Clone)]
pub(super) struct Pending {
    uid: String,
    generation: Option<i64>,
    intent: StatusIntent,
    outcome: Outcome,
}

impl<R: Reconciler> PassWorker<R> {
    /// Writes the status if it differs, records the event of a transition, and schedules.
    pub(super) async fn finish(
        &self,
        key: &Key,
        object: &R::Object,
        draft: &mut Draft,
        backend: &PassBackend,
        outcome: Outcome,
    ) -> Next {
        if outcome == Outcome::Conflict {
            return Next::Conflict { newer_than: backend.version() };
        }
        let (outcome, mut intent) = draft.conclude(outcome);
        self.env.relations.keep(key, &draft.references);
        intent.observed_inputs = Some(self.observed(object, backend, &draft.references, &outcome));
        let found = self.without_foreign(key, draft.found(), &intent);
        let progressed = draft.progressed(&intent);
        tracing::info!(outcome = outcome.as_str(), progressed, "pass ended");
        if intent != found {
            self.warn_of_time_stamps(draft, object, &intent);
            if let Err(next) = self.write(key, object, backend, &intent, &outcome).await {
                return next;
            }
            if let Some(event) = event::transition(&found, &intent, &outcome) {
                event::publish(&self.recorder, &event, &self.reference(object)).await;
            }
            self.warn_of_clamped(object, draft).await;
        }
        self.schedule(object, &outcome, progressed)
    }

    fn observed(
        &self,
        object: &R::Object,
        backend: &PassBackend,
        references: &BTreeSet<String>,
        outcome: &Outcome,
    ) -> ObservedInputs {
        let digest = if outcome.is_final() { self.digest_after(object, backend, references) } else { String::new() };
        ObservedInputs { wiring: self.wiring.clone(), digest, references: references.iter().cloned().collect() }
    }

    async fn write(
        &self,
        key: &Key,
        object: &R::Object,
        backend: &PassBackend,
        intent: &StatusIntent,
        outcome: &Outcome,
    ) -> Result<(), Next> {
        let written = match self.take_over(object, backend).await {
            Ok(()) => status::write(&backend.calls, &backend.identity, &backend.version(), intent).await,
            Err(unwritten) => Err(unwritten),
        };
        match written {
            Ok(written) => {
                backend.note(&written);
                self.settle(key, intent, &written);
                Ok(())
            }
            Err(Unwritten::Gone) => Err(self.forget(key)),
            Err(Unwritten::Outdated) => Err(Next::Conflict { newer_than: backend.version() }),
            Err(Unwritten::Failed(error)) => Err(self.unwritten(key, object, intent, outcome, &error).await),
        }
    }

    /// The write went through. What it still shows though we no longer say it, another manager holds.
    fn settle(&self, key: &Key, intent: &StatusIntent, written: &DynamicObject) {
        let conditions: Vec<Condition> =
            serde_json::from_value(written.data["status"]["conditions"].clone()).unwrap_or_default();
        let declared = R::WIRING.conditions.iter().map(|info| info.type_).chain([STALLED, RECONCILING]);
        let foreign: BTreeSet<&'static str> =
            declared.filter(|t| find(&conditions, t).is_some() && find(&intent.conditions, t).is_none()).collect();
        let mut memory = self.memory();
        let memory = memory.entry(key.clone()).or_default();
        for condition in foreign.difference(&memory.foreign) {
            tracing::warn!(
                condition,
                "another manager holds this condition; name it in `previously(managers(..))` if it is an earlier self"
            );
        }
        (memory.pending, memory.unwritten, memory.foreign) = (None, false, foreign);
    }

    /// What we cannot take away is no reason to write.
    fn without_foreign(&self, key: &Key, mut found: StatusIntent, intent: &StatusIntent) -> StatusIntent {
        let memory = self.memory();
        let foreign = memory.get(key).map(|memory| &memory.foreign);
        let is_foreign = |c: &Condition| foreign.is_some_and(|types| types.contains(c.type_.as_str()));
        found.conditions.retain(|c| !is_foreign(c) || find(&intent.conditions, &c.type_).is_some());
        found
    }

    /// The status of another wiring may hold what earlier managers left.
    async fn take_over(&self, object: &R::Object, backend: &PassBackend) -> Result<(), Unwritten> {
        let previously = R::WIRING.previously.managers;
        let Some(status) = object.status().filter(|status| !status.conditions().is_empty()) else { return Ok(()) };
        if previously.is_empty() || status.observed_inputs().is_some_and(|inputs| inputs.wiring == self.wiring) {
            return Ok(());
        }
        if let Some(version) = status::take_over(&backend.calls, &backend.identity, previously).await? {
            *backend.version.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = version;
        }
        Ok(())
    }

    /// The outcome is kept; the write is tried again with back-off, without the body unless something changed.
    async fn unwritten(
        &self,
        key: &Key,
        object: &R::Object,
        intent: &StatusIntent,
        outcome: &Outcome,
        error: &ApiError,
    ) -> Next {
        tracing::warn!(%error, outcome = outcome.as_str(), "the status was not written; trying again");
        let first = !std::mem::replace(&mut self.memory().entry(key.clone()).or_default().unwritten, true);
        if first && matches!(error, ApiError::Forbidden(_) | ApiError::Invalid(_)) {
            let note = format!("the status was not written: {error}");
            let event = event::event(EventType::Warning, "StatusNotWritten", &note);
            event::publish(&self.recorder, &event, &self.reference(object)).await;
        }
        let pending = Pending {
            uid: object.uid().unwrap_or_default(),
            generation: object.meta().generation,
            intent: intent.clone(),
            outcome: outcome.clone(),
        };
        self.memory().entry(key.clone()).or_default().pending = Some(pending);
        let at_least = if let ApiError::Busy(after, _) = error { *after } else { None };
        Next::Retry { progressed: false, at_least }
    }

    /// The status that still has to be written, if nothing but the retry timer woke the object. Anything else runs the body anew.
    pub(super) fn pending(&self, key: &Key, object: &R::Object, causes: Causes) -> Option<Pending> {
        let pending = self.memory().get_mut(key)?.pending.take()?;
        let same = object.uid().as_deref() == Some(&*pending.uid) && object.meta().generation == pending.generation;
        (same && causes == Causes::RETRY).then_some(pending)
    }

    pub(super) async fn resend(&self, key: &Key, object: Arc<R::Object>, pending: Pending) -> Next {
        let backend = self.backend(key, &object);
        let before = Draft::new(&*object, R::WIRING, backend.clone()).found();
        if let Err(next) = self.write(key, &object, &backend, &pending.intent, &pending.outcome).await {
            return next;
        }
        if let Some(event) = event::transition(&before, &pending.intent, &pending.outcome) {
            event::publish(&self.recorder, &event, &self.reference(&object)).await;
        }
        self.schedule(&object, &pending.outcome, false)
    }

    /// When an unchanged object runs again; a stalled one does not.
    pub(super) fn rest(&self, object: &R::Object) -> Next {
        let conditions = object.status().map_or(&[][..], StatusContract::conditions);
        match find(conditions, STALLED).map(|stalled| stalled.status) {
            Some(Status::True) => Next::Await,
            _ => self.schedule(object, &Outcome::Done, false),
        }
    }

    fn schedule(&self, object: &R::Object, outcome: &Outcome, progressed: bool) -> Next {
        match outcome {
            Outcome::Done | Outcome::Ignored => match R::requeue(object) {
                Some(interval) => {
                    let interval = interval.clamp(SHORTEST, LONGEST);
                    Next::After(self.clock.until_resync(interval, &object.uid().unwrap_or_default()))
                }
                None => Next::Await,
            },
            Outcome::Requeue { after: Some(after) } => Next::After(*after),
            Outcome::Waiting { poll: Some(poll) } => Next::After(*poll),
            Outcome::Requeue { after: None } | Outcome::Failed { .. } => Next::Retry { progressed, at_least: None },
            Outcome::Waiting { poll: None } | Outcome::Stalled { .. } => Next::Await,
            Outcome::Gone => Next::Forget,
            Outcome::Conflict => Next::Conflict { newer_than: object.resource_version().unwrap_or_default() },
        }
    }

    /// Told with a status that changed, so once and not with every resync.
    async fn warn_of_clamped(&self, object: &R::Object, draft: &Draft) {
        let interval = R::requeue(object).filter(|interval| *interval != (*interval).clamp(SHORTEST, LONGEST));
        let interval = interval.map(|interval| {
            format!("the interval of {interval:?} was clamped to {:?}", interval.clamp(SHORTEST, LONGEST))
        });
        for warning in draft.warnings.iter().chain(&interval) {
            tracing::warn!("{warning}");
            let event = event::event(EventType::Warning, "Clamped", warning);
            event::publish(&self.recorder, &event, &self.reference(object)).await;
        }
    }

    /// A time stamp that changes in every pass costs a write per resync. It wakes nobody, but its author should know.
    fn warn_of_time_stamps(&self, draft: &Draft, object: &R::Object, intent: &StatusIntent) {
        let settled = object.status().is_some_and(|status| {
            let digest = status.observed_inputs().map(|inputs| &inputs.digest);
            digest.is_some() && digest == intent.observed_inputs.as_ref().map(|inputs| &inputs.digest)
        });
        if !settled {
            return;
        }
        for (field, _) in draft.changed_fields(intent).filter(|(_, value)| holds_time_stamp(value)) {
            tracing::warn!(
                field,
                "a time stamp in the status changed though nothing else did: it costs a write per pass; leave it out"
            );
        }
    }
}

fn holds_time_stamp(value: &serde_json::Value) -> bool {
    match value {
        serde_json::Value::String(text) => text.parse::<jiff::Timestamp>().is_ok(),
        serde_json::Value::Array(items) => items.iter().any(holds_time_stamp),
        serde_json::Value::Object(fields) => fields.values().any(holds_time_stamp),
        _ => false,
    }
}
