//! The scope of the watches: the namespaces, and how much of each object.

use std::sync::Arc;

use super::watch_target::WatchTarget;
use crate::api::ApiError;
use crate::wiring::{KindInfo, Wiring};

/// The scope of an operator's watches.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    /// Empty: all namespaces.
    pub(crate) namespaces: Arc<[Arc<str>]>,
    /// Whether one watch of each kind covers the cluster, and drops the objects of other namespaces.
    pub(crate) cluster_wide: bool,
    /// The label selector of the reconciled kinds, in addition to that of a reconciler.
    pub(crate) labels: Option<Arc<str>>,
    /// Whether objects keep the fields that are stripped by default (`managedFields`).
    pub(crate) whole: bool,
}

impl Scope {
    /// The wiring of a reconciler with the labels of both selectors. A wiring with other labels lives as long as the process.
    pub(crate) fn selecting(&self, declared: &'static Wiring) -> &'static Wiring {
        let Some(labels) = &self.labels else { return declared };
        let both = declared.labels.map_or_else(|| labels.to_string(), |own| format!("{own},{labels}"));
        Box::leak(Box::new(Wiring { labels: Some(both.leak()), ..*declared }))
    }

    /// The scope for the related kinds of an owner kind. Related objects of a cluster-scoped owner may be in any namespace.
    pub(super) fn around(self, owner: &KindInfo) -> Self {
        if owner.namespaced { self } else { Self { namespaces: Arc::default(), ..self } }
    }

    /// The watch targets of the kind.
    pub(crate) fn places(&self, kind: &KindInfo) -> Vec<WatchTarget> {
        if self.cluster_wide && self.limits(kind) {
            return vec![WatchTarget { within: Some(self.namespaces.clone()), ..self.place(kind, None) }];
        }
        self.namespaces_of(kind).into_iter().map(|namespace| self.place(kind, namespace)).collect()
    }

    /// The namespaces in which objects of the kind are watched; `None`: all.
    pub(super) fn namespaces_of(&self, kind: &KindInfo) -> Vec<Option<Arc<str>>> {
        if self.limits(kind) { self.namespaces.iter().cloned().map(Some).collect() } else { vec![None] }
    }

    /// Whether objects of the kind are watched in some namespaces only.
    fn limits(&self, kind: &KindInfo) -> bool {
        kind.namespaced && !self.namespaces.is_empty()
    }

    /// The watch targets of the objects of the kind with these labels and fields; `None`: all objects.
    pub(crate) fn selected_places(
        &self,
        kind: &KindInfo,
        labels: Option<&str>,
        fields: Option<&str>,
    ) -> Vec<WatchTarget> {
        self.places(kind).into_iter().map(|place| place.selected(labels, fields)).collect()
    }

    /// The watch target of the kind in one namespace; `None`: all namespaces.
    pub(super) fn place(&self, kind: &KindInfo, namespace: Option<Arc<str>>) -> WatchTarget {
        WatchTarget {
            resource: kind.resource.clone(),
            namespace,
            within: None,
            labels: None,
            fields: None,
            name: None,
            whole: self.whole,
            metadata: false,
            shard: None,
        }
    }

    /// Whether objects of the namespace are watched. Cluster-scoped objects always are.
    pub(crate) fn covers(&self, namespace: Option<&str>) -> bool {
        let watched = &self.namespaces;
        watched.is_empty() || namespace.is_none_or(|namespace| watched.iter().any(|one| **one == *namespace))
    }

    /// Fails for objects in a namespace that is not watched.
    pub(super) fn check(&self, namespace: Option<&str>, what: &impl std::fmt::Display) -> Result<(), ApiError> {
        let unwatched = namespace.filter(|_| !self.covers(namespace));
        unwatched.map_or(Ok(()), |namespace| {
            let text = format!("{what} is in the namespace {namespace}, which this operator does not watch");
            Err(ApiError::Invalid(text.into()))
        })
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{Namespace, Secret};

    use super::*;

    fn watched(scope: &Scope, kind: &KindInfo) -> Vec<Option<Arc<str>>> {
        scope.places(kind).into_iter().map(|place| place.namespace).collect()
    }

    #[test]
    fn the_selector_of_the_operator_adds_to_that_of_a_reconciler() {
        const OWN: &Wiring = &Wiring { labels: Some("tier=web"), ..Wiring::EMPTY };
        let scope = Scope { labels: Some("team=a".into()), ..Scope::default() };
        assert_eq!(scope.selecting(OWN).labels, Some("tier=web,team=a"));
        assert_eq!(scope.selecting(&Wiring::EMPTY).labels, Some("team=a"));
        assert_eq!(Scope::default().selecting(OWN).labels, Some("tier=web"));
    }

    #[test]
    fn cluster_scoped_kinds_ignore_the_namespaces() {
        let (secret, namespace) = (KindInfo::of::<Secret>(), KindInfo::of::<Namespace>());
        let (everywhere, two) =
            (Scope::default(), Scope { namespaces: ["a".into(), "b".into()].into(), ..Scope::default() });
        assert_eq!(watched(&two, &secret), [Some("a".into()), Some("b".into())]);
        assert_eq!(watched(&two, &namespace), [None]);
        assert_eq!((watched(&everywhere, &secret), watched(&everywhere, &namespace)), (vec![None], vec![None]));
        assert_eq!(watched(&two.clone().around(&namespace), &secret), [None], "its relations may be in any");
        assert_eq!(watched(&two.clone().around(&secret), &secret).len(), 2);
        assert!(two.covers(Some("a")) && two.covers(None) && !two.covers(Some("c")) && everywhere.covers(Some("c")));
        assert!(two.places(&secret).iter().all(|place| !place.whole));
        assert!(Scope { whole: true, ..two.clone() }.place(&secret, None).whole);
    }

    #[test]
    fn one_watch_of_the_cluster_keeps_to_the_namespaces() {
        let (secret, namespace) = (KindInfo::of::<Secret>(), KindInfo::of::<Namespace>());
        let two = Scope { namespaces: ["a".into(), "b".into()].into(), cluster_wide: true, ..Scope::default() };
        let [place] = &two.places(&secret)[..] else { panic!("one watch") };
        assert_eq!(place.namespace, None);
        assert!(place.has_namespace(Some("a")) && place.has_namespace(Some("b")) && !place.has_namespace(Some("c")));
        assert_eq!(two.namespaces_of(&secret), [Some("a".into()), Some("b".into())]);
        let [place] = &two.places(&namespace)[..] else { panic!("one watch") };
        assert!(place.has_namespace(None), "a cluster-scoped kind");
        let [place] = &two.around(&namespace).places(&secret)[..] else { panic!("one watch") };
        assert!(place.has_namespace(Some("c")), "related to a cluster-scoped kind");
    }
}
