//! A status that is written: at once, or, where that fails, later without the body.

use std::sync::Arc;

use kube::api::ObjectMeta;
use kube::runtime::events::{Event, EventType};

use super::status_write::Unwritten;
use crate::api::ApiError;
use crate::api::grant::plural_and_group;
use crate::outcome::Outcome;
use crate::outcome::retry::Retry;
use crate::pass::PassWorker;
use crate::pass::api::PassBackend;
use crate::pass::report::current_pass::CurrentPass;
use crate::pass::report::event;
use crate::pipeline::object::Object;
use crate::pipeline::state::StatusIntent;
use crate::queue::{Causes, Key, Next};
use crate::schema::{install, undeclared};

/// A status to write, and what comes after it.
pub(in crate::pass) struct Pending {
    uid: String,
    generation: Option<i64>,
    /// The status that it replaces.
    found: StatusIntent,
    intent: StatusIntent,
    outcome: Outcome,
    retry: Retry,
    events: Vec<Event>,
}

impl Pending {
    pub(in crate::pass) fn new(
        meta: &ObjectMeta,
        (found, intent): (StatusIntent, StatusIntent),
        (outcome, retry): (&Outcome, Retry),
        events: Vec<Event>,
    ) -> Self {
        Self {
            uid: meta.uid.clone().unwrap_or_default(),
            generation: meta.generation,
            found,
            intent,
            outcome: outcome.clone(),
            retry,
            events,
        }
    }

    /// How the pass of this status ended, if nothing but the retry timer triggered a pass of the same generation; anything else runs the body
    /// anew.
    pub(in crate::pass) fn alone(&self, meta: &ObjectMeta, causes: Causes) -> Option<(Outcome, Retry)> {
        let same = meta.uid.as_ref() == Some(&self.uid) && meta.generation == self.generation;
        (same && causes == Causes::RETRY).then(|| (self.outcome.clone(), self.retry))
    }
}

impl PassWorker {
    /// Writes the status, and tells the events.
    pub(in crate::pass) async fn write(
        &self,
        pass: &mut CurrentPass<'_>,
        object: &Object,
        backend: &PassBackend,
        pending: Pending,
    ) -> Result<(), Next> {
        let key = pass.key;
        let written = match self.take_over(object, backend).await {
            Ok(()) => self.write_status(key, object, backend, (&pending.found, &pending.intent)).await,
            Err(unwritten) => Err(unwritten),
        };
        match written {
            Ok(written) => {
                backend.note(&written);
                self.settle(key, backend, &pending.intent, &written);
            }
            Err(Unwritten::Gone) => return Err(self.forget(key)),
            Err(Unwritten::Outdated) => return Err(self.outdated(key, backend)),
            Err(Unwritten::Failed(error)) => return Err(self.unwritten(pass, object, pending, &error)),
        }
        for event in pending.events {
            pass.send(event, self.reference(object));
        }
        Ok(())
    }

    /// The outcome is kept; the write is tried again with back-off, without the body unless something changed.
    fn unwritten(&self, pass: &mut CurrentPass<'_>, object: &Object, pending: Pending, error: &ApiError) -> Next {
        let key = pass.key;
        let refused = error.to_string();
        let help = undeclared(&refused).map(|field| {
            let crd = plural_and_group(&self.kind.resource.plural, &self.kind.resource.group);
            format!(
                "; the CRD {crd} lacks {field} in {}: apply the CRD of this program: {}",
                self.kind.resource.version,
                install()
            )
        });
        // What a person has to put right.
        let is_lasting =
            help.is_some() || matches!(error, ApiError::Forbidden(_) | ApiError::Invalid(_) | ApiError::NotFound(_));
        let help = help.unwrap_or_default();
        tracing::warn!(%error, outcome = pending.outcome.as_str(), "the status was not written; trying again{help}");
        let first = !std::mem::replace(&mut self.memory().entry(key.clone()).or_default().unwritten, true);
        if first && is_lasting {
            let note = format!("the status was not written: {refused}{help}");
            let event = event::event(EventType::Warning, "StatusNotWritten", &note);
            pass.send(event, self.reference(object));
        }
        self.memory().entry(key.clone()).or_default().pending = Some(pending);
        let at_least = if let ApiError::Busy(after, _) = error { *after } else { None };
        Next::Retry { progressed: false, at_least }
    }

    /// The status that still has to be written.
    pub(in crate::pass) fn pending(&self, key: &Key) -> Option<Pending> {
        self.memory().get_mut(key)?.pending.take()
    }

    pub(in crate::pass) async fn resend(
        &self,
        pass: &mut CurrentPass<'_>,
        object: Arc<Object>,
        pending: Pending,
    ) -> Next {
        let backend = self.backend(pass.key, &*object);
        let (outcome, retry) = (pending.outcome.clone(), pending.retry);
        pass.ends(outcome.as_str());
        match self.write(pass, &*object, &backend, pending).await {
            Ok(()) => Self::until_quiet(&backend, self.schedule(&*object, (&outcome, retry), false, &mut Vec::new())),
            Err(next) => next,
        }
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use serde_json::json;

    use super::*;

    fn map(uid: &str, generation: i64) -> ConfigMap {
        serde_json::from_value(json!({ "metadata": { "name": "m", "uid": uid, "generation": generation } })).unwrap()
    }

    #[test]
    fn a_status_is_sent_again_only_where_nothing_but_its_timer_woke_the_same_generation_of_the_object() {
        let intents = (StatusIntent::empty(), StatusIntent::empty());
        let pending = Pending::new(&map("u", 2).metadata, intents, (&Outcome::Done, Retry::Slow), Vec::new());
        assert!(pending.alone(&map("u", 2).metadata, Causes::RETRY).is_some());
        assert!(pending.alone(&map("v", 2).metadata, Causes::RETRY).is_none());
        assert!(pending.alone(&map("u", 3).metadata, Causes::RETRY).is_none());
        assert!(pending.alone(&map("u", 2).metadata, Causes::RESYNC).is_none());
        assert!(pending.alone(&map("u", 2).metadata, Causes::RETRY | Causes::GENERATION).is_none());
    }
}
