//! What counts as a change of an object whose content is not cached.

use kube::api::ObjectMeta;

use super::digest::Digest;
use super::table::{annotations, labels};
use crate::wiring::triggers::Counted;

/// What counts for a reconciler besides the content.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Observer<'a> {
    pub(crate) counted: Counted<'a>,
    /// The annotation that requests a pass.
    pub(crate) request_annotation: &'a str,
    /// The policy annotation, if the reconciler has policies.
    pub(crate) policy: Option<&'a str>,
}

/// A number that differs between two versions of an object if a change between them counts. Each version of a kind without generations counts,
/// as its metadata does not show a change of the content.
pub(crate) fn change_number(meta: &ObjectMeta, observer: &Observer<'_>) -> u64 {
    let Observer { counted, request_annotation, policy } = *observer;
    let mut digest = Digest::new();
    match meta.generation {
        Some(generation) => digest.add_number(generation),
        None => digest.add(meta.resource_version.as_deref().unwrap_or_default()),
    }
    digest.add_all(labels(meta, counted));
    // So that a label cannot be confused with an annotation.
    digest.add("");
    digest.add_all(annotations(meta, counted, request_annotation, policy));
    digest.finish()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::wiring::triggers::{Names, Triggers};

    fn number(meta: &Value) -> u64 {
        let triggers = Triggers { labels: Names::Only(&["tier"]), annotations: Names::All };
        let counted = Counted { triggers, claimed: &[] };
        let observer = Observer { counted, request_annotation: "example.com/now", policy: None };
        change_number(&serde_json::from_value(meta.clone()).unwrap(), &observer)
    }

    #[test]
    fn only_what_counts_changes_the_number() {
        let meta = |generation: Value, labels: Value, annotations: Value| {
            number(
                &json!({ "generation": generation, "resourceVersion": "7", "labels": labels, "annotations": annotations }),
            )
        };
        let one = meta(json!(1), json!({ "tier": "web" }), json!({ "a": "b" }));
        let same = json!({ "generation": 1, "resourceVersion": "9", "labels": { "tier": "web", "team": "x" },
            "annotations": { "a": "b", "example.com/now": "1", "evenkeel.dev/x": "y" }, "finalizers": ["f"] });
        assert_eq!(one, number(&same));
        let others = [
            meta(json!(2), json!({ "tier": "web" }), json!({ "a": "b" })),
            meta(json!(1), json!({ "tier": "db" }), json!({ "a": "b" })),
            meta(json!(1), json!({ "tier": "web" }), json!({ "a": "c" })),
            meta(json!(1), json!({}), json!({ "tier": "web", "a": "b" })),
            meta(json!(null), json!({ "tier": "web" }), json!({ "a": "b" })),
        ];
        others.iter().for_each(|other| assert_ne!(one, *other));
        let version = |version: &str| number(&json!({ "resourceVersion": version }));
        assert_ne!(version("7"), version("8"), "a kind without generations");
    }
}
