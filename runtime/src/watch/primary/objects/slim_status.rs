//! The status of an idle object in memory: most objects have the same, except for a digest, a generation and a time.

use std::sync::Arc;

use jiff::Timestamp;

use crate::status::bare::BareStatus;
use crate::trigger;

/// The status of one object.
#[derive(Debug)]
pub(super) struct SlimStatus {
    shared: Arc<BareStatus>,
    generation: i64,
    digest: u64,
    /// The nanoseconds since 1970 of the transition times.
    at: i64,
}

/// The statuses that several objects have, without the values of one object.
#[derive(Debug, Default)]
pub(super) struct SharedStatuses(Vec<Arc<BareStatus>>);

/// The number of statuses that are shared. Objects with others have their own one.
const MOST: usize = 16;

impl SharedStatuses {
    /// `None`: the status has more values of its own.
    pub(super) fn slim(&mut self, status: &BareStatus) -> Option<SlimStatus> {
        let generation = status.observed_generation?;
        let digest = trigger::parse(&status.observed_inputs.as_ref()?.digest)?;
        let time = status.conditions.first()?.last_transition_time?;
        let at = i64::try_from(time.as_nanosecond()).ok()?;
        let shared = filled(status, None, "", None);
        let slim = SlimStatus { shared: self.share(shared)?, generation, digest, at };
        (slim.whole().as_ref() == Some(status)).then_some(slim)
    }

    fn share(&mut self, status: BareStatus) -> Option<Arc<BareStatus>> {
        if let Some(known) = self.0.iter().find(|known| ***known == status) {
            return Some(known.clone());
        }
        if self.0.len() >= MOST {
            // Those that no object has any more.
            self.0.retain(|known| Arc::strong_count(known) > 1);
        }
        let status = Arc::new(status);
        (self.0.len() < MOST).then(|| self.0.push(status.clone()))?;
        Some(status)
    }
}

impl SlimStatus {
    /// What several objects have of it.
    #[cfg(feature = "metrics")]
    pub(super) fn shared(&self) -> &BareStatus {
        &self.shared
    }

    /// The whole status.
    pub(super) fn whole(&self) -> Option<BareStatus> {
        let at = Timestamp::from_nanosecond(self.at.into()).ok()?;
        Some(filled(&self.shared, Some(self.generation), &trigger::text(self.digest), Some(at)))
    }
}

/// The status with these values.
fn filled(status: &BareStatus, generation: Option<i64>, digest: &str, at: Option<Timestamp>) -> BareStatus {
    let mut filled = status.clone();
    filled.observed_generation = generation;
    for condition in &mut filled.conditions {
        (condition.observed_generation, condition.last_transition_time) = (generation, at);
    }
    filled.observed_inputs.iter_mut().for_each(|inputs| digest.clone_into(&mut inputs.digest));
    filled
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn status(digest: &str, time: &str) -> BareStatus {
        let condition = |type_: &str, time: &str| {
            json!({ "type": type_, "status": "True", "reason": "Succeeded", "message": "done", "observedGeneration": 3,
                "lastTransitionTime": time })
        };
        let status = json!({
            "observedGeneration": 3, "observedInputs": { "wiring": "w", "digest": digest, "added": true },
            "conditions": [condition("Ready", "2026-01-01T00:00:00.5Z"), condition("Synced", time)],
        });
        serde_json::from_value::<BareStatus>(status).unwrap()
    }

    fn text(status: &BareStatus) -> Value {
        serde_json::to_value(status).unwrap()
    }

    #[test]
    fn a_slim_status_has_the_values_of_the_whole_one() {
        let mut shared = SharedStatuses::default();
        let time = "2026-01-01T00:00:00.5Z";
        let (one, other) = (status("00000000000000aa", time), status("00000000000000bb", time));
        let (first, second) = (shared.slim(&one).unwrap(), shared.slim(&other).unwrap());
        assert!(Arc::ptr_eq(&first.shared, &second.shared) && shared.0.len() == 1);
        assert_eq!((first.whole().unwrap(), second.whole().unwrap()), (one.clone(), other));
        assert_eq!(text(&first.whole().unwrap()), text(&one));
    }

    #[test]
    fn a_status_with_more_values_of_its_own_stays_whole() {
        let mut shared = SharedStatuses::default();
        assert!(shared.slim(&status("00000000000000aa", "2026-01-01T00:00:07Z")).is_none(), "two times");
        assert!(shared.slim(&status("not-final", "2026-01-01T00:00:00.5Z")).is_none());
        assert!(shared.slim(&BareStatus::default()).is_none());
    }
}
