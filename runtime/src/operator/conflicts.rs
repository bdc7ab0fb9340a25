//! Conflicts between two reconcilers of one operator.

use super::registration::Identity;
use crate::condition::READY;
use crate::wiring::Mark;

/// The conflict between two reconcilers and its fix, if there is one. The headline names both.
pub(super) fn between(one: &Identity, other: &Identity) -> Option<(String, &'static str)> {
    let both = |what: &str| format!("{} and {} {what}", one.name, other.name);
    let (kind, is_same) = (&one.kind.resource.kind, one.kind == other.kind);
    if !is_same && is_other_version(one, other) {
        let [version, another] = [one, other].map(|member| &member.kind.resource.version);
        let headline = both(&format!("reconcile {kind} in two versions, {version} and {another}"));
        return Some((
            headline,
            "each object would be reconciled twice: reconcile one version, which the API server converts to",
        ));
    }
    let summary = one.wiring.summary_type();
    let have_status = [one, other].iter().all(|member| has_status(member));
    if is_same && have_status && summary == other.wiring.summary_type() {
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
    if let Some(shared) = shared(one, other).filter(|_| have_status) {
        let headline = both(&format!("both set the condition {shared} of {kind}"));
        return Some((headline, "a condition has one owner: rename it in one of the sets"));
    }
    if one.finalizer == other.finalizer && ![one, other].iter().any(|member| member.wiring.is_plain()) {
        let headline = both(&format!("share the finalizer {} of {kind}", one.finalizer));
        return Some((headline, "the first to clean up would remove it: give one `finalizer = \"..\"`"));
    }
    None
}

/// Whether both reconcile one kind in different versions, and write to its objects.
fn is_other_version(one: &Identity, other: &Identity) -> bool {
    let (kind, another) = (&one.kind.resource, &other.kind.resource);
    let is_one_kind = (&kind.group, &kind.kind) == (&another.group, &another.kind);
    is_one_kind && ![one, other].iter().any(|member| member.wiring.is_plain())
}

/// Whether the reconciler has conditions that another one could set, too. A watcher of a bare kind has them in its memory only.
fn has_status(member: &Identity) -> bool {
    member.wiring.watcher.is_none_or(|watcher| watcher.mark == Mark::Status)
}

/// A condition that both set.
fn shared(one: &Identity, other: &Identity) -> Option<&'static str> {
    let types = |member: &Identity| member.wiring.condition_types().chain([member.wiring.summary_type()]);
    types(one).find(|type_| types(other).any(|theirs| theirs == *type_))
}
