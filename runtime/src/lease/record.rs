//! What a Lease contains: its holder, and when it was renewed.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use kube::api::DynamicObject;
use serde_json::{Value, json};

use crate::wiring::annotations::{OPERATOR, STEP_DOWN};

/// The longest duration that is trusted: a larger one would lock the lease for as long as its writer likes.
const LONGEST: Duration = Duration::from_secs(300);
/// What a client writes when it releases a lease.
const RELEASED: Duration = Duration::from_secs(1);

/// When transitions of a new lease begin to count, in seconds since 1970: 2024-01-01. A count from then on fits into an `int32` until 2092.
const COUNTS_FROM: i64 = 1_704_067_200;

/// The transitions of a lease that is made now. They never fall, also after a deletion.
pub(super) fn fresh_transitions(wall: Timestamp) -> i32 {
    i32::try_from(wall.as_second() - COUNTS_FROM).unwrap_or(i32::MAX).max(0)
}

/// The content of one version of a Lease.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) version: Arc<str>,
    pub(super) uid: Arc<str>,
    /// Empty: it has no holder.
    pub(super) holder: Arc<str>,
    pub(super) transitions: i32,
    /// Compared with other texts, and never with a clock.
    pub(super) renewed: Option<Arc<str>>,
    /// `None`: it is missing or cannot be true.
    pub(super) duration: Option<Duration>,
    /// The operator that the annotation names.
    pub(super) operator: Option<Arc<str>>,
    /// The replica that shall give the lease back.
    pub(super) asked: Option<Arc<str>>,
    /// The whole object. A write changes only our fields of it.
    pub(super) object: Arc<DynamicObject>,
}

impl Record {
    pub(super) fn of(object: DynamicObject) -> Self {
        let spec = &object.data["spec"];
        let text = |field: &str| spec[field].as_str().map(Arc::from);
        let seconds = spec["leaseDurationSeconds"].as_u64().filter(|seconds| *seconds > 0);
        let annotation = |name: &str| {
            let mut all = object.metadata.annotations.iter().flatten();
            all.find(|(key, _)| *key == name).map(|(_, value)| Arc::from(value.as_str()))
        };
        Self {
            version: object.metadata.resource_version.as_deref().unwrap_or_default().into(),
            uid: object.metadata.uid.as_deref().unwrap_or_default().into(),
            holder: text("holderIdentity").unwrap_or_default(),
            transitions: spec["leaseTransitions"].as_i64().and_then(|count| count.try_into().ok()).unwrap_or_default(),
            renewed: text("renewTime"),
            duration: seconds.map(|seconds| Duration::from_secs(seconds).min(LONGEST)),
            operator: annotation(OPERATOR),
            asked: annotation(STEP_DOWN),
            object: Arc::new(object),
        }
    }

    /// Whether its last holder has given it back, so that it can be taken without waiting.
    pub(super) fn is_released(&self) -> bool {
        self.holder.is_empty() && self.renewed.is_some() && self.duration == Some(RELEASED)
    }

    /// Whether the other record shows no sign of life since this one.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let head = |record: &Self| {
            (record.uid.clone(), record.holder.clone(), record.transitions, record.renewed.clone(), record.duration)
        };
        head(self) == head(other)
    }
}

/// What a write puts into a Lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Write {
    /// Empty: it is released.
    pub(super) holder: Arc<str>,
    pub(super) transitions: i32,
    pub(super) renewed: Arc<str>,
    /// Whether this write is the one by which the holder got the lease.
    pub(super) takes: bool,
    pub(super) duration: Duration,
    /// The operator, for the annotation.
    pub(super) operator: Arc<str>,
}

impl Write {
    /// The object as it was read, with our fields changed.
    pub(super) fn over(&self, mut object: DynamicObject) -> DynamicObject {
        if !object.data["spec"].is_object() {
            object.data["spec"] = json!({});
        }
        let spec = &mut object.data["spec"];
        let is_release = self.holder.is_empty();
        spec["holderIdentity"] = Value::from(&*self.holder);
        spec["leaseDurationSeconds"] = if is_release { RELEASED } else { self.duration }.as_secs().into();
        spec["leaseTransitions"] = self.transitions.into();
        spec["renewTime"] = Value::from(&*self.renewed);
        if self.takes {
            spec["acquireTime"] = Value::from(&*self.renewed);
        }
        let annotations = object.metadata.annotations.get_or_insert_default();
        annotations.insert(OPERATOR.to_owned(), (*self.operator).to_owned());
        if self.takes || is_release {
            annotations.remove(STEP_DOWN);
        }
        object
    }
}

/// The time in the form of the API, in microseconds.
pub(super) fn text(time: Timestamp) -> Arc<str> {
    format!("{time:.6}").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lease(spec: &Value) -> DynamicObject {
        let object = json!({
            "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "spec": spec,
            "metadata": { "name": "shop", "resourceVersion": "7", "uid": "u", "labels": { "team": "a" } },
        });
        serde_json::from_value(object).unwrap()
    }

    #[test]
    fn a_record_takes_nothing_for_granted() {
        let record = Record::of(lease(&json!({
            "holderIdentity": "a_1", "leaseTransitions": 3, "renewTime": "2026-01-01T00:00:00.000000Z", "leaseDurationSeconds": 15,
        })));
        assert_eq!((&*record.version, &*record.uid, &*record.holder, record.transitions), ("7", "u", "a_1", 3));
        assert_eq!(record.duration, Some(Duration::from_secs(15)));
        for (seconds, trusted) in
            [(json!(137), Some(137)), (json!(2_147_483_647), Some(300)), (json!(0), None), (json!(-1), None)]
        {
            let record = Record::of(lease(&json!({ "leaseDurationSeconds": seconds })));
            assert_eq!(record.duration, trusted.map(Duration::from_secs), "{seconds}");
        }
        for spec in [json!(null), json!({}), json!({ "holderIdentity": 1, "renewTime": {}, "leaseTransitions": "x" })] {
            let record = Record::of(lease(&spec));
            assert!(record.holder.is_empty() && record.renewed.is_none() && !record.is_released(), "{spec}");
        }
    }

    #[test]
    fn only_a_lease_that_was_given_back_is_released() {
        let is_released = |holder: &str, seconds: u64| {
            let spec = json!({ "holderIdentity": holder, "renewTime": "t", "leaseDurationSeconds": seconds });
            Record::of(lease(&spec)).is_released()
        };
        assert!(is_released("", 1));
        assert!(!is_released("", 15), "a person removed the holder, which may still work");
        assert!(!is_released("a", 1));
    }

    #[test]
    fn a_write_keeps_what_others_have_put_there() {
        let write = Write {
            holder: "me".into(),
            transitions: 4,
            renewed: "now".into(),
            takes: true,
            duration: Duration::from_secs(15),
            operator: "shop".into(),
        };
        let written = write.over(lease(&json!({ "strategy": "OldestEmulationVersion", "acquireTime": "then" })));
        let spec = json!({
            "strategy": "OldestEmulationVersion", "acquireTime": "now", "renewTime": "now", "holderIdentity": "me",
            "leaseDurationSeconds": 15, "leaseTransitions": 4,
        });
        assert_eq!(written.data["spec"], spec);
        assert_eq!(written.metadata.labels.as_ref().unwrap()["team"], "a");
        assert_eq!(Record::of(written.clone()).operator.as_deref(), Some("shop"));
        assert_eq!(
            (written.metadata.resource_version.as_deref(), written.metadata.uid.as_deref()),
            (Some("7"), Some("u"))
        );
        let released = Write { holder: "".into(), takes: false, ..write }.over(written);
        assert!(Record::of(released.clone()).is_released());
        assert_eq!(released.data["spec"]["acquireTime"], "now");
    }

    #[test]
    fn a_time_has_six_decimals() {
        assert_eq!(&*text(Timestamp::from_second(1).unwrap()), "1970-01-01T00:00:01.000000Z");
    }
}
