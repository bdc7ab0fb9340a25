//! The table of served kinds: the built-in ones and those that CRDs define.

mod builtin;
mod field;
mod kind;
mod typed;

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

pub(crate) use field::pointer;
pub use field::{Absent, Selectable};
pub use kind::{Column, Custom, Kind, Origin, Scale, Selector, Storage, Subresource, Verb};
pub use typed::Decoded;
pub(crate) use typed::plain_texts;

static BUILTIN: LazyLock<Vec<Arc<Kind>>> = LazyLock::new(|| builtin::kinds().into_iter().map(Arc::new).collect());

/// All kinds that are served at one moment. It is immutable, and cheap to clone and to rebuild.
#[derive(Clone, Debug)]
pub struct Registry {
    kinds: Arc<[Arc<Kind>]>,
    by_plural: Arc<Index>,
    by_kind: Arc<Index>,
}

/// Positions in `Registry::kinds`, by "group/version/name".
type Index = HashMap<String, usize>;

impl Registry {
    /// A registry with only the built-in kinds.
    #[must_use]
    pub fn builtin() -> Self {
        Self::of(BUILTIN.to_vec())
    }

    /// A registry with the built-in kinds and these custom kinds, which replace the previous custom kinds.
    ///
    /// A built-in kind takes precedence over a custom one with the same path, as on an API server.
    #[must_use]
    pub fn with_custom(&self, custom: impl IntoIterator<Item = Kind>) -> Self {
        let own = self.kinds.iter().filter(|kind| kind.is_builtin()).cloned();
        Self::of(own.chain(custom.into_iter().map(Arc::new)).collect())
    }

    fn of(kinds: Vec<Arc<Kind>>) -> Self {
        let index = |name: fn(&Kind) -> &str| {
            let mut index = Index::with_capacity(kinds.len());
            for (at, kind) in kinds.iter().enumerate() {
                index.entry(key(&kind.group, &kind.version, name(kind))).or_insert(at);
            }
            Arc::new(index)
        };
        let (by_plural, by_kind) = (index(|kind| &kind.plural), index(|kind| &kind.kind));
        Self { kinds: kinds.into(), by_plural, by_kind }
    }

    /// The kind at `/apis/{group}/{version}/.../{plural}`; the core group is "".
    #[must_use]
    pub fn lookup(&self, group: &str, version: &str, plural: &str) -> Option<Arc<Kind>> {
        self.at(&self.by_plural, group, version, plural)
    }

    /// Whether this kind is still served, by a CRD with the same spec.
    pub(crate) fn is_current(&self, kind: &Kind) -> bool {
        let revision = |kind: &Kind| kind.custom().map(|custom| custom.revision.clone());
        self.lookup(&kind.group, &kind.version, &kind.plural).is_some_and(|now| revision(&now) == revision(kind))
    }

    /// The kind with the `apiVersion` and `kind` of an object or an owner reference.
    #[must_use]
    pub fn by_gvk(&self, group: &str, version: &str, kind: &str) -> Option<Arc<Kind>> {
        self.at(&self.by_kind, group, version, kind)
    }

    fn at(&self, index: &Index, group: &str, version: &str, name: &str) -> Option<Arc<Kind>> {
        index.get(&key(group, version, name)).and_then(|at| self.kinds.get(*at)).cloned()
    }

    /// All kinds: the built-in ones in table order, then the custom ones in the given order.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Kind>> {
        self.kinds.iter()
    }

    /// The kinds of one group and version, in the order of `iter`.
    #[must_use]
    pub fn kinds_of(&self, group: &str, version: &str) -> Vec<Arc<Kind>> {
        let of = |kind: &&Arc<Kind>| kind.group == group && kind.version == version;
        self.iter().filter(of).cloned().collect()
    }

    /// A kind with this storage key, in a version to which no webhook converts if possible.
    #[must_use]
    pub fn by_storage(&self, storage: &Storage) -> Option<Arc<Kind>> {
        let mut versions = self.iter().filter(|kind| kind.storage == *storage);
        let first = versions.next()?;
        let unconverted = std::iter::once(first).chain(versions).find(|kind| kind.converts().is_none());
        Some(Arc::clone(unconverted.unwrap_or(first)))
    }

    /// Whether this is a group of built-in kinds. Unknown paths in such a group return a `Status`, those in other groups a plain text.
    #[must_use]
    pub fn is_builtin_group(&self, group: &str) -> bool {
        self.iter().any(|kind| kind.is_builtin() && kind.group == group)
    }
}

fn key(group: &str, version: &str, name: &str) -> String {
    format!("{group}/{version}/{name}")
}

/// The group and version of an `apiVersion`; the core group is "".
#[must_use]
pub fn split(api_version: &str) -> (&str, &str) {
    api_version.split_once('/').unwrap_or(("", api_version))
}

#[cfg(test)]
mod tests;
