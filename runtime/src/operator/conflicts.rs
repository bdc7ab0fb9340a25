//! Conflicts between two reconcilers of one operator.

use super::registration::Identity;
use crate::condition::READY;

/// The conflict between two reconcilers and its fix, if there is one. The headline names both.
pub(super) fn between(one: &Identity, other: &Identity) -> Option<(String, &'static str)> {
    let both = |what: &str| format!("{} and {} {what}", one.name, other.name);
    let (kind, is_same) = (&one.kind.resource.kind, one.kind == other.kind);
    let summary = one.wiring.summary_type();
    if is_same && summary == other.wiring.summary_type() {
        return Some(match summary {
            READY => (
                both(&format!("both reconcile {kind}")),
                "make them steps of one reconciler, or give one of them `summary = \"BackupReady\"`",
            ),
            _ => (both(&format!("both sum up {kind} in {summary}")), "give one of them another `summary = \"..\"`"),
        });
    }
    if one.field_manager == other.field_manager {
        let headline = both(&format!("share the field manager {}", one.field_manager));
        return Some((headline, "server-side apply would remove the fields of the other: give one `manager = \"..\"`"));
    }
    if !is_same {
        return None;
    }
    if let Some(shared) = shared(one, other) {
        let headline = both(&format!("both set the condition {shared} of {kind}"));
        return Some((headline, "a condition has one owner: rename it in one of the sets"));
    }
    if one.finalizer == other.finalizer {
        let headline = both(&format!("share the finalizer {} of {kind}", one.finalizer));
        return Some((headline, "the first to clean up would remove it: give one `finalizer = \"..\"`"));
    }
    None
}

/// A condition that both set.
fn shared(one: &Identity, other: &Identity) -> Option<&'static str> {
    let types = |member: &Identity| member.wiring.condition_types().chain([member.wiring.summary_type()]);
    types(one).find(|type_| types(other).any(|theirs| theirs == *type_))
}
