//! The subresources of a kind in discovery.

use crate::registry::{Kind, Verb};

/// One subresource.
pub(super) struct Sub {
    pub(super) name: &'static str,
    /// Group and version of the returned object, if they differ from those of the parent.
    pub(super) foreign: Option<(&'static str, &'static str)>,
    pub(super) kind: String,
    pub(super) verbs: Vec<Verb>,
}

const CHANGES: [Verb; 3] = [Verb::Get, Verb::Patch, Verb::Update];

/// The subresources in order: by name for built-in kinds; status before scale for custom kinds.
pub(super) fn of(kind: &Kind) -> Vec<Sub> {
    let mut subs = Vec::new();
    if kind.status {
        subs.push(Sub { name: "status", foreign: None, kind: kind.kind.clone(), verbs: CHANGES.to_vec() });
    }
    if kind.scale.is_some() {
        let foreign = Some(("autoscaling", "v1"));
        subs.push(Sub { name: "scale", foreign, kind: "Scale".to_owned(), verbs: CHANGES.to_vec() });
    }
    for other in &kind.others {
        let kind = other.kind.to_owned();
        subs.push(Sub { name: other.name, foreign: other.foreign, kind, verbs: other.verbs.to_vec() });
    }
    if kind.is_builtin() {
        subs.sort_by_key(|sub| sub.name);
    }
    subs
}
