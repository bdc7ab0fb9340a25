//! The relations of steps to kinds: how, and what is kept of the objects.

use crate::kind::KindInfo;
use crate::wiring::index::Indexer;

/// One kind that a step declared.
#[derive(Clone, Copy, Debug)]
pub struct Relation {
    /// In which way.
    pub how: How,
    /// What is kept of its objects in memory.
    pub cache: Cache,
    /// Which kind; `None` where a condition was declared.
    pub kind: Option<fn() -> KindInfo>,
    /// What else its objects are found by, where they are watched by label.
    pub indexes: &'static [Indexer],
    /// Which objects that are there already the step takes over, where it owns the kind.
    pub adopt: Adopt,
}

impl Relation {
    /// With what is kept unless the step says otherwise: watched objects in full, of others nothing.
    #[must_use]
    pub const fn new(how: How, kind: Option<fn() -> KindInfo>) -> Self {
        Self { how, cache: how.cache(), kind, indexes: &[], adopt: Adopt::Never }
    }

    /// The same, of which this is kept.
    #[must_use]
    pub const fn cached(self, cache: Cache) -> Self {
        Self { cache, ..self }
    }

    /// The same, found by these indexes as well.
    #[must_use]
    pub const fn indexed(self, indexes: &'static [Indexer]) -> Self {
        Self { indexes, ..self }
    }

    /// The same, of which the step takes over these.
    #[must_use]
    pub const fn adopting(self, adopt: Adopt) -> Self {
        Self { adopt, ..self }
    }

    /// Whether the declared kind is this one.
    pub(crate) fn is_of(&self, kind: &KindInfo) -> bool {
        self.kind.is_some_and(|of| of() == *kind)
    }
}

/// What is kept in memory of the objects of a kind (`cache = ..`); the later holds more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cache {
    /// Only whose it is, and its version: what is read comes from the API server.
    None,
    /// Its metadata, for `cx.metadata`: the rest comes from the API server.
    Metadata,
    /// All of it.
    Full,
}

/// Which objects a step takes over that are there already and that its reconciler did not make (`owns(K, adopt = ..)`); the later takes more.
///
/// An object that is not taken over is neither changed nor deleted: the object that wants it waits, with the reason `DependentForeign`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Adopt {
    /// None: only what is absent is created, and only what is ours is updated.
    #[default]
    Never,
    /// Objects without an owner.
    IfUnowned,
    /// Objects of other owners, too, but for those of another object of the reconciled kind.
    Always,
}

/// In which way a step is related to a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// `owns(K)`: the step writes objects of the kind, with an owner reference; a change of one triggers a reconcile of the owner.
    Owns,
    /// `watches(K, by_name)`: one watch per name that the step asked for; role with get, list, watch.
    WatchesByName,
    /// `watches(K, labels = "..")`: one watch for all objects that match the selector.
    WatchesLabels(&'static str),
    /// `polls(K)` and `reads(K)`: read from the API, nothing wakes.
    Reads,
}

impl How {
    /// What is kept of the objects unless the step says otherwise.
    #[must_use]
    pub const fn cache(self) -> Cache {
        match self {
            Self::WatchesByName | Self::WatchesLabels(_) => Cache::Full,
            Self::Owns | Self::Reads => Cache::None,
        }
    }

    /// Whether the step is woken by objects that it does not own.
    #[must_use]
    pub(crate) const fn is_watch(self) -> bool {
        matches!(self, Self::WatchesByName | Self::WatchesLabels(_))
    }

    /// The label selector of a watch by label.
    #[must_use]
    pub const fn selector(self) -> Option<&'static str> {
        match self {
            Self::WatchesLabels(selector) => Some(selector),
            Self::Owns | Self::WatchesByName | Self::Reads => None,
        }
    }
}
