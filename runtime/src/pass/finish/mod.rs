//! The end of a pass: summary, what is told, status write, schedule.

pub(super) mod hot_object;
pub(super) mod late_digest;
pub(super) mod leftover_fields;
pub(super) mod managed_fields;
pub(super) mod resync;
pub(super) mod retry_write;
pub(super) mod schedule;
pub(super) mod status_write;

use std::collections::BTreeSet;

use futures::FutureExt;
use kube::api::DynamicObject;

use self::managed_fields::Take;
use self::retry_write::Pending;
use self::schedule::clamp_retry_after;
use self::status_write::Unwritten;
use super::PassWorker;
use super::api::PassBackend;
use super::decide::policy;
use super::report::Tale;
use super::report::current_pass::CurrentPass;
use super::run::Verdict;
use crate::condition::{Condition, find};
use crate::outcome::Outcome;
use crate::pipeline::object::Object;
use crate::pipeline::state::{Draft, StatusIntent};
use crate::queue::{Key, Next};
use crate::status::observed::Observed;
use crate::status::{NOT_FINAL, ObservedInputs, PATCHED};

impl PassWorker {
    /// Writes the status if it differs, records the event of a transition, and schedules.
    pub(super) async fn finish(
        &self,
        pass: &mut CurrentPass<'_>,
        object: &Object,
        draft: &mut Draft,
        backend: &PassBackend,
        verdict: Verdict,
    ) -> Next {
        let key = pass.key;
        if verdict.outcome == Outcome::Conflict {
            self.observe(backend, &Outcome::Conflict, &Tale::untold(), None);
            return self.outdated(key, backend);
        }
        let halt = verdict.halt.as_ref();
        let retry = halt.map(|halt| halt.retry).unwrap_or_default();
        let (outcome, mut intent) = draft.conclude(verdict.outcome, retry);
        pass.ends(outcome.as_str());
        draft.references.extend(policy::namespace(self.wiring, object).map(|namespace| namespace.to_string()));
        self.env.relations.keep(key, &draft.references);
        intent.observed_inputs = Some(self.observed(object, backend, &draft.references, (&outcome, verdict.claimed)));
        let progressed = draft.progressed(&intent);
        let found = self.without_foreign(key, draft.take_found(), &intent);
        let mut tale = Tale::of(&found, &intent, &outcome, halt, self.wiring.conditions);
        self.after(object, draft, (&outcome, halt), &mut intent, &mut tale);
        let late = self.lateness(key, object, pass.causes, (&found, &intent));
        let changed = late.is_none() && intent != found;
        self.remember(key, late);
        tale.log(&outcome, progressed);
        let mut clamped = std::mem::take(&mut draft.clamped);
        let next = self.schedule(object, (&outcome, retry), progressed, &mut clamped);
        clamp_retry_after(crate::client::retry_after(), &mut clamped);
        let mut written = Ok(());
        if changed {
            self.warn_of_time_stamps(object, &found, &intent);
            let events = tale.event().into_iter().chain(policy::change(&found, &intent)).collect();
            let pending = Pending::new(object.meta(), (found, intent), (&outcome, retry), events);
            // On the heap: most passes find the status as it should be.
            written = self.write(pass, object, backend, pending).boxed().await;
        }
        self.observe(backend, &outcome, &tale, written.as_ref().err());
        if let Err(next) = written {
            return next;
        }
        self.warn_of_clamped(pass, object, changed, &clamped);
        let next = match late {
            Some(late) => late.within(next),
            None => next,
        };
        Self::until_quiet(backend, next)
    }

    fn observed(
        &self,
        object: &Object,
        backend: &PassBackend,
        references: &BTreeSet<String>,
        (outcome, claimed): (&Outcome, Vec<String>),
    ) -> ObservedInputs {
        let claimed = self.claimed(object, claimed);
        let digest = match outcome.is_final() {
            true => self.digest_after(object, backend, references, &claimed),
            false => NOT_FINAL.to_owned(),
        };
        let policy = self.policy(object).shown().to_owned();
        let references = references.iter().cloned().collect();
        ObservedInputs { wiring: self.wiring_hash.clone(), digest, references, policy, claimed }
    }

    /// The write went through. What it still shows though we no longer say it, another manager holds.
    pub(super) fn settle(&self, key: &Key, backend: &PassBackend, intent: &StatusIntent, written: &DynamicObject) {
        let mut memory = self.memory();
        let memory = memory.entry(key.clone()).or_default();
        (memory.pending, memory.unwritten) = (None, false);
        // A patch adds Reconciling itself, and the next apply takes all of it over.
        if backend.hot {
            return;
        }
        let conditions: Vec<Condition> =
            serde_json::from_value(written.data["status"]["conditions"].clone()).unwrap_or_default();
        let declared = self.wiring.condition_types().chain(self.wiring.kept_types().iter().copied());
        let foreign: BTreeSet<&'static str> =
            declared.filter(|t| find(&conditions, t).is_some() && find(&intent.conditions, t).is_none()).collect();
        for condition in foreign.difference(&memory.foreign) {
            tracing::warn!(
                condition,
                "this condition is not reported any more and stays in the status: no manager that can be taken over holds it"
            );
        }
        memory.foreign = foreign;
    }

    /// What we cannot take away is no reason to write.
    fn without_foreign(&self, key: &Key, mut found: StatusIntent, intent: &StatusIntent) -> StatusIntent {
        let memory = self.memory();
        let foreign = memory.get(key).map(|memory| &memory.foreign);
        let is_foreign = |c: &Condition| foreign.is_some_and(|types| types.contains(c.type_.as_str()));
        found.conditions.retain(|c| !is_foreign(c) || find(&intent.conditions, &c.type_).is_some());
        found
    }

    /// The status of another wiring may hold what earlier managers left, and one that was patched is not owned by server-side apply. A hot
    /// object keeps its managers: to take fields over needs a version.
    pub(super) async fn take_over(&self, object: &Object, backend: &PassBackend) -> Result<(), Unwritten> {
        let Some(status) = object.status().filter(|status| !status.conditions().is_empty()) else { return Ok(()) };
        let inputs = Observed::of(status, self.wiring).inputs;
        let is_of = |wiring: &str| inputs.as_ref().is_some_and(|inputs| inputs.wiring == wiring);
        let previously = self.wiring.previously.managers.iter().copied().filter(|_| !is_of(&self.wiring_hash));
        let managers: Vec<&str> = previously.chain(is_of(PATCHED).then_some(&*self.manager)).collect();
        if managers.is_empty() || backend.hot {
            return Ok(());
        }
        if let Some(version) =
            status_write::take_over(&backend.calls, &backend.identity, Take::Managers(&managers)).await?
        {
            *backend.version.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = version;
        }
        Ok(())
    }

    /// A time stamp that changes in every pass costs a write per resync. It wakes nobody, but its author should know.
    fn warn_of_time_stamps(&self, object: &Object, found: &StatusIntent, intent: &StatusIntent) {
        let settled = object.status().is_some_and(|status| {
            let (was, is) = (Observed::of(status, self.wiring).inputs, &intent.observed_inputs);
            was.zip(is.as_ref()).is_some_and(|(was, is)| was.digest == is.digest)
        });
        if !settled {
            return;
        }
        for (field, _) in intent.changed_fields(found).filter(|(_, value)| holds_time_stamp(&value.value())) {
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_time_stamp_is_found_at_any_depth() {
        let at = "2026-01-01T00:00:00Z";
        for value in [json!(at), json!(["x", at]), json!({ "a": 1, "b": at }), json!([{ "a": [at] }])] {
            assert!(holds_time_stamp(&value), "{value}");
        }
        for value in [json!("x"), json!(1), json!(null), json!(true), json!([]), json!({ "a": ["2026"] })] {
            assert!(!holds_time_stamp(&value), "{value}");
        }
    }
}
