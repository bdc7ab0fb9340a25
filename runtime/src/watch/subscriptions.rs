//! The objects to which passes subscribed, exactly and without a time limit.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::api::{Target, Watched};
use crate::queue::Key;

/// Subscribers by object, and objects by subscriber.
#[derive(Debug, Default)]
pub(super) struct Subscriptions {
    subscribers: HashMap<Watched, HashSet<Key>>,
    targets: HashMap<Key, HashMap<String, Watched>>,
}

impl Subscriptions {
    pub(super) fn add(&mut self, subscriber: &Key, watched: Watched) {
        let subscribers = self.subscribers.entry(watched.clone()).or_default();
        if subscribers.insert(subscriber.clone()) {
            self.targets.entry(subscriber.clone()).or_default().insert(watched.to_string(), watched);
        }
    }

    pub(super) fn subscribers(&self, watched: &Watched) -> impl Iterator<Item = &Key> {
        self.subscribers.get(watched).into_iter().flatten()
    }

    /// Drops the subscriptions that are not among the references, and returns the objects without any subscriber left.
    pub(super) fn keep(&mut self, subscriber: &Key, references: &BTreeSet<String>) -> Vec<Target> {
        let Some(targets) = self.targets.get_mut(subscriber) else { return Vec::new() };
        let dropped: Vec<Watched> = targets.extract_if(|name, _| !references.contains(name)).map(|(_, t)| t).collect();
        if targets.is_empty() {
            self.targets.remove(subscriber);
        }
        let deserted = dropped.into_iter().filter(|watched| self.leave(subscriber, watched));
        let objects = deserted.filter_map(|watched| match watched {
            Watched::Object(target) => Some(target),
            Watched::Selection(_) => None,
        });
        objects.collect()
    }

    /// Removes one subscription. Returns whether it was the last one.
    fn leave(&mut self, subscriber: &Key, watched: &Watched) -> bool {
        let Some(subscribers) = self.subscribers.get_mut(watched) else { return false };
        subscribers.remove(subscriber);
        let deserted = subscribers.is_empty();
        if deserted {
            self.subscribers.remove(watched);
        }
        deserted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wiring::KindInfo;

    fn secret(name: &str) -> Watched {
        Watched::Object(target(name))
    }

    fn target(name: &str) -> Target {
        let kind = KindInfo::of::<k8s_openapi::api::core::v1::Secret>();
        Target { kind, namespace: Some("team-a".into()), name: name.into() }
    }

    #[test]
    fn an_object_is_released_by_its_last_subscriber() {
        let (one, two) = (Key::new(Some("team-a"), "one"), Key::new(Some("team-a"), "two"));
        let mut interest = Subscriptions::default();
        interest.add(&one, secret("a"));
        interest.add(&one, secret("b"));
        interest.add(&two, secret("a"));
        assert_eq!(interest.keep(&one, &BTreeSet::from([secret("b").to_string()])), []);
        assert_eq!(interest.subscribers(&secret("a")).collect::<Vec<_>>(), [&two]);
        assert_eq!(interest.keep(&two, &BTreeSet::new()), [target("a")]);
        assert_eq!(interest.keep(&one, &BTreeSet::new()), [target("b")]);
        assert!(interest.subscribers.is_empty() && interest.targets.is_empty(), "nothing is left behind");
    }
}
