//! The objects that do not fit their type. They are recorded and reported, but not reconciled.

use std::collections::BTreeMap;
use std::sync::Arc;

use kube::api::ObjectMeta;

use crate::client::decode::Invalid;
use crate::lock::Mutex;
use crate::queue::Key;

/// The outcome of a pass for such an object, and the reason of its event.
pub(crate) const UNDECODABLE: &str = "Undecodable";

/// The record of an object that does not fit its type.
#[derive(Clone, Debug)]
pub(crate) struct Undecodable {
    /// The field and the error.
    pub(crate) error: String,
    pub(crate) uid: Option<String>,
    #[cfg_attr(not(feature = "metrics"), allow(dead_code, reason = "who asks is in a feature"))]
    pub(crate) generation: Option<i64>,
    pub(crate) deleting: bool,
    pub(crate) finalizers: Vec<String>,
    reported: bool,
}

impl Undecodable {
    fn of(broken: &Invalid) -> Self {
        let ObjectMeta { uid, generation, deletion_timestamp, finalizers, .. } = &*broken.meta;
        Self {
            error: broken.text(),
            uid: uid.clone(),
            generation: *generation,
            deleting: deletion_timestamp.is_some(),
            finalizers: finalizers.clone().unwrap_or_default(),
            reported: false,
        }
    }

    /// Whether a report for one record also covers the other.
    fn is_like(&self, other: &Self) -> bool {
        (&self.error, &self.uid, self.deleting, &self.finalizers)
            == (&other.error, &other.uid, other.deleting, &other.finalizers)
    }
}

/// All such objects. All clones share the map.
#[derive(Clone, Debug, Default)]
pub(super) struct Aside(Arc<Mutex<BTreeMap<Key, Undecodable>>>);

impl Aside {
    /// The keys of the objects whose uid is wanted.
    pub(super) fn keys_of(&self, wanted: impl Fn(&str) -> bool) -> Vec<Key> {
        let all = self.0.lock();
        let found = all.iter().filter(|(_, broken)| broken.uid.as_deref().is_some_and(&wanted));
        found.map(|(key, _)| key.clone()).collect()
    }

    /// Records the current state of an object. Returns whether there is something new to report.
    pub(super) fn put(&self, key: &Key, broken: &Invalid) -> bool {
        let mut all = self.0.lock();
        let mut now = Undecodable::of(broken);
        now.reported = all.get(key).is_some_and(|before| before.reported && before.is_like(&now));
        let is_new = !now.reported;
        all.insert(key.clone(), now);
        is_new
    }

    /// Removes an object that fits its type again or was deleted.
    pub(super) fn remove(&self, key: &Key) {
        self.0.lock().remove(key);
    }

    pub(super) fn get(&self, key: &Key) -> Option<Undecodable> {
        self.0.lock().get(key).cloned()
    }

    /// The record to report; `None` if it was already reported.
    pub(super) fn report(&self, key: &Key) -> Option<Undecodable> {
        let mut all = self.0.lock();
        let found = all.get_mut(key).filter(|found| !found.reported)?;
        found.reported = true;
        Some(found.clone())
    }

    /// Removes all others.
    pub(super) fn retain(&self, is_kept: impl Fn(&Key, &str) -> bool) {
        self.0.lock().retain(|key, found| is_kept(key, found.uid.as_deref().unwrap_or_default()));
    }

    #[cfg(feature = "metrics")]
    pub(super) fn keys(&self, wanted: &dyn Fn(&Key) -> bool) -> Vec<Key> {
        self.0.lock().keys().filter(|key| wanted(key)).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(error: &str, uid: &str) -> Invalid {
        let meta = ObjectMeta { uid: Some(uid.into()), ..ObjectMeta::default() };
        Invalid { meta: Box::new(meta), field: "spec.size".into(), error: error.into() }
    }

    #[test]
    fn an_invalid_object_is_reported_once_per_change() {
        let (aside, key) = (Aside::default(), Key::new(Some("a"), "x"));
        assert!(aside.put(&key, &broken("too big", "u")));
        assert!(aside.put(&key, &broken("too big", "u")), "it has not been reported yet");
        assert_eq!(aside.report(&key).map(|found| found.error), Some("spec.size: too big".into()));
        assert!(aside.report(&key).is_none());
        assert!(!aside.put(&key, &broken("too big", "u")), "it was reported");
        for (error, uid) in [("too small", "u"), ("too small", "v")] {
            assert!(aside.put(&key, &broken(error, uid)), "{error} {uid}");
            assert!(aside.report(&key).is_some());
        }
        let going = ObjectMeta { finalizers: Some(vec!["f".into()]), ..*broken("", "v").meta };
        assert!(aside.put(&key, &Invalid { meta: Box::new(going), ..broken("too small", "v") }));
    }

    #[test]
    fn a_valid_object_is_no_longer_remembered() {
        let (aside, key) = (Aside::default(), Key::new(Some("a"), "x"));
        aside.put(&key, &broken("too big", "u"));
        assert!(aside.get(&key).is_some());
        aside.remove(&key);
        assert!(aside.get(&key).is_none());
    }
}
