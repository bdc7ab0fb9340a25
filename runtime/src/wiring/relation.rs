//! Relations between steps and kinds: the type of the relation, the cache and adoption.

use crate::kind::KindInfo;
use crate::wiring::index::Indexer;
use crate::wiring::{DeclaredCall, Verb};

/// A kind that a step declared.
#[derive(Clone, Copy, Debug)]
pub struct Relation {
    /// The type of the relation.
    pub how: How,
    /// The part of the objects that is cached.
    pub cache: Cache,
    /// The kind; `None` if a condition was declared instead, or `dependents(any)`.
    pub kind: Option<fn() -> KindInfo>,
    /// The indexes over the objects, if they are watched by label.
    pub indexes: &'static [Indexer],
    /// The existing objects that the step takes over, if it owns the kind.
    pub adopt: Adopt,
    /// Whether the step owns objects in any namespace, not only in that of the reconciled object (`namespaces = any`).
    pub anywhere: bool,
    /// The labels that each applied object gets, if the step owns the kind (`labels = ".."`). Only objects with them are watched.
    pub labels: &'static [(&'static str, &'static str)],
}

impl Relation {
    /// Creates a relation with the default cache: full objects if the kind is watched, and otherwise no content.
    #[must_use]
    pub const fn new(how: How, kind: Option<fn() -> KindInfo>) -> Self {
        Self { how, cache: how.cache(), kind, indexes: &[], adopt: Adopt::Never, anywhere: false, labels: &[] }
    }

    /// Sets the part of the objects that is cached.
    #[must_use]
    pub const fn cached(self, cache: Cache) -> Self {
        Self { cache, ..self }
    }

    /// Sets the indexes over the objects.
    #[must_use]
    pub const fn indexed(self, indexes: &'static [Indexer]) -> Self {
        Self { indexes, ..self }
    }

    /// Sets the existing objects that the step takes over.
    #[must_use]
    pub const fn adopting(self, adopt: Adopt) -> Self {
        Self { adopt, ..self }
    }

    /// Sets that objects in any namespace are owned.
    #[must_use]
    pub const fn anywhere(self) -> Self {
        Self { anywhere: true, ..self }
    }

    /// Sets the labels of owned objects.
    #[must_use]
    pub const fn labelled(self, labels: &'static [(&'static str, &'static str)]) -> Self {
        Self { labels, ..self }
    }

    /// The labels of owned objects as a selector: `app=web,tier=db`.
    #[cfg(feature = "operator")]
    pub(crate) fn label_selector(&self) -> String {
        let labels = self.labels.iter().map(|(key, value)| format!("{key}={value}"));
        labels.collect::<Vec<_>>().join(",")
    }

    /// The part of the objects that must be cached: the mark of an owner in another namespace is in the metadata.
    #[cfg(feature = "operator")]
    pub(crate) fn stored(&self) -> Cache {
        if self.anywhere { self.cache.max(Cache::Metadata) } else { self.cache }
    }

    /// The verbs by which objects of the kind are read and watched.
    pub(crate) const fn read_verbs(&self) -> &'static [Verb] {
        match (self.how, self.cache) {
            (How::Owns | How::Keeps, _) | (How::WatchesByName, Cache::None | Cache::Metadata) => {
                &[Verb::Get, Verb::List, Verb::Watch]
            }
            (How::WatchesByName, Cache::Full) | (How::WatchesLabels(_), _) => &[Verb::List, Verb::Watch],
            (How::Reads, _) => &[Verb::Get],
            (How::Uses(_), _) => &[],
        }
    }

    /// The index of the mapping function, if one is declared (`map = ..`).
    pub(crate) fn mapping(&self) -> Option<Indexer> {
        self.indexes.iter().copied().find(|indexer| indexer.maps())
    }

    /// Whether it is `dependents(any)`.
    pub(crate) fn is_any(&self) -> bool {
        self.how == How::Keeps && self.kind.is_none()
    }

    /// Whether the relation is to this kind.
    pub(crate) fn is_of(&self, kind: &KindInfo) -> bool {
        self.kind.is_some_and(|of| of() == *kind)
    }
}

/// The part of the objects of a kind that is cached (`cache = ..`). Each variant caches more than the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Cache {
    /// Only owner and version. Reads go to the API server.
    None,
    /// Also the metadata, for `cx.metadata`. All other reads go to the API server.
    Metadata,
    /// The whole object.
    Full,
}

/// The existing objects that a step takes over although its reconciler did not create them (`owns(K, adopt = ..)`).
///
/// Each variant takes over more than the one before. An object that is not taken over is neither changed nor deleted.
/// The reconciled object waits, with the reason `DependentForeign`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Adopt {
    /// No existing objects. The step creates missing objects and updates its own ones.
    #[default]
    Never,
    /// Objects without an owner.
    IfUnowned,
    /// Also objects of other owners, except for those of another object of the reconciled kind.
    Always,
}

/// The type of the relation between a step and a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum How {
    /// `owns(K)`: the step writes objects of the kind with an owner reference. A change to one triggers a reconcile of
    /// the owner.
    Owns,
    #[doc(hidden)]
    /// `dependents(K)`: the step keeps a set of objects that may contain objects of the kind. They have marks instead of an owner reference. A
    /// change to one triggers a reconcile of the component.
    Keeps,
    /// `watches(K, by_name)`: one watch per name that the step reads. The role needs list and watch, and get unless the
    /// cache is full.
    WatchesByName,
    /// `watches(K, labels = "..", fields = "..")`: one watch for all objects that match the selector. It is the label selector, followed by
    /// `;` and the field selector if there is one.
    WatchesLabels(&'static str),
    /// `polls(K)` and `reads(K)`: reads from the API server. Changes do not trigger a reconcile.
    Reads,
    /// `uses(K, eviction = create)`: the calls that the step sends itself. Changes do not trigger a reconcile.
    Uses(&'static [DeclaredCall]),
}

impl How {
    /// The default cache of the relation.
    #[must_use]
    pub const fn cache(self) -> Cache {
        match self {
            Self::WatchesByName | Self::WatchesLabels(_) => Cache::Full,
            Self::Owns | Self::Keeps | Self::Reads | Self::Uses(_) => Cache::None,
        }
    }

    /// Whether changes to objects that the step does not own trigger a reconcile.
    #[must_use]
    pub(crate) const fn is_watch(self) -> bool {
        matches!(self, Self::WatchesByName | Self::WatchesLabels(_))
    }

    /// The selector of a watch by labels or fields.
    #[must_use]
    pub const fn selector(self) -> Option<&'static str> {
        match self {
            Self::WatchesLabels(selector) => Some(selector),
            Self::Owns | Self::Keeps | Self::WatchesByName | Self::Reads | Self::Uses(_) => None,
        }
    }
}

/// The label selector and the field selector in the selector of a watch.
#[cfg(feature = "operator")]
pub(crate) fn selector_parts(selector: &str) -> (Option<&str>, Option<&str>) {
    let (labels, fields) = selector.split_once(';').unwrap_or((selector, ""));
    let given = |text| Some(text).filter(|text: &&str| !text.is_empty());
    (given(labels), given(fields))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selector_is_split_into_labels_and_fields() {
        assert_eq!(selector_parts("a=b"), (Some("a=b"), None));
        assert_eq!(selector_parts("a=b;type=Opaque"), (Some("a=b"), Some("type=Opaque")));
        assert_eq!(selector_parts(";type=Opaque"), (None, Some("type=Opaque")));
        assert_eq!(selector_parts(""), (None, None));
    }
}
