//! The behaviour of CRDs. The expected values were recorded on an API server.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::field::{items, text};
use super::*;
use crate::registry::{Registry, Verb};

fn crd(plural: &str, kind: &str, names: &Value) -> Value {
    let mut crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.crd.dev")},
        "spec": {
            "group": "crd.dev", "scope": "Namespaced", "conversion": {"strategy": "None"},
            "names": {"plural": plural, "kind": kind, "listKind": format!("{kind}List"), "singular": kind.to_lowercase()},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}}],
        },
        "status": {"conditions": null, "acceptedNames": {"plural": "", "kind": ""}, "storedVersions": ["v1"]},
    });
    for (name, value) in names.as_object().unwrap() {
        crd["spec"]["names"][name] = value.clone();
    }
    crd
}

/// Publishes until nothing changes; returns the number of steps with changes, and the last result.
fn settle(all: &mut [Arc<Value>]) -> (usize, Published) {
    for steps in 0..10 {
        let published = publish(all, Timestamp::UNIX_EPOCH);
        if published.statuses.is_empty() {
            return (steps, published);
        }
        for (name, status) in published.statuses {
            let of = all.iter_mut().find(|crd| text(crd, "/metadata/name") == name).unwrap();
            Arc::make_mut(of)["status"] = status;
        }
    }
    panic!("publishing never settles");
}

fn reasons(crd: &Value) -> Vec<(&str, &str, &str)> {
    let all = items(crd, "/status/conditions").iter();
    all.map(|condition| (text(condition, "/type"), text(condition, "/status"), text(condition, "/reason"))).collect()
}

#[test]
fn a_new_crd_is_established_in_two_steps() {
    let mut all = [Arc::new(crd("lifes", "Life", &json!({})))];
    let first = publish(&all, Timestamp::UNIX_EPOCH);
    assert!(first.kinds.is_empty());
    Arc::make_mut(&mut all[0])["status"] = first.statuses[0].1.clone();
    assert_eq!(reasons(&all[0]), [("NamesAccepted", "True", "NoConflicts"), ("Established", "False", "Installing")]);
    assert_eq!(publish(&all, Timestamp::UNIX_EPOCH).kinds.len(), 1, "routes are there when the condition turns True");
    assert_eq!(settle(&mut all).0, 1);
    assert_eq!(
        all[0]["status"],
        json!({
            "conditions": [
                {"type": "NamesAccepted", "status": "True", "lastTransitionTime": "1970-01-01T00:00:00Z",
                    "reason": "NoConflicts", "message": "no conflicts found"},
                {"type": "Established", "status": "True", "lastTransitionTime": "1970-01-01T00:00:00Z",
                    "reason": "InitialNamesAccepted", "message": "the initial names have been accepted"},
            ],
            "acceptedNames": {"plural": "lifes", "singular": "life", "kind": "Life", "listKind": "LifeList"},
            "storedVersions": ["v1"],
        })
    );
}

#[test]
fn a_crd_waits_for_a_taken_short_name() {
    let names = json!({"shortNames": ["ff"], "singular": "first"});
    let mut all = [Arc::new(crd("firsts", "First", &names))];
    settle(&mut all);
    let mut all = [all[0].clone(), Arc::new(crd("seconds", "Second", &names))];
    let (_, published) = settle(&mut all);
    assert_eq!(published.kinds.len(), 1);
    assert_eq!(all[1]["status"]["conditions"][0]["message"], r#""ff" is already in use"#);
    assert_eq!(
        reasons(&all[1]),
        [("NamesAccepted", "False", "ShortNamesConflict"), ("Established", "False", "NotAccepted")]
    );
    assert_eq!(
        all[1]["status"]["acceptedNames"],
        json!({"plural": "seconds", "kind": "Second", "listKind": "SecondList"})
    );
    let mut left = [all[1].clone()];
    assert_eq!(settle(&mut left).1.kinds[0].plural, "seconds");
}

#[test]
fn served_versions_have_order_and_deprecation_warnings() {
    let mut crd = crd("vers", "Ver", &json!({}));
    let version = |name: &str, served: bool, extra: Value| {
        let mut version = json!({"name": name, "served": served, "storage": name == "v1", "schema": {"openAPIV3Schema": {"type": "object"}}});
        version.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        version
    };
    crd["spec"]["versions"] = json!([
        version("v1beta1", true, json!({"deprecated": true})),
        version("v1", true, json!({})),
        version("v2", false, json!({})),
        version("v1alpha1", true, json!({"deprecated": true, "deprecationWarning": "old"})),
    ]);
    let kinds = settle(&mut [Arc::new(crd)]).1.kinds;
    let versions: Vec<&str> = kinds.iter().map(|kind| kind.version.as_str()).collect();
    assert_eq!(versions, ["v1", "v1beta1", "v1alpha1"]);
    let deprecation = |at: usize| kinds[at].custom().unwrap().deprecation.as_deref();
    assert_eq!(deprecation(1), Some("crd.dev/v1beta1 Ver is deprecated; use crd.dev/v1 Ver"));
    assert_eq!((deprecation(0), deprecation(2)), (None, Some("old")));
}

#[test]
fn a_deleted_crd_is_terminating_and_allows_no_creates() {
    let mut all = [Arc::new(crd("lifes", "Life", &json!({})))];
    settle(&mut all);
    mark_deleted(Arc::make_mut(&mut all[0]), Timestamp::UNIX_EPOCH);
    assert_eq!(all[0]["metadata"]["finalizers"], json!([FINALIZER]));
    let kind = &settle(&mut all).1.kinds[0];
    assert!(kind.custom().unwrap().terminating && !kind.allows(Verb::Create) && kind.allows(Verb::Delete));
    mark_deleting(Arc::make_mut(&mut all[0]), Timestamp::UNIX_EPOCH);
    assert_eq!(reasons(&all[0])[2], ("Terminating", "True", "InstanceDeletionInProgress"));
    mark_emptied(Arc::make_mut(&mut all[0]), Timestamp::UNIX_EPOCH);
    assert_eq!(all[0]["metadata"]["finalizers"], json!([]));
}

#[test]
fn with_custom_replaces_the_custom_kinds() {
    let kinds = settle(&mut [Arc::new(crd("lifes", "Life", &json!({})))]).1.kinds;
    let registry = Registry::builtin().with_custom(kinds);
    assert_eq!(registry.lookup("crd.dev", "v1", "lifes").unwrap().list_kind, "LifeList");
    assert!(registry.with_custom([]).lookup("crd.dev", "v1", "lifes").is_none());
}
