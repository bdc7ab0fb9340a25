//! Debug view of an object: why it is not ready, what triggers a reconcile, and when it is retried.

use std::time::Duration;

use serde_json::{Value, json};

use super::object_query::{ObjectQuery, State};
use super::reconciler::{Last, ReconcilerMetrics};
use super::subject::{DependentView, ObjectView};
use crate::condition::{Condition, find, sanitize};
use crate::queue::{Attempt, Phase};
use crate::watch::UNDECODABLE;
use crate::wiring::Wiring;

/// One object of one reconciler.
pub(super) struct Row {
    pub(super) kind: String,
    pub(super) reconciler: &'static str,
    pub(super) inspect: ObjectView,
    pub(super) last: Option<Last>,
    wiring: Wiring,
}

/// The matching objects up to the limit, those that are not ready first, and the number of all matches.
pub(super) fn rows(controllers: &[std::sync::Arc<ReconcilerMetrics>], query: &ObjectQuery) -> (Vec<Row>, usize) {
    let mut found = Vec::new();
    for controller in
        controllers.iter().filter(|one| query.kind.is_empty() || query.kind.eq_ignore_ascii_case(one.kind()))
    {
        let Some(subject) = controller.subject() else { continue };
        let objects = subject.objects(&|key| query.wants(key));
        found.extend(
            objects.into_iter().map(|(key, ready)| (ready, controller.kind(), key, controller, subject.clone())),
        );
    }
    found.sort_by(|a, b| (a.0, a.1, &a.2).cmp(&(b.0, b.1, &b.2)));
    let all = found.len();
    let rows = found.into_iter().filter_map(|(_, kind, key, controller, subject)| {
        let (inspect, last) = (subject.inspect(&key)?, controller.last(&key));
        let (reconciler, wiring) = (controller.name(), *controller.wiring());
        Some(Row { kind: kind.to_owned(), reconciler, inspect, last, wiring })
    });
    if !query.reads_rows() {
        return (rows.take(query.limit).collect(), all);
    }
    let mut rows: Vec<Row> = rows.filter(|row| row.is_wanted(query)).collect();
    let all = rows.len();
    rows.truncate(query.limit);
    (rows, all)
}

impl Row {
    pub(super) fn summary(&self) -> Option<&Condition> {
        find(&self.inspect.conditions, self.wiring.summary_type())
    }

    pub(super) fn is_ready(&self) -> bool {
        self.inspect.ready
    }

    /// Whether state and text of the object are those that the query asks for.
    fn is_wanted(&self, query: &ObjectQuery) -> bool {
        let in_state = match query.state {
            State::All => true,
            State::NotReady => !self.is_ready(),
            State::Undecodable => self.inspect.undecodable.is_some(),
        };
        let wanted = query.search.to_lowercase();
        let texts = || {
            let name = format!("{} {} {}", self.kind, self.inspect.key, self.reconciler);
            [name, self.why()].into_iter().chain(self.conditions()).chain(self.dependents())
        };
        in_state && (wanted.is_empty() || texts().any(|text| text.to_lowercase().contains(&wanted)))
    }

    /// The reason and message of the summary, in a sentence.
    pub(super) fn why(&self) -> String {
        if let Some(error) = &self.inspect.undecodable {
            return format!("{UNDECODABLE}: {}", sanitize(error));
        }
        match self.summary() {
            // Prefer the generation of the condition: that of the status is from the last successful pass.
            Some(ready) if ready.observed_generation.or(self.inspect.observed) != self.inspect.generation => {
                format!("{}: {} (of an earlier generation)", ready.reason, sanitize(&ready.message))
            }
            Some(ready) => format!("{}: {}", ready.reason, sanitize(&ready.message)),
            None => "no pass has ended yet".into(),
        }
    }

    /// The conditions, each as a line.
    pub(super) fn conditions(&self) -> Vec<String> {
        let line =
            |c: &Condition| format!("{} is {}: {}: {}", c.type_, c.status.as_str(), c.reason, sanitize(&c.message));
        self.inspect.conditions.iter().map(line).collect()
    }

    pub(super) fn attempt(&self) -> Attempt {
        self.inspect.spot.map(|spot| spot.attempt).unwrap_or_default()
    }

    /// The state in the queue, in a sentence.
    pub(super) fn queue(&self) -> String {
        let Some(spot) = self.inspect.spot else { return "idle".into() };
        match spot.phase {
            Phase::Waiting(wait) => format!("enqueued for {} ({})", short(wait), spot.triggers),
            Phase::Running(time) => format!("running for {} ({})", short(time), spot.triggers),
            Phase::Sleeping(Some(due)) => format!("scheduled, runs in {} ({})", short(due), spot.triggers),
            Phase::Sleeping(None) => "idle".into(),
        }
    }

    /// The changes that trigger a reconcile.
    pub(super) fn triggers(&self) -> Vec<String> {
        let own = [
            "spec, labels, annotations or deletion of itself".to_owned(),
            format!("annotation {}", self.wiring.request_annotation),
        ];
        let watched = self.inspect.watched.iter().map(|one| format!("watched {one}"));
        let owned = self.inspect.owned.iter().map(|one| format!("owned {one}"));
        own.into_iter().chain(watched).chain(owned).collect()
    }

    /// The dependents, each as a line.
    pub(super) fn dependents(&self) -> Vec<String> {
        let line =
            |one: &DependentView| format!("wave {}: {} is {}: {}", one.wave, one.object, one.status, one.message);
        self.inspect.dependents.iter().map(line).collect()
    }

    pub(super) fn json(&self) -> Value {
        let ready = self.summary().map(told);
        let last = self.last.map(|last| {
            json!({ "outcome": last.outcome, "seconds": seconds(last.took), "secondsAgo": seconds(last.at.elapsed()) })
        });
        let attempt = self.attempt();
        let dependent = |one: &DependentView| json!({ "object": one.object, "step": one.step, "wave": one.wave, "status": one.status, "message": one.message });
        json!({
            "kind": self.kind,
            "reconciler": self.reconciler,
            "namespace": self.inspect.key.namespace.as_deref(),
            "name": &*self.inspect.key.name,
            "deleting": self.inspect.deleting,
            "undecodable": self.inspect.undecodable.as_deref().map(sanitize),
            "generation": self.inspect.generation,
            "observedGeneration": self.inspect.observed,
            "isReady": self.is_ready(),
            "ready": ready,
            "conditions": self.inspect.conditions.iter().map(told).collect::<Vec<_>>(),
            "dependents": self.inspect.dependents.iter().map(dependent).collect::<Vec<_>>(),
            "lastPass": last,
            "failures": attempt.failures,
            "conflicts": attempt.conflicts,
            "queue": self.spot(),
            "wokenBy": {
                "annotation": self.wiring.request_annotation,
                "watched": self.inspect.watched,
                "owned": self.inspect.owned,
            },
        })
    }

    fn spot(&self) -> Value {
        let Some(spot) = self.inspect.spot else { return json!({ "state": "resting" }) };
        let triggers = spot.triggers.to_string();
        match spot.phase {
            Phase::Waiting(wait) => json!({ "state": "waiting", "causes": triggers, "waitedSeconds": seconds(wait) }),
            Phase::Running(time) => json!({ "state": "running", "causes": triggers, "ranSeconds": seconds(time) }),
            Phase::Sleeping(Some(due)) => {
                json!({ "state": "sleeping", "causes": triggers, "dueInSeconds": seconds(due) })
            }
            Phase::Sleeping(None) => json!({ "state": "resting" }),
        }
    }
}

fn told(condition: &Condition) -> Value {
    json!({
        "type": condition.type_,
        "status": condition.status.as_str(),
        "reason": condition.reason,
        "message": sanitize(&condition.message),
    })
}

fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1000.0).round() / 1000.0
}

/// Formats a duration: `1h 2m`, `3m 4s`, `5.6s`.
pub(super) fn short(time: Duration) -> String {
    let whole = time.as_secs();
    match whole {
        0..60 => format!("{:.1}s", time.as_secs_f64()),
        60..3600 => format!("{}m {}s", whole / 60, whole % 60),
        _ => format!("{}h {}m", whole / 3600, whole % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_in_two_units_at_most() {
        let told = [0.04, 59.94, 61.0, 3599.0, 7260.0].map(|time| short(Duration::from_secs_f64(time)));
        assert_eq!(told, ["0.0s", "59.9s", "1m 1s", "59m 59s", "2h 1m"]);
    }
}
