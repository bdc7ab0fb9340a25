//! What an operator watches of a kind: the namespaces, and how much of each object.

use std::sync::Arc;

use super::watch_target::WatchTarget;
use crate::wiring::KindInfo;

/// The extent of the watches of an operator.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    /// None: all.
    pub(crate) namespaces: Arc<[Arc<str>]>,
    /// Whether objects keep what is skipped otherwise (`managedFields`).
    pub(crate) whole: bool,
}

impl Scope {
    /// The extent for what belongs to a kind: an object without a namespace may have its relations in any.
    pub(super) fn around(self, owner: &KindInfo) -> Self {
        if owner.namespaced { self } else { Self { namespaces: Arc::default(), ..self } }
    }

    /// Where the kind is watched.
    pub(crate) fn places(&self, kind: &KindInfo) -> Vec<WatchTarget> {
        if self.namespaces.is_empty() || !kind.namespaced {
            return vec![self.place(kind, None)];
        }
        self.namespaces.iter().map(|namespace| self.place(kind, Some(namespace.clone()))).collect()
    }

    /// One place of the kind; without a namespace all of it.
    pub(super) fn place(&self, kind: &KindInfo, namespace: Option<Arc<str>>) -> WatchTarget {
        WatchTarget { resource: kind.resource.clone(), namespace, labels: None, name: None, whole: self.whole }
    }

    /// Whether objects of the namespace are watched; those without one always are.
    pub(super) fn covers(&self, namespace: Option<&str>) -> bool {
        let watched = &self.namespaces;
        watched.is_empty() || namespace.is_none_or(|namespace| watched.iter().any(|one| **one == *namespace))
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{Namespace, Secret};

    use super::*;

    fn watched(scope: &Scope, kind: &KindInfo) -> Vec<Option<String>> {
        scope.places(kind).into_iter().map(|place| place.namespace.map(|namespace| namespace.to_string())).collect()
    }

    #[test]
    fn a_kind_is_watched_in_each_namespace_and_one_without_namespaces_as_a_whole() {
        let (secret, namespace) = (KindInfo::of::<Secret>(), KindInfo::of::<Namespace>());
        let (everywhere, two) = (Scope::default(), Scope { namespaces: ["a".into(), "b".into()].into(), whole: false });
        assert_eq!(watched(&two, &secret), [Some("a".into()), Some("b".into())]);
        assert_eq!(watched(&two, &namespace), [None]);
        assert_eq!((watched(&everywhere, &secret), watched(&everywhere, &namespace)), (vec![None], vec![None]));
        assert_eq!(watched(&two.clone().around(&namespace), &secret), [None], "its relations may be in any");
        assert_eq!(watched(&two.clone().around(&secret), &secret).len(), 2);
        assert!(two.covers(Some("a")) && two.covers(None) && !two.covers(Some("c")) && everywhere.covers(Some("c")));
        assert!(two.places(&secret).iter().all(|place| !place.whole));
        assert!(Scope { whole: true, ..two.clone() }.place(&secret, None).whole);
    }
}
