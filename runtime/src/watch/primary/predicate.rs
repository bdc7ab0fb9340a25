//! The event filter of a reconciler: which changes of an object are triggers.

use super::held::Held;
use super::rollback::Source;
use crate::leadership::ShardGates;
use crate::pipeline::object::Object;
use crate::status::erased::AnyStatus;
use crate::trigger::{self, EnabledTriggers, TriggerSet};
use crate::watch::dependency_map::Dependents;
use crate::wiring::WatcherWiring;
use crate::wiring::triggers::{Counted, Triggers};

/// A function of an object.
type OfObject<T> = Box<dyn Fn(&Object) -> T + Send + Sync>;

/// The settings of the event filter of a reconciler.
pub(crate) struct PrimaryPredicate {
    /// The triggers that count.
    pub(crate) enabled_triggers: EnabledTriggers,
    /// The finalizers of the reconciler. An object has one of them.
    pub(crate) finalizers: Vec<String>,
    /// The declarations of a watcher; `None`: this is another reconciler.
    pub(crate) watcher: Option<WatcherWiring>,
    /// The annotation that requests a pass.
    pub(crate) request_annotation: &'static str,
    /// The policy annotation, if the reconciler has policies.
    pub(crate) policy: Option<&'static str>,
    /// The labels and annotations that count.
    pub(crate) triggers: Triggers,
    /// The labels and annotations that the object's claim wrote.
    pub(crate) claimed: OfObject<Vec<String>>,
    pub(crate) is_suspended: OfObject<bool>,
    /// Whether the reconciler selects the object; `None`: it selects all objects.
    pub(crate) is_selected: Option<OfObject<bool>>,
    /// The objects to enqueue when an object that they depend on changes.
    pub(crate) dependents: Dependents,
    /// Changes of objects in closed shards trigger nothing: the objects are enqueued when their shard opens.
    pub(crate) shard_gates: ShardGates,
}

/// The triggers of a change.
pub(super) fn triggers(
    before: Option<&Held>,
    now: &Object,
    filter: &PrimaryPredicate,
    source: Source<'_>,
) -> TriggerSet {
    let held = before.and_then(|held| Some((held, held.seen()?)));
    let held = held.filter(|(_, old)| old.meta().uid == now.meta().uid);
    // Earlier changes of an object that was not selected triggered nothing.
    let selection = filter.is_selected.as_ref().zip(held);
    let selected = match selection.map(|(is_selected, (_, old))| (is_selected(&**old), is_selected(now))) {
        Some((false, true)) => TriggerSet::APPEARED,
        // The label may be one that does not count as a trigger.
        Some((true, false)) => TriggerSet::LABELS,
        _ => TriggerSet::NONE,
    };
    let claimed = if filter.triggers == Triggers::ALL { Vec::new() } else { (filter.claimed)(now) };
    let changed = filter.enabled_triggers.of_change(&trigger::PrimaryChange {
        before: held.map(|(_, old)| old.meta()),
        now: now.meta(),
        observed: now.status().and_then(AnyStatus::observed_generation),
        is_ours: held.is_some_and(|(held, old)| {
            held.wrote.as_deref().is_some_and(|wrote| wrote.resource_version() == now.resource_version())
                || is_our_mark(filter, source, (&**old, now))
        }),
        finalizers: &filter.finalizers,
        request_annotation: filter.request_annotation,
        policy: filter.policy,
        counted: Counted { triggers: filter.triggers, claimed: &claimed },
        content: (held.and_then(|(_, old)| old.content(filter.watcher)), now.content(filter.watcher)),
        any_version: filter.watcher.is_some_and(|watcher| watcher.any_version),
        suspended: (held.is_some_and(|(_, old)| (filter.is_suspended)(&**old)), (filter.is_suspended)(now)),
    });
    changed | selected
}

/// Whether a write of our finalizers made this version, although its response has not arrived yet. Only a watch delivers each version.
fn is_our_mark(filter: &PrimaryPredicate, source: Source<'_>, (old, now): (&Object, &Object)) -> bool {
    let ours = |object: &Object| {
        let finalizers = object.meta().finalizers.iter().flatten();
        finalizers.filter(|held| filter.finalizers.contains(held)).cloned().collect::<Vec<_>>()
    };
    let is_sparse = filter.watcher.is_some_and(|watcher| watcher.whole.is_some());
    is_sparse && matches!(source, Source::Watch) && ours(old) != ours(now)
}
