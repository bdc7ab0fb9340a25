//! The finalizer: stored before any side effect, removed after the last cleanup.

use kube::api::ObjectMeta;
use serde_json::{Value, json};

use crate::pipeline::object::is_deleted;
use crate::wiring::{OperatorNames, Wiring};

/// The finalizers of a reconciler: its own and those of earlier versions.
#[derive(Clone, Debug)]
pub(in crate::pass) struct Finalizers {
    name: String,
    /// The finalizer before a watcher of a bare kind has added the object.
    adding: Option<String>,
    previously: Vec<String>,
    needed: bool,
}

impl Finalizers {
    pub(in crate::pass) fn new(wiring: &Wiring, group: &str, operator: &OperatorNames) -> Self {
        let declared = wiring.previously.finalizers.iter().map(|name| (*name).to_owned());
        if wiring.is_plain() {
            // The name would be that of another reconciler of the kind.
            return Self { name: String::new(), adding: None, previously: declared.collect(), needed: false };
        }
        let name = wiring.finalizer_under(&operator.name, group);
        Self {
            adding: wiring.marks_by_finalizers().then(|| adding(&name)),
            name,
            previously: declared.chain(operator.former_finalizers(wiring, group)).collect(),
            needed: wiring.needs_finalizer(),
        }
    }

    pub(in crate::pass) fn name(&self) -> &str {
        &self.name
    }

    /// The names whose removal by another client is a trigger.
    pub(in crate::pass) fn names(&self) -> Vec<String> {
        [Some(&self.name), self.adding.as_ref()].into_iter().flatten().cloned().collect()
    }

    fn is_adding(&self, finalizer: &str) -> bool {
        self.adding.as_deref() == Some(finalizer)
    }

    /// Whether a watcher of a bare kind has added the object.
    pub(in crate::pass) fn is_added(&self, meta: &ObjectMeta) -> bool {
        meta.finalizers.iter().flatten().any(|finalizer| *finalizer == self.name)
    }

    fn is_former(&self, finalizer: &str) -> bool {
        self.previously.iter().any(|former| former == finalizer)
    }

    fn is_ours(&self, finalizer: &str) -> bool {
        finalizer == self.name || self.is_adding(finalizer) || self.is_former(finalizer)
    }

    /// Whether an object that is being deleted has none of our finalizers, old names included.
    pub(in crate::pass) fn is_released(&self, meta: &ObjectMeta) -> bool {
        is_deleted(meta, |finalizer| self.is_ours(finalizer))
    }

    /// Whether an object has one of our finalizers, or needs none.
    pub(in crate::pass) fn is_marked(&self, meta: &ObjectMeta) -> bool {
        !self.needed || self.is_held(meta)
    }

    /// Whether an object has one of our finalizers, old names included.
    pub(in crate::pass) fn is_held(&self, meta: &ObjectMeta) -> bool {
        meta.finalizers.iter().flatten().any(|finalizer| self.is_ours(finalizer))
    }

    /// Whether a live object has one of our finalizers that it does not need, or lacks the one that it needs.
    pub(in crate::pass) fn is_due(&self, meta: &ObjectMeta) -> bool {
        let now = || meta.finalizers.iter().flatten();
        now().any(|f| self.is_former(f)) || now().any(|f| *f == self.name || self.is_adding(f)) != self.needed
    }

    /// The patch that a live object needs before its steps run. It adds our finalizer and removes old ones; it removes ours if no step is
    /// external any more.
    pub(in crate::pass) fn add_patch(&self, meta: &ObjectMeta) -> Option<Value> {
        if !self.is_due(meta) {
            return None;
        }
        let others = meta.finalizers.iter().flatten().filter(|f| !self.is_former(f));
        let mut want: Vec<String> = others.filter(|f| self.needed || **f != self.name).cloned().collect();
        if self.needed && !want.iter().any(|f| *f == self.name || self.is_adding(f)) {
            want.push(self.adding.as_ref().unwrap_or(&self.name).clone());
        }
        Some(patch(meta, &want))
    }

    /// The patch after a watcher of a bare kind has added the object; `None`: there is nothing to replace.
    pub(in crate::pass) fn added_patch(&self, meta: &ObjectMeta) -> Option<Value> {
        let now = || meta.finalizers.iter().flatten();
        now().find(|f| self.is_adding(f))?;
        let mut want: Vec<String> = now().filter(|f| !self.is_adding(f)).cloned().collect();
        if !want.contains(&self.name) {
            want.push(self.name.clone());
        }
        Some(patch(meta, &want))
    }

    /// The patch that removes our finalizers.
    pub(in crate::pass) fn remove_patch(&self, meta: &ObjectMeta) -> Value {
        let left: Vec<String> = meta.finalizers.iter().flatten().filter(|f| !self.is_ours(f)).cloned().collect();
        patch(meta, &left)
    }
}

/// The finalizer of an object that is being added: `example.com/adding.quotas` for `example.com/quotas`.
fn adding(name: &str) -> String {
    match name.split_once('/') {
        Some((domain, name)) => format!("{domain}/adding.{name}"),
        None => format!("adding.{name}"),
    }
}

/// Replaces the whole list, so it includes the version: a finalizer of another writer must not be lost.
fn patch(meta: &ObjectMeta, finalizers: &[String]) -> Value {
    json!({ "metadata": { "resourceVersion": meta.resource_version, "finalizers": finalizers } })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: &str = "widgets.example.dev/op";
    const OLD: &str = "widgets.example.dev/old";
    const OTHER: &str = "example.com/other";

    fn ours(needed: bool) -> Finalizers {
        Finalizers { name: OURS.into(), adding: None, previously: vec![OLD.into()], needed }
    }

    fn with(finalizers: &[&str]) -> ObjectMeta {
        let finalizers = finalizers.iter().map(|one| (*one).to_owned()).collect();
        ObjectMeta { finalizers: Some(finalizers), resource_version: Some("7".into()), ..ObjectMeta::default() }
    }

    fn settled(needed: bool, found: &[&str]) -> Option<Value> {
        ours(needed).add_patch(&with(found)).map(|patch| patch["metadata"]["finalizers"].clone())
    }

    #[test]
    fn our_finalizer_is_added_only_when_needed() {
        assert_eq!(settled(true, &[]), Some(json!([OURS])));
        assert_eq!(settled(true, &[OTHER]), Some(json!([OTHER, OURS])));
        assert_eq!(settled(true, &[OLD, OTHER]), Some(json!([OTHER, OURS])));
        assert_eq!(settled(true, &[OURS, OLD, OTHER]), Some(json!([OURS, OTHER])));
        assert_eq!(settled(false, &[OTHER, OURS]), Some(json!([OTHER])));
        assert_eq!(settled(false, &[OLD]), Some(json!([])));
        assert_eq!((settled(true, &[OURS, OTHER]), settled(false, &[OTHER]), settled(false, &[])), (None, None, None));
    }

    #[test]
    fn only_our_finalizers_are_removed_on_deletion() {
        let release = ours(true).remove_patch(&with(&[OTHER, OURS, OLD]));
        assert_eq!(release, json!({ "metadata": { "resourceVersion": "7", "finalizers": [OTHER] } }));
        let deleted = |finalizers: &[&str]| {
            let deletion_timestamp = serde_json::from_value(json!("2026-01-01T00:00:00Z")).unwrap();
            ObjectMeta { deletion_timestamp, ..with(finalizers) }
        };
        assert!(ours(true).is_released(&deleted(&[OTHER])) && ours(true).is_released(&deleted(&[])));
        assert!(!ours(true).is_released(&deleted(&[OURS])) && !ours(true).is_released(&deleted(&[OTHER, OLD])));
        assert!(!ours(true).is_released(&with(&[OTHER])), "it lives");
    }

    #[test]
    fn a_bare_object_is_marked_before_and_after_it_is_added() {
        const ADDING: &str = "widgets.example.dev/adding.op";
        let marks = Finalizers { adding: Some(adding(OURS)), ..ours(true) };
        let after = |patch: Option<Value>| patch.map(|patch| patch["metadata"]["finalizers"].clone());
        assert_eq!(after(marks.add_patch(&with(&[OTHER]))), Some(json!([OTHER, ADDING])));
        assert_eq!((after(marks.add_patch(&with(&[ADDING]))), after(marks.add_patch(&with(&[OURS])))), (None, None));
        assert_eq!(after(marks.added_patch(&with(&[ADDING, OTHER]))), Some(json!([OTHER, OURS])));
        assert_eq!(after(marks.added_patch(&with(&[OURS, ADDING]))), Some(json!([OURS])), "left over");
        assert_eq!(after(marks.added_patch(&with(&[OURS]))), None);
        assert_eq!(marks.remove_patch(&with(&[OURS, OTHER, ADDING]))["metadata"]["finalizers"], json!([OTHER]));
        assert!(marks.is_added(&with(&[ADDING, OURS])) && !marks.is_added(&with(&[ADDING])));
    }
}
