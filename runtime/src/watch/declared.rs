//! The kinds that the steps of a reconciler declare, and what is cached of each.

use std::collections::BTreeMap;

use super::owned::Counts;
use crate::wiring::index::Indexer;
use crate::wiring::{Cache, How, KindInfo, Relation, Wiring};

/// The selected declared kinds, each once, with the smallest cache that is sufficient for all steps.
pub(super) fn declared(wiring: &Wiring, select: impl Fn(How) -> bool) -> Vec<(KindInfo, How, Cache)> {
    let mut found: Vec<(KindInfo, How, Cache)> = Vec::new();
    for relation in wiring.relations().filter(|relation| select(relation.how)) {
        let Some(kind) = relation.kind.map(|kind| kind()) else { continue };
        match found.iter_mut().find(|(other, how, _)| *other == kind && *how == relation.how) {
            Some((.., cache)) => *cache = relation.stored().max(*cache),
            None => found.push((kind, relation.how, relation.stored())),
        }
    }
    found
}

/// The indexes that all steps define over one selection, each once.
pub(super) fn indexers(wiring: &Wiring, kind: &KindInfo, selector: &str) -> Vec<Indexer> {
    let here = |relation: &&Relation| relation.how.selector() == Some(selector) && relation.is_of(kind);
    let all = wiring.relations().filter(here).flat_map(|relation| relation.indexes);
    all.map(|indexer| (indexer.name(), *indexer)).collect::<BTreeMap<_, _>>().into_values().collect()
}

/// The changes that count for an owned kind: a new generation. If a step reads the kind, or more than its records is cached, changes of
/// status and labels count as well.
pub(super) fn counts(wiring: &Wiring, kind: &KindInfo, cache: Cache) -> Counts {
    let is_read = wiring.relations().any(|relation| relation.how == How::Reads && relation.is_of(kind));
    if is_read || cache > Cache::None { Counts::VersionRecord } else { Counts::Generation }
}

/// The label selector of the watch of an owned kind; `None`: all objects, since the steps that own the kind give it different labels or none.
pub(super) fn owned_labels(wiring: &Wiring, kind: &KindInfo) -> Option<String> {
    let mut owning = wiring.relations().filter(|relation| relation.how == How::Owns && relation.is_of(kind));
    let first = owning.next().filter(|relation| !relation.labels.is_empty())?;
    owning.all(|relation| relation.labels == first.labels).then(|| first.label_selector())
}

pub(super) fn without_how(declared: Vec<(KindInfo, How, Cache)>) -> Vec<(KindInfo, Cache)> {
    declared.into_iter().map(|(kind, _, cache)| (kind, cache)).collect()
}
