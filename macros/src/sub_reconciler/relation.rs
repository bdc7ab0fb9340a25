//! The arguments `watches` and `owns` as written: kinds, how they trigger a reconcile, and what of their objects is cached.

use proc_macro2::Ident;
use syn::{LitStr, Path};

/// `watches(K, by_name)`, `watches(K, labels = "..", cache = metadata)` or `watches(K, labels = "..", index = ByUser)`.
pub(crate) struct Watch {
    pub(crate) kind: Path,
    pub(crate) how: How,
    pub(crate) cache: Option<Cache>,
    /// What else its objects are found by.
    pub(crate) indexes: Vec<Path>,
}

pub(crate) enum How {
    ByName,
    Labels(LitStr),
}

/// One kind of `owns(K, L, cache = full, adopt = if_unowned)`.
pub(crate) struct Own {
    pub(crate) kind: Path,
    pub(crate) cache: Option<Cache>,
    pub(crate) adopt: Option<Adopt>,
}

/// Which objects that are there already are taken over.
#[derive(Clone, Copy)]
pub(crate) enum Adopt {
    Never,
    IfUnowned,
    Always,
}

/// What is kept of the objects, with the word that says so.
#[derive(Clone)]
pub(crate) struct Cache {
    pub(crate) word: Ident,
    pub(crate) level: Level,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    None,
    Metadata,
    Full,
}

impl Watch {
    /// Whether all that match are known by their labels, to be listed.
    pub(crate) fn lists(&self) -> bool {
        let keeps = self.cache.as_ref().is_none_or(|cache| cache.level > Level::None);
        matches!(self.how, How::Labels(_)) && keeps
    }
}

impl Own {
    /// Whether more than the records is kept.
    pub(crate) fn keeps(&self) -> bool {
        self.cache.as_ref().is_some_and(|cache| cache.level > Level::None)
    }
}
