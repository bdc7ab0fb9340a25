//! A write of an owned object in progress, which holds back the watch events of the object.

use std::sync::Arc;

use kube::api::DynamicObject;

use super::object_version::ObjectVersion;
use super::owned::Children;
use crate::api::Target;
use crate::queue::Key;

/// Called with the owners to enqueue.
type Enqueue = Box<dyn Fn(&[Key]) + Send + Sync>;

/// Holds back the events of the object until it is dropped.
#[must_use = "events are held back until the guard is dropped"]
pub(crate) struct WriteGuard {
    children: Children,
    target: Target,
    /// The object's share in the sum of its owner's children before the write.
    before: u64,
    /// Called with the owners of the held events.
    enqueue: Enqueue,
}

impl WriteGuard {
    pub(super) fn begin(
        children: Children,
        target: &Target,
        owner_uid: &str,
        enqueue: impl Fn(&[Key]) + Send + Sync + 'static,
    ) -> Self {
        let before = children.begin(target, owner_uid);
        Self { children, target: target.clone(), before, enqueue: Box::new(enqueue) }
    }

    /// Records the version that the write for this owner returned, and returns the change in the sum of the owner's children.
    pub(crate) fn wrote(&self, seen: &ObjectVersion, object: &Arc<DynamicObject>, owner: &Key) -> u64 {
        self.children.wrote(seen, object, owner).wrapping_sub(self.before)
    }

    /// Records that the write deleted the object, and returns the change in the sum of the owner's children.
    pub(crate) fn deleted(&self) -> u64 {
        self.children.deleted(&self.target);
        0_u64.wrapping_sub(self.before)
    }
}

impl Drop for WriteGuard {
    fn drop(&mut self) {
        let owners = self.children.end(&self.target);
        if !owners.is_empty() {
            (self.enqueue)(&owners);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use k8s_openapi::api::core::v1::ConfigMap;
    use kube::api::ObjectMeta;
    use serde_json::json;

    use super::*;
    use crate::watch::owned::Counts;
    use crate::wiring::{Cache, KindInfo};

    #[test]
    fn only_a_held_foreign_event_triggers_after_the_write() {
        let (kind, enqueued) = (KindInfo::of::<ConfigMap>(), Arc::<Mutex<Vec<usize>>>::default());
        let children = Children::new(kind.clone(), vec![(kind.clone(), Cache::None)], vec![Counts::VersionRecord]);
        let target = Target { kind, namespace: Some("a".into()), name: "x".into() };
        let meta: ObjectMeta = serde_json::from_value(json!({ "namespace": "a", "name": "x", "uid": "u", "resourceVersion": "1",
            "ownerReferences": [{ "apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "o", "controller": true }] }))
        .unwrap();
        let begin = || {
            let enqueued = enqueued.clone();
            let enqueue = move |keys: &[Key]| enqueued.lock().unwrap().push(keys.len());
            WriteGuard::begin(children.clone(), &target, "o", enqueue)
        };
        drop(begin());
        assert!(enqueued.lock().unwrap().is_empty());
        let guard = begin();
        children.apply(0, &meta, None);
        drop(guard);
        assert_eq!(*enqueued.lock().unwrap(), [1]);
    }
}
