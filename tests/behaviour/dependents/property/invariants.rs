//! What every call of the operator must keep to, whatever happens.

use std::collections::BTreeSet;

use evenkeel_testkit::Cluster;
use evenkeel_tests::recording_client::Call;
use serde_json::Value;

/// Looks at each call before it is sent.
pub(super) struct Invariants {
    cluster: Cluster,
    /// The kinds of the last written status.
    registered: BTreeSet<String>,
    /// The first violation.
    pub(super) violation: Option<String>,
}

const KINDS: [(&str, &str, &str); 3] = [
    ("configmaps", "ConfigMap", "ConfigMap"),
    ("secrets", "Secret", "Secret"),
    ("parts", "Part", "Part.tests.evenkeel.dev"),
];

fn is_ready(part: &Value) -> bool {
    let conditions = part["status"]["conditions"].as_array().into_iter().flatten();
    conditions.into_iter().any(|one| one["type"] == "Ready" && one["status"] == "True")
}

impl Invariants {
    pub(super) const fn new(cluster: Cluster) -> Self {
        Self { cluster, registered: BTreeSet::new(), violation: None }
    }

    /// The component is another one from now on.
    pub(super) fn forget(&mut self) {
        self.registered.clear();
    }

    pub(super) fn look(&mut self, call: &Call) {
        let broken = if call.is_status_write() { self.status(call) } else { self.write(call) };
        self.violation = self.violation.take().or(broken);
    }

    /// Remembers the register.
    fn status(&mut self, call: &Call) -> Option<String> {
        let body: Value = serde_json::from_str(&call.body).unwrap_or_default();
        let sets = body["status"]["dependents"].as_object().into_iter().flatten();
        let kinds = sets.flat_map(|(_, set)| set["kinds"].as_array().into_iter().flatten());
        self.registered = kinds.filter_map(|kind| kind.as_str().map(ToOwned::to_owned)).collect();
        None
    }

    fn write(&self, call: &Call) -> Option<String> {
        if !call.is_write() || call.is_event() {
            return None;
        }
        let place = call.path.split('/').skip_while(|part| *part != "namespaces").nth(2)?;
        let (_, kind, registered) = KINDS.iter().find(|(plural, ..)| *plural == place)?;
        let body: Value = serde_json::from_str(&call.body).unwrap_or_default();
        let name = match call.method.as_str() {
            "POST" => body["metadata"]["name"].as_str()?.to_owned(),
            _ => call.path.rsplit('/').next()?.to_owned(),
        };
        let objects = self.cluster.snapshot().objects();
        let there = objects.iter().find(|one| one["kind"] == *kind && one["metadata"]["name"] == *name);
        if call.method == "DELETE" {
            return deleted(&format!("{kind} {name}"), there?, &body);
        }
        if !self.registered.contains(*registered) {
            return Some(format!("{kind} {name} is written before its kind is registered"));
        }
        match there {
            None => created(kind, &name, &objects),
            Some(_) => None,
        }
    }
}

/// An object is deleted only with our mark, and only as it was seen.
fn deleted(what: &str, there: &Value, body: &Value) -> Option<String> {
    let annotations = &there["metadata"]["annotations"];
    if annotations["evenkeel.dev/owner"].is_null() || there["metadata"]["labels"]["evenkeel.dev/dependent-of"].is_null()
    {
        return Some(format!("{what} is deleted without our mark"));
    }
    let preconditions = &body["preconditions"];
    if preconditions["uid"].is_null() || preconditions["resourceVersion"].is_null() {
        return Some(format!("{what} is deleted without preconditions"));
    }
    None
}

/// An object is created only when all parts of the waves before are ready.
fn created(kind: &str, name: &str, objects: &[Value]) -> Option<String> {
    let shop = objects.iter().find(|one| one["kind"] == "Shop")?;
    let parts = shop["spec"]["parts"].as_object()?;
    let wave = match kind {
        "Part" => parts.get(name)?.as_i64()?,
        "ConfigMap" => shop["spec"]["annotations"]["evenkeel.dev/apply-order"].as_str()?.parse().ok()?,
        _ => 0,
    };
    let earlier = parts.iter().filter(|(_, other)| other.as_i64().is_some_and(|other| other < wave));
    let is_there = |part: &str| {
        let is_it = |one: &&Value| one["kind"] == "Part" && one["metadata"]["name"] == *part;
        objects.iter().find(is_it).is_some_and(is_ready)
    };
    let mut missing = earlier.filter(|(part, _)| !is_there(part));
    missing.next().map(|(part, _)| format!("{kind} {name} is created before {part} is ready"))
}
