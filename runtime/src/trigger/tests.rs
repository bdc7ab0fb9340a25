//! Sets of triggers, and the values that each trigger compares.

use std::collections::BTreeMap;

use kube::api::ObjectMeta;
use serde_json::{Value, json};

use super::enabled::EnabledTriggers;
use super::*;
use crate::wiring::triggers::{Counted, Names, Triggers};

fn meta(change: &Value) -> ObjectMeta {
    let mut meta =
        json!({ "name": "t", "uid": "u", "generation": 1, "labels": { "a": "1" }, "annotations": { "b": "2" } });
    meta.as_object_mut().unwrap().extend(change.as_object().cloned().unwrap_or_default());
    serde_json::from_value(meta).unwrap()
}

fn digest(change: &Value, wiring: &str, owned: &str, watched: &str) -> u64 {
    digest_under("manage", change, wiring, owned, watched)
}

fn digest_under(policy: &str, change: &Value, wiring: &str, owned: &str, watched: &str) -> u64 {
    let of = |version: &str| BTreeMap::from([("v1/Secret/a/b".to_owned(), version.to_owned())]);
    let meta = meta(change);
    let request_annotation = "example.com/now";
    let (owned, watched) = (number(&[owned]), &of(watched));
    let (policy_key, counted) = (Some("example.com/policy"), Counted { triggers: Triggers::ALL, claimed: &[] });
    EnabledTriggers::default().digest(&Inputs {
        meta: &meta,
        content: None,
        request_annotation,
        policy_key,
        counted,
        policy,
        wiring,
        owned,
        watched,
    })
}

#[test]
fn a_trigger_set_prints_in_order() {
    assert_eq!((TriggerSet::OWNED | TriggerSet::GENERATION).to_string(), "generation,owned");
    assert_eq!(TriggerSet::NONE.to_string(), "");
}

#[test]
fn timers_and_restarts_are_not_urgent() {
    assert_eq!((TriggerSet::RESYNC | TriggerSet::RETRY | TriggerSet::APPEARED).urgency(), Urgency::Timed);
    assert_eq!((TriggerSet::RESYNC | TriggerSet::OWNED).urgency(), Urgency::Related);
    assert_eq!(TriggerSet::TRIGGERED.urgency(), Urgency::Changed, "a caller outside waits");
    assert_eq!((TriggerSet::OWNED | TriggerSet::DELETION).urgency(), Urgency::Changed);
}

#[test]
fn transient_triggers_are_retained_until_a_body_ran() {
    let (meta, inputs) = (meta(&json!({})), crate::status::ObservedInputs { digest: "d".into(), ..Default::default() });
    let of_object = |received| {
        let (observed, inputs) = (meta.generation, Some(&inputs));
        EnabledTriggers::default().of_object(&TriggerFacts {
            received,
            meta: &meta,
            observed,
            inputs,
            is_finalizer_due: false,
            is_requested: false,
        })
    };
    assert!(of_object(TriggerSet::NONE).is_empty());
    for trigger in super::table::TRIGGERS {
        let is_detected = !of_object(trigger.trigger).is_empty();
        assert_eq!(is_detected, TriggerSet::TRANSIENT_TRIGGERS.contains(trigger.trigger), "{}", trigger.word);
    }
}

/// The digest is in the status of each object. With a different one, all objects would run their bodies once after an upgrade. A new
/// trigger must therefore be appended to the list, and the input of an existing trigger must not change.
#[test]
fn the_digest_of_an_object_is_stable() {
    let places: Vec<_> = super::table::TRIGGERS.iter().map(|trigger| (trigger.word, trigger.trigger.0)).collect();
    let digested = [
        ("appeared", 1),
        ("generation", 1 << 1),
        ("labels", 1 << 2),
        ("annotations", 1 << 3),
        ("policy", 1 << 4),
        ("wiring", 1 << 8),
        ("owned", 1 << 9),
        ("watched", 1 << 10),
    ];
    for place in digested {
        assert!(places.contains(&place), "{place:?} in {places:?}");
    }
    assert_eq!(text(digest(&json!({}), "w", "u 1", "u 1")), "4d37233790c9b3a1");
    assert_eq!(text(digest_under("skip", &json!({ "generation": 2 }), "x", "u 2", "absent")), "4a4cadd54a005a60");
}

#[test]
fn every_input_changes_the_digest() {
    let base = digest(&json!({}), "w", "u 1", "u 1");
    assert_eq!(base, digest(&json!({}), "w", "u 1", "u 1"));
    for changed in [
        digest(&json!({ "uid": "v" }), "w", "u 1", "u 1"),
        digest(&json!({ "generation": 2 }), "w", "u 1", "u 1"),
        digest(&json!({ "labels": { "a": "2" } }), "w", "u 1", "u 1"),
        digest(&json!({ "labels": {}, "annotations": { "a": "1", "b": "2" } }), "w", "u 1", "u 1"),
        digest(&json!({ "annotations": { "b": "2", "c": "" } }), "w", "u 1", "u 1"),
        digest(&json!({}), "x", "u 1", "u 1"),
        digest(&json!({}), "w", "u 2", "u 1"),
        digest(&json!({}), "w", "u 1", "absent"),
        digest_under("skip", &json!({}), "w", "u 1", "u 1"),
    ] {
        assert_ne!(base, changed);
    }
}

#[test]
fn unread_metadata_does_not_change_the_digest() {
    let base = digest(&json!({}), "w", "u 1", "u 1");
    let ignored = json!({ "resourceVersion": "7", "managedFields": [{ "manager": "kubectl" }], "annotations": {
        "b": "2", "kubectl.kubernetes.io/last-applied-configuration": "{}", "example.com/now": "now",
        "example.com/policy": "manage" } });
    assert_eq!(base, digest(&ignored, "w", "u 1", "u 1"));
}

#[test]
fn only_declared_labels_and_annotations_count() {
    let none = BTreeMap::new();
    let digest = |change: &Value| {
        let triggers = Triggers { labels: Names::Only(&["tier"]), annotations: Names::Only(&["b"]) };
        let counted = Counted { triggers, claimed: &["labels/name".into(), "annotations/c".into()] };
        let (meta, owned, watched) = (meta(change), 0, &none);
        let (request_annotation, policy_key, policy, wiring) = ("example.com/now", None, "", "w");
        EnabledTriggers::default().digest(&Inputs {
            meta: &meta,
            content: None,
            request_annotation,
            policy_key,
            counted,
            policy,
            wiring,
            owned,
            watched,
        })
    };
    let base = digest(&json!({}));
    assert_eq!(base, digest(&json!({ "labels": { "a": "2", "c": "1" }, "annotations": { "b": "2", "name": "1" } })));
    assert_ne!(base, digest(&json!({ "labels": { "a": "1", "tier": "gold" } })));
    assert_ne!(base, digest(&json!({ "annotations": { "b": "3" } })));
    assert_ne!(base, digest(&json!({ "labels": { "name": "1" } })), "the claim wrote it");
    assert_ne!(base, digest(&json!({ "annotations": { "b": "2", "c": "1" } })), "the claim wrote it");
}

#[test]
fn labels_and_annotations_hash_differently() {
    let one = json!({ "labels": { "a": "1", "annotations": "annotations" }, "annotations": {} });
    let other = json!({ "labels": { "a": "1" }, "annotations": { "annotations": "annotations" } });
    assert_ne!(digest(&one, "w", "u 1", "u 1"), digest(&other, "w", "u 1", "u 1"));
}
