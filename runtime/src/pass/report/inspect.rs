//! Inspection of a running reconciler, from the caches and without API calls.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

#[cfg(feature = "dependents")]
use crate::condition::sanitize;
use crate::condition::{ConditionStatus, find};
#[cfg(feature = "dependents")]
use crate::dependent_rules::manifest::ObjectId;
use crate::pass::context::{PassContext, observed};
use crate::pass::decide::policy;
use crate::pipeline::object::Object;
use crate::queue::pause::Pause;
use crate::queue::{Key, Queue, QueueStats};
use crate::telemetry::metrics::{DependentView, ObjectView, Subject};
use crate::trigger::generation;
#[cfg(feature = "dependents")]
use crate::watch::dependents::KnownDependent;
use crate::wiring::Wiring;

/// The worker with its queue.
pub(crate) struct Working {
    pub(crate) worker: Arc<PassContext>,
    pub(crate) queue: Queue,
    pub(crate) pause: Pause,
}

/// Whether the object is Ready for its current generation.
fn is_ready(wiring: &Wiring, object: &Object) -> bool {
    let observed = observed(wiring, object).generation;
    let ready = find(object.conditions(), wiring.summary_type());
    observed.is_some()
        && observed == generation(object.meta())
        && ready.is_some_and(|c| c.status == ConditionStatus::True)
}

/// The dependents of an object, in the order of their waves.
fn dependents(worker: &PassContext, key: &Key) -> Vec<DependentView> {
    #[cfg(feature = "dependents")]
    if worker.wiring.keeps_dependents() {
        let view = |(id, known): (ObjectId, KnownDependent)| {
            let status = known.status();
            let message = sanitize(&status.to_string());
            let wave = known.live.applied.map_or(0, |applied| applied.wave);
            let (object, step) = (id.to_string(), known.step.to_string());
            DependentView { object, step, wave, status: status.as_str(), message }
        };
        let mut all: Vec<_> = worker.env.relations.all_dependents(key).into_iter().map(view).collect();
        all.sort_by(|a, b| (a.wave, &a.object).cmp(&(b.wave, &b.object)));
        return all;
    }
    let _ = (worker, key);
    Vec::new()
}

impl Working {
    /// The view of an object that does not fit its type.
    fn undecodable(&self, key: &Key) -> Option<ObjectView> {
        let found = self.worker.env.primary.undecodable(key)?;
        Some(ObjectView {
            key: key.clone(),
            undecodable: Some(found.error),
            deleting: found.deleting,
            ready: false,
            generation: found.generation,
            observed: None,
            conditions: Vec::new(),
            watched: Vec::new(),
            owned: Vec::new(),
            dependents: Vec::new(),
            spot: self.queue.spot(key),
        })
    }
}

impl Subject for Working {
    fn figures(&self) -> QueueStats {
        self.queue.figures()
    }

    fn unfinished(&self) -> (Duration, Duration) {
        self.queue.unfinished()
    }

    fn paused(&self) -> Option<(Duration, String)> {
        self.pause.why()
    }

    fn objects(&self, wanted: &dyn Fn(&Key) -> bool) -> Vec<(Key, bool)> {
        let primary = &self.worker.env.primary;
        let selected = primary.each(wanted).filter(|(_, object)| self.worker.is_selected(&**object));
        let sound = selected.map(|(key, object)| (key, is_ready(self.worker.wiring, &*object)));
        sound.chain(primary.undecodable_keys(wanted).into_iter().map(|key| (key, false))).collect()
    }

    fn inspect(&self, key: &Key) -> Option<ObjectView> {
        let Some(object) = self.worker.env.primary.get(key) else { return self.undecodable(key) };
        if !self.worker.is_selected(&*object) {
            return None;
        }
        let (meta, seen) = (object.meta(), observed(self.worker.wiring, &*object));
        let owned = self.worker.env.relations.children(meta.uid.as_deref().unwrap_or_default());
        let mut owned: Vec<String> = owned.iter().map(|child| child.target.to_string()).collect();
        owned.sort();
        let own = object.conditions().iter().filter(|condition| self.worker.wiring.is_own(&condition.type_));
        Some(ObjectView {
            key: key.clone(),
            undecodable: None,
            deleting: meta.deletion_timestamp.is_some(),
            ready: is_ready(self.worker.wiring, &*object),
            generation: generation(meta),
            observed: seen.generation,
            conditions: own.cloned().collect(),
            watched: seen.inputs.map(|inputs| inputs.into_owned().references).unwrap_or_default(),
            owned,
            dependents: dependents(&self.worker, key),
            spot: self.queue.spot(key),
        })
    }

    fn undecodable_count(&self) -> usize {
        self.worker.env.primary.undecodable_keys(&|_| true).len()
    }

    fn conditions(&self, see: &mut dyn FnMut(&str, &ConditionStatus)) {
        self.worker.env.primary.conditions(see);
    }

    fn dependents(&self) -> BTreeMap<(String, &'static str), i64> {
        #[cfg(feature = "dependents")]
        if self.worker.wiring.keeps_dependents() {
            return self.worker.env.relations.dependents_counts();
        }
        BTreeMap::new()
    }

    fn policies(&self, see: &mut dyn FnMut(&'static str)) {
        policy::policies(&self.worker).for_each(|policy| see(policy.word()));
    }
}
