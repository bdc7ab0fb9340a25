//! Objects of other owners for which passes wait. Only their deletion or a change of their owner triggers a reconcile.
//!
//! They are of owned kinds, which have a watch anyway, so no further watch is needed.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use kube::api::ObjectMeta;

use crate::api::Target;
use crate::api::adoption::OwnerUids;
use crate::lock::Mutex;
use crate::queue::Key;
use crate::wiring::KindInfo;

/// The waiting objects by the object that blocks them. All clones share the map.
#[derive(Clone, Debug, Default)]
pub(crate) struct Foreign(Arc<Mutex<Blocked>>);

/// The last seen owner, by blocking object and waiting object; `None`: any change counts.
type Blocked = HashMap<Target, HashMap<Key, Option<OwnerUids>>>;

impl Foreign {
    /// Lets any change of the object count until [`block`](Self::block) or [`free`](Self::free) decides.
    pub(crate) fn expect(&self, subscriber: &Key, target: &Target) {
        self.block(subscriber, target, None);
    }

    /// Records that the subscriber waits for the object.
    pub(crate) fn block(&self, subscriber: &Key, target: &Target, owners: Option<OwnerUids>) {
        self.0.lock().entry(target.clone()).or_default().insert(subscriber.clone(), owners);
    }

    /// Records that the subscriber does not wait for the object.
    pub(crate) fn free(&self, subscriber: &Key, target: &Target) {
        let mut blocked = self.0.lock();
        let left = blocked
            .get_mut(target)
            .is_some_and(|subscribers| subscribers.remove(subscriber).is_some() && !subscribers.is_empty());
        if !left {
            blocked.remove(target);
        }
    }

    /// Drops the entries of the subscriber that its last pass no longer references.
    pub(crate) fn keep(&self, subscriber: &Key, references: &BTreeSet<String>) {
        let mut blocked = self.0.lock();
        if blocked.is_empty() {
            return;
        }
        blocked.retain(|target, subscribers| {
            if subscribers.contains_key(subscriber) && !references.contains(&target.to_string()) {
                subscribers.remove(subscriber);
            }
            !subscribers.is_empty()
        });
    }

    /// The waiting objects to enqueue for this state of the object.
    pub(super) fn seen(&self, kind: &KindInfo, meta: &ObjectMeta) -> Vec<Key> {
        self.of(kind, || Key::of(meta), |owners| owners.as_ref() != Some(&OwnerUids::of(meta)))
    }

    /// The waiting objects to enqueue after the deletion of the object.
    pub(super) fn gone(&self, kind: &KindInfo, key: &Key) -> Vec<Key> {
        self.of(kind, || key.clone(), |_| true)
    }

    fn of(&self, kind: &KindInfo, key: impl FnOnce() -> Key, counts: impl Fn(&Option<OwnerUids>) -> bool) -> Vec<Key> {
        let blocked = self.0.lock();
        if blocked.is_empty() {
            return Vec::new();
        }
        let key = key();
        let namespace = key.namespace.as_deref().map(ToOwned::to_owned);
        let target = Target { kind: kind.clone(), namespace, name: key.name.to_string() };
        let subscribers = blocked.get(&target).into_iter().flatten();
        subscribers.filter(|(_, owners)| counts(owners)).map(|(subscriber, _)| subscriber.clone()).collect()
    }

    /// The waiting objects to enqueue for objects that a complete list of the namespace (or of all namespaces) does not contain.
    pub(super) fn retain(&self, kind: &KindInfo, namespace: Option<&str>, listed: &HashSet<Key>) -> Vec<Key> {
        let blocked = self.0.lock();
        let is_gone = |target: &Target| {
            let here = namespace.is_none() || target.namespace.as_deref() == namespace;
            target.kind == *kind && here && !listed.contains(&Key::new(target.namespace.as_deref(), &target.name))
        };
        let gone = blocked.iter().filter(|(target, _)| is_gone(target));
        gone.flat_map(|(_, subscribers)| subscribers.keys().cloned()).collect()
    }
}

#[cfg(test)]
impl Foreign {
    /// Whether no object waits.
    pub(crate) fn is_idle(&self) -> bool {
        self.0.lock().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use serde_json::json;

    use super::*;

    fn kind() -> KindInfo {
        KindInfo::of::<ConfigMap>()
    }

    fn target(name: &str) -> Target {
        Target { kind: kind(), namespace: Some("a".into()), name: name.into() }
    }

    fn meta(version: &str, owner: Option<&str>) -> ObjectMeta {
        let owners = owner.map(|uid| json!([{ "apiVersion": "v1", "kind": "K", "name": "k", "uid": uid }]));
        serde_json::from_value(
            json!({ "namespace": "a", "name": "x", "uid": "u", "resourceVersion": version, "ownerReferences": owners }),
        )
        .unwrap()
    }

    fn key(name: &str) -> Key {
        Key::new(Some("a"), name)
    }

    #[test]
    fn only_an_owner_change_or_deletion_triggers() {
        let foreign = Foreign::default();
        assert_eq!(foreign.seen(&kind(), &meta("1", None)), [], "no object waits");
        foreign.block(&key("w"), &target("x"), Some(OwnerUids::of(&meta("1", None))));
        assert_eq!(foreign.seen(&kind(), &meta("2", None)), [], "the same owner");
        assert_eq!(foreign.seen(&kind(), &meta("3", Some("o"))), [key("w")]);
        assert_eq!(foreign.gone(&kind(), &key("y")), [], "another object");
        assert_eq!(foreign.gone(&kind(), &key("x")), [key("w")]);
    }

    #[test]
    fn any_change_triggers_until_ownership_is_decided() {
        let foreign = Foreign::default();
        foreign.expect(&key("w"), &target("x"));
        assert_eq!(foreign.seen(&kind(), &meta("1", None)), [key("w")]);
        foreign.free(&key("w"), &target("x"));
        assert_eq!(foreign.seen(&kind(), &meta("2", None)), []);
        assert!(foreign.0.lock().is_empty(), "nothing is left behind");
    }

    #[test]
    fn a_list_without_the_object_counts_as_deletion() {
        let foreign = Foreign::default();
        foreign.block(&key("w"), &target("x"), None);
        assert_eq!(foreign.retain(&kind(), Some("b"), &HashSet::new()), []);
        assert_eq!(foreign.retain(&kind(), Some("a"), &HashSet::from([key("x")])), []);
        assert_eq!(foreign.retain(&kind(), None, &HashSet::new()), [key("w")]);
    }

    #[test]
    fn only_subscribers_that_no_longer_need_it_are_removed() {
        let foreign = Foreign::default();
        foreign.block(&key("w"), &target("x"), None);
        foreign.block(&key("v"), &target("x"), None);
        foreign.keep(&key("w"), &BTreeSet::from([target("x").to_string()]));
        foreign.keep(&key("v"), &BTreeSet::new());
        assert_eq!(foreign.gone(&kind(), &key("x")), [key("w")]);
        foreign.keep(&key("w"), &BTreeSet::new());
        assert!(foreign.0.lock().is_empty(), "nothing is left behind");
    }
}
