//! The caches of objects that reviews read: those of label selectors, which trigger nothing.

use std::sync::Arc;

use kube::core::DynamicObject;

use super::by_selector::{LabelWatch, Labelled};
use super::scope::Scope;
use super::shared::SharedWatches;
use crate::api::Target;
use crate::wiring::{Cache, How, Relation};

/// The objects of several selectors.
#[derive(Debug, Default)]
pub(crate) struct SelectedObjects(Vec<Labelled>);

impl SelectedObjects {
    /// Joins the watches of the relations, each selector once.
    pub(crate) fn join<'r>(
        watches: &SharedWatches,
        relations: impl Iterator<Item = &'r Relation>,
        scope: &Scope,
    ) -> Self {
        let mut joined: Vec<Labelled> = Vec::new();
        for relation in relations {
            let (How::WatchesLabels(selector), Some(kind)) = (relation.how, relation.kind.map(|kind| kind())) else {
                continue;
            };
            if joined.iter().any(|one| one.selector == selector && one.kind == kind) {
                continue;
            }
            let places = scope.places(&kind);
            let watch = LabelWatch { kind, selector, cache: Cache::Full, indexers: Vec::new() };
            joined.push(Labelled::join(watches, watch, places, |_| {}));
        }
        Self(joined)
    }

    /// The object, if a cache has it.
    pub(crate) fn get(&self, target: &Target) -> Option<Arc<DynamicObject>> {
        let mut of_kind = self.0.iter().filter(|labelled| labelled.kind == target.kind);
        of_kind.find_map(|labelled| labelled.now(target)?.object().cloned())
    }
}
