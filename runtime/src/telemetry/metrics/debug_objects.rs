//! Debug view of an object: why it is not ready, what triggers a reconcile, and when it is retried.

use std::borrow::Cow;
use std::time::Duration;

use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::reconciler::{Last, ReconcilerMetrics};
use super::subject::ObjectView;
use crate::condition::{Condition, find, sanitize};
use crate::queue::{Attempt, Key, Phase};
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

/// Filter for the objects to show, from a query string (`kind=Widget&namespace=team-a&name=w&limit=100`); an empty field matches all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub(super) struct ObjectQuery {
    #[serde(default)]
    pub(super) kind: String,
    #[serde(default)]
    pub(super) namespace: String,
    #[serde(default)]
    pub(super) name: String,
    /// The maximum number of objects.
    #[serde(default = "default_limit", deserialize_with = "limit")]
    pub(super) limit: usize,
}

/// The default limit.
const LIMIT: usize = 500;

fn default_limit() -> usize {
    LIMIT
}

/// The default limit stands for a text that is not a number.
fn limit<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    Ok(Cow::<str>::deserialize(deserializer)?.parse().unwrap_or(LIMIT))
}

impl ObjectQuery {
    fn wants(&self, key: &Key) -> bool {
        let fits = |asked: &str, is: &str| asked.is_empty() || asked == is;
        fits(&self.namespace, key.namespace.as_deref().unwrap_or_default()) && fits(&self.name, &key.name)
    }
}

/// The matching objects up to the limit, those that are not ready first, and the number of all matches.
pub(super) fn rows(controllers: &[std::sync::Arc<ReconcilerMetrics>], filter: &ObjectQuery) -> (Vec<Row>, usize) {
    let mut found = Vec::new();
    for controller in
        controllers.iter().filter(|one| filter.kind.is_empty() || filter.kind.eq_ignore_ascii_case(one.kind()))
    {
        let Some(subject) = controller.subject() else { continue };
        let objects = subject.objects(&|key| filter.wants(key));
        found.extend(
            objects.into_iter().map(|(key, ready)| (ready, controller.kind(), key, controller, subject.clone())),
        );
    }
    found.sort_by(|a, b| (a.0, a.1, &a.2).cmp(&(b.0, b.1, &b.2)));
    let all = found.len();
    let shown = found.into_iter().take(filter.limit);
    let rows = shown.filter_map(|(_, kind, key, controller, subject)| {
        let (inspect, last) = (subject.inspect(&key)?, controller.last(&key));
        let (reconciler, wiring) = (controller.name(), *controller.wiring());
        Some(Row { kind: kind.to_owned(), reconciler, inspect, last, wiring })
    });
    (rows.collect(), all)
}

impl Row {
    pub(super) fn summary(&self) -> Option<&Condition> {
        find(&self.inspect.conditions, self.wiring.summary_type())
    }

    pub(super) fn is_ready(&self) -> bool {
        self.inspect.ready
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

    pub(super) fn json(&self) -> Value {
        let ready = self.summary().map(told);
        let last = self.last.map(|last| {
            json!({ "outcome": last.outcome, "seconds": seconds(last.took), "secondsAgo": seconds(last.at.elapsed()) })
        });
        let attempt = self.attempt();
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
    use axum::extract::Query;

    use super::*;

    fn of(query: &str) -> ObjectQuery {
        Query::try_from_uri(&format!("/debug/objects?{query}").parse().unwrap()).unwrap().0
    }

    #[test]
    fn a_query_names_kind_namespace_and_name() {
        let filter = of("kind=Widget&namespace=a&name=w&limit=7");
        let wanted = ObjectQuery { kind: "Widget".into(), namespace: "a".into(), name: "w".into(), limit: 7 };
        assert_eq!(filter, wanted);
        assert!(filter.wants(&Key::new(Some("a"), "w")) && !filter.wants(&Key::new(Some("b"), "w")));
        assert!(of("").wants(&Key::new(None, "x")) && of("limit=x").limit == LIMIT);
    }

    #[test]
    fn times_are_told_in_two_units_at_most() {
        let told = [0.04, 59.94, 61.0, 3599.0, 7260.0].map(|time| short(Duration::from_secs_f64(time)));
        assert_eq!(told, ["0.0s", "59.9s", "1m 1s", "59m 59s", "2h 1m"]);
    }
}
