//! A status whose write failed.

use kube::api::ObjectMeta;
use kube::runtime::events::Event;

use crate::outcome::Outcome;
use crate::outcome::retry::Retry;
use crate::pipeline::state::DesiredStatus;
use crate::trigger::TriggerSet;

/// A status to write, with the events and the schedule that follow the write.
pub(in crate::pass) struct Pending {
    pub(in crate::pass) uid: String,
    pub(in crate::pass) generation: Option<i64>,
    /// The status that it replaces.
    pub(in crate::pass) found: DesiredStatus,
    pub(in crate::pass) intent: DesiredStatus,
    pub(in crate::pass) outcome: Outcome,
    pub(in crate::pass) retry: Retry,
    pub(in crate::pass) events: Vec<Event>,
}

impl Pending {
    pub(in crate::pass) fn new(
        meta: &ObjectMeta,
        (found, intent): (DesiredStatus, DesiredStatus),
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

    /// The outcome of the pass that computed this status, if only the retry timer triggered a pass of the same generation. Any other
    /// trigger runs the body again.
    pub(in crate::pass) fn alone(&self, meta: &ObjectMeta, triggers: TriggerSet) -> Option<(Outcome, Retry)> {
        let same = meta.uid.as_ref() == Some(&self.uid) && meta.generation == self.generation;
        (same && triggers == TriggerSet::RETRY).then(|| (self.outcome.clone(), self.retry))
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
    fn a_status_is_resent_only_by_its_own_retry() {
        let intents = (DesiredStatus::empty(), DesiredStatus::empty());
        let pending = Pending::new(&map("u", 2).metadata, intents, (&Outcome::Done, Retry::Slow), Vec::new());
        assert!(pending.alone(&map("u", 2).metadata, TriggerSet::RETRY).is_some());
        assert!(pending.alone(&map("v", 2).metadata, TriggerSet::RETRY).is_none());
        assert!(pending.alone(&map("u", 3).metadata, TriggerSet::RETRY).is_none());
        assert!(pending.alone(&map("u", 2).metadata, TriggerSet::RESYNC).is_none());
        assert!(pending.alone(&map("u", 2).metadata, TriggerSet::RETRY | TriggerSet::GENERATION).is_none());
    }
}
