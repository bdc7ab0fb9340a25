//! The arguments `watches` and `owns`: the kinds, how they trigger a reconcile, and which data of their objects is cached.

use proc_macro2::Ident;
use syn::{LitStr, Path};

/// `watches(K, by_name)`, `watches(K, labels = "..", cache = metadata)` or `watches(K, labels = "..", index = ByUser)`.
pub(crate) struct Watch {
    pub(crate) kind: Path,
    pub(crate) how: How,
    pub(crate) cache: Option<Cache>,
    /// The indexes for further look-ups.
    pub(crate) indexes: Vec<Path>,
    /// The function from an object to the reconciled objects that it triggers.
    pub(crate) map: Option<Path>,
}

pub(crate) enum How {
    ByName,
    /// By a label selector, a field selector, or both.
    Selected(Option<LitStr>, Option<LitStr>),
}

impl How {
    /// The selector as in the wiring: the label selector, and after a `;` the field selector.
    pub(crate) fn selector(labels: Option<&LitStr>, fields: Option<&LitStr>) -> String {
        let labels = labels.map(LitStr::value).unwrap_or_default();
        fields.map_or_else(|| labels.clone(), |fields| format!("{labels};{}", fields.value()))
    }
}

/// One kind of `owns(K, L, cache = full, adopt = if_unowned, labels = "app=web")`.
pub(crate) struct Own {
    pub(crate) kind: Path,
    pub(crate) cache: Option<Cache>,
    pub(crate) adopt: Option<Adopt>,
    /// Whether the step owns objects in any namespace.
    pub(crate) anywhere: bool,
    pub(crate) labels: Labels,
}

/// The labels of owned objects, as key and value.
pub(crate) type Labels = Vec<(String, String)>;

/// The policy for adopting existing objects.
#[derive(Clone, Copy)]
pub(crate) enum Adopt {
    Never,
    IfUnowned,
    Always,
}

/// The cached data, with the keyword for its span.
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
    /// Whether all matching objects are cached, so that they can be listed.
    pub(crate) fn lists(&self) -> bool {
        let keeps = self.cache.as_ref().is_none_or(|cache| cache.level > Level::None);
        matches!(self.how, How::Selected(..)) && keeps
    }
}

impl Own {
    /// Whether more than the records is cached.
    pub(crate) fn keeps(&self) -> bool {
        self.cache.as_ref().is_some_and(|cache| cache.level > Level::None)
    }
}
