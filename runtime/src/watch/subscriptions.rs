//! Who asked for which object: exact, without a time limit.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::api::Target;
use crate::queue::Key;

/// Askers by object, and objects by asker.
#[derive(Debug, Default)]
pub(super) struct Interest {
    askers: HashMap<Target, HashSet<Key>>,
    targets: HashMap<Key, HashMap<String, Target>>,
}

impl Interest {
    pub(super) fn add(&mut self, asker: &Key, target: &Target) {
        let askers = self.askers.entry(target.clone()).or_default();
        if askers.insert(asker.clone()) {
            self.targets.entry(asker.clone()).or_default().insert(target.to_string(), target.clone());
        }
    }

    pub(super) fn askers(&self, target: &Target) -> impl Iterator<Item = &Key> {
        self.askers.get(target).into_iter().flatten()
    }

    /// Drops what the asker no longer asks for, and returns the objects that nobody asks for any more.
    pub(super) fn keep(&mut self, asker: &Key, references: &BTreeSet<String>) -> Vec<Target> {
        let Some(targets) = self.targets.get_mut(asker) else { return Vec::new() };
        let dropped: Vec<Target> = targets.extract_if(|name, _| !references.contains(name)).map(|(_, t)| t).collect();
        if targets.is_empty() {
            self.targets.remove(asker);
        }
        dropped.into_iter().filter(|target| self.leave(asker, target)).collect()
    }

    /// True if nobody is left.
    fn leave(&mut self, asker: &Key, target: &Target) -> bool {
        let Some(askers) = self.askers.get_mut(target) else { return false };
        askers.remove(asker);
        let deserted = askers.is_empty();
        if deserted {
            self.askers.remove(target);
        }
        deserted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wiring::KindInfo;

    fn secret(name: &str) -> Target {
        let kind = KindInfo::of::<k8s_openapi::api::core::v1::Secret>();
        Target { kind, namespace: Some("team-a".into()), name: name.into() }
    }

    #[test]
    fn an_object_is_let_go_once_its_last_asker_stops_asking() {
        let (one, two) = (Key::new(Some("team-a"), "one"), Key::new(Some("team-a"), "two"));
        let mut interest = Interest::default();
        interest.add(&one, &secret("a"));
        interest.add(&one, &secret("b"));
        interest.add(&two, &secret("a"));
        assert_eq!(interest.keep(&one, &BTreeSet::from([secret("b").to_string()])), []);
        assert_eq!(interest.askers(&secret("a")).collect::<Vec<_>>(), [&two]);
        assert_eq!(interest.keep(&two, &BTreeSet::new()), [secret("a")]);
        assert_eq!(interest.keep(&one, &BTreeSet::new()), [secret("b")]);
        assert!(interest.askers.is_empty() && interest.targets.is_empty(), "nothing is left behind");
    }
}
