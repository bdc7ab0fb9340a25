//! Conflicts between two reconcilers of one operator.

use super::registration::Identity;
use crate::condition::READY;
use crate::wiring::Mark;

/// The conflict between two reconcilers and its fix, if there is one. The headline names both.
pub(super) fn between(one: &Identity, other: &Identity) -> Option<(String, &'static str)> {
    let both = |what: &str| format!("{} and {} {what}", one.name, other.name);
    let (kind, is_same) = (&one.kind.resource.kind, is_same_kind(one, other));
    let both_report = is_same && reports(one) && reports(other);
    let summary = one.wiring.summary_type();
    if both_report && summary == other.wiring.summary_type() {
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
    if let Some(shared) = shared(one, other).filter(|_| both_report) {
        let headline = both(&format!("both set the condition {shared} of {kind}"));
        return Some((headline, "a condition has one owner: rename it in one of the sets"));
    }
    if one.finalizer == other.finalizer && !one.wiring.is_plain() && !other.wiring.is_plain() {
        let headline = both(&format!("share the finalizer {} of {kind}", one.finalizer));
        return Some((headline, "the first to clean up would remove it: give one `finalizer = \"..\"`"));
    }
    None
}

/// Whether both reconcile the same objects: the versions of a kind are views of them.
fn is_same_kind(one: &Identity, other: &Identity) -> bool {
    let names = |member: &Identity| (member.kind.resource.group.clone(), member.kind.resource.kind.clone());
    names(one) == names(other)
}

/// Whether the reconciler writes conditions to its objects. A watcher without a status keeps them in memory.
fn reports(member: &Identity) -> bool {
    member.wiring.watcher.is_none_or(|watcher| watcher.mark == Mark::Status)
}

/// A condition that both set.
fn shared(one: &Identity, other: &Identity) -> Option<&'static str> {
    let types = |member: &Identity| member.wiring.condition_types().chain([member.wiring.summary_type()]);
    types(one).find(|type_| types(other).any(|theirs| theirs == *type_))
}
