//! The last write to each owned object, and the remote operations in progress. Both are lost on restart: the first pass then reads each
//! object before it applies it, and reads the operations from the status.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use kube::api::DynamicObject;
use tokio::time::Instant;

use super::correction_backoff::CorrectionBackoff;
use crate::api::Target;
use crate::lock::Mutex;
use crate::resource_version::is_newer;
use crate::status::operation::RemoteOperation;
use crate::watch::{ObjectVersion, matches};
use crate::wiring::KindInfo;

/// The last apply to an owned object and the object that it returned.
pub(in crate::pass) struct Applied {
    /// The hash of the content.
    pub(in crate::pass) intent: u64,
    pub(in crate::pass) seen: ObjectVersion,
    pub(in crate::pass) object: Arc<DynamicObject>,
}

/// The last write to an owned object.
enum Written {
    Applied(Box<Applied>),
    /// The object was deleted; this was its last known version.
    Deleted(Box<ObjectVersion>),
}

/// The last writes. All clones share their state.
#[derive(Clone, Default)]
pub(in crate::pass) struct Children(Arc<Mutex<Made>>);

#[derive(Default)]
struct Made {
    /// By the target of the write.
    writes: BTreeMap<String, Written>,
    /// By the place in the code that started them.
    operations: BTreeMap<&'static str, RemoteOperation>,
    corrections: CorrectionBackoff,
}

impl Children {
    /// Whether nothing is known that a later pass needs.
    pub(in crate::pass) fn is_empty(&self) -> bool {
        let made = self.0.lock();
        made.writes.is_empty() && made.operations.is_empty() && made.corrections.is_empty()
    }

    /// The operation in progress, if this process knows of one.
    pub(in crate::pass) fn operation(&self, place: &'static str) -> Option<RemoteOperation> {
        self.0.lock().operations.get(place).cloned()
    }

    pub(in crate::pass) fn keep_operation(&self, place: &'static str, operation: Option<RemoteOperation>) {
        let mut made = self.0.lock();
        match operation {
            Some(operation) => made.operations.insert(place, operation),
            None => made.operations.remove(place),
        };
    }

    /// Stores the result of an apply. Returns whether the last write of the object was an apply with the same content.
    pub(in crate::pass) fn applied(&self, target: String, applied: Applied) -> bool {
        let intent = applied.intent;
        let before = self.0.lock().writes.insert(target, Written::Applied(Box::new(applied)));
        matches!(before, Some(Written::Applied(before)) if before.intent == intent)
    }

    /// Counts a correction of the object. Returns the pause before the next one, if there is one.
    pub(in crate::pass) fn corrected(&self, target: String) -> Option<Duration> {
        self.0.lock().corrections.corrected(target, Instant::now())
    }

    /// Remaining pause before the next correction, because other clients undo them.
    pub(in crate::pass) fn contested(&self) -> Option<Duration> {
        self.0.lock().corrections.left(Instant::now())
    }

    /// Records a deletion. `watched` is the last known version, if a cache may still return the object for a while.
    pub(in crate::pass) fn deleted(&self, target: &Target, watched: Option<ObjectVersion>) {
        let (mut made, name) = (self.0.lock(), target.to_string());
        made.writes.remove(&name);
        made.writes.extend(watched.map(|seen| (name, Written::Deleted(Box::new(seen)))));
    }

    /// Whether a pass of this process wrote the object.
    pub(in crate::pass) fn has_written(&self, target: &str) -> bool {
        self.0.lock().writes.contains_key(target)
    }

    /// The result of our last apply, if it had the same intent and the object is unchanged since: `is_known` tells whether this is its version.
    pub(in crate::pass) fn unchanged(
        &self,
        target: &str,
        intent: u64,
        is_known: impl FnOnce(&ObjectVersion) -> bool,
    ) -> Option<Arc<DynamicObject>> {
        let made = self.0.lock();
        let Some(Written::Applied(applied)) = made.writes.get(target) else { return None };
        (applied.intent == intent && is_known(&applied.seen)).then(|| applied.object.clone())
    }

    /// Whether the cached version is older than our last write. `known` returns the version that is known from elsewhere.
    pub(in crate::pass) fn outran(
        &self,
        target: &Target,
        cached: impl FnOnce() -> Option<ObjectVersion>,
        known: impl FnOnce() -> Option<ObjectVersion>,
    ) -> bool {
        let made = self.0.lock();
        if made.writes.is_empty() {
            return false;
        }
        made.writes.get(&target.to_string()).is_some_and(|written| written.outran(cached(), known))
    }

    /// Whether a list of the objects that match the selector is older than our last writes. `cached` and `known` return the versions of an
    /// object.
    pub(in crate::pass) fn outran_list(
        &self,
        kind: &KindInfo,
        selector: &str,
        cached: impl Fn(&Target) -> Option<ObjectVersion>,
        known: impl Fn(&Target) -> Option<ObjectVersion>,
    ) -> bool {
        let made = self.0.lock();
        let mut of_kind = made.writes.values().filter(|written| written.seen().target.kind == *kind);
        of_kind.any(|written| {
            let target = &written.seen().target;
            let cached = cached(target);
            // An object that does not match need not be in the list.
            (cached.is_some() || written.matches(selector)) && written.outran(cached, || known(target))
        })
    }
}

impl Written {
    fn seen(&self) -> &ObjectVersion {
        match self {
            Self::Applied(applied) => &applied.seen,
            Self::Deleted(seen) => seen,
        }
    }

    fn matches(&self, selector: &str) -> bool {
        match self {
            Self::Applied(applied) => matches(selector, applied.object.metadata.labels.as_ref()),
            Self::Deleted(_) => false,
        }
    }

    fn outran(&self, cached: Option<ObjectVersion>, known: impl FnOnce() -> Option<ObjectVersion>) -> bool {
        let (ours, same) = (self.seen(), cached.filter(|cached| cached.uid == self.seen().uid));
        match (self, same) {
            (Self::Applied(_), Some(cached)) => is_newer(&ours.resource_version, &cached.resource_version),
            // Not delivered yet, or already deleted.
            (Self::Applied(_), None) => known().is_some_and(|known| known.uid == ours.uid),
            (Self::Deleted(_), same) => same.is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::pass::api::scripted::{object, target};

    /// The object in this version, with the label `tier=web`.
    fn live(uid: &str, version: &str) -> Arc<DynamicObject> {
        let (_, found) = object(version, &json!({ "uid": uid, "generation": null, "labels": { "tier": "web" } }));
        Arc::new(serde_json::from_value(found).unwrap())
    }

    fn seen(uid: &str, version: &str) -> Option<ObjectVersion> {
        Some(ObjectVersion::of(&target(), &live(uid, version)))
    }

    fn applied(intent: u64, uid: &str, version: &str) -> Applied {
        Applied { intent, seen: seen(uid, version).unwrap(), object: live(uid, version) }
    }

    #[test]
    fn an_object_unchanged_since_our_apply_needs_no_apply() {
        let children = Children::default();
        let unchanged = |intent: u64, now: Option<ObjectVersion>| {
            let is_known = |seen: &ObjectVersion| now.is_some_and(|now| now.is_same(seen));
            children.unchanged(&target().to_string(), intent, is_known).is_some()
        };
        assert!(!unchanged(1, seen("u", "5")) && !children.has_written(&target().to_string()));
        children.applied(target().to_string(), applied(1, "u", "5"));
        assert!(children.has_written(&target().to_string()));
        assert!(unchanged(1, seen("u", "5")));
        assert!(!unchanged(2, seen("u", "5")));
        assert!(!unchanged(1, seen("u", "6")) && !unchanged(1, seen("v", "5")) && !unchanged(1, None));
        children.deleted(&target(), seen("u", "5"));
        assert!(!unchanged(1, seen("u", "5")));
    }

    #[test]
    fn a_cache_without_our_last_write_is_stale() {
        let children = Children::default();
        let outran = |cached: Option<ObjectVersion>, known: Option<ObjectVersion>| {
            children.outran(&target(), || cached, || known)
        };
        assert!(!outran(seen("u", "1"), None), "nothing was written");
        children.applied(target().to_string(), applied(1, "u", "5"));
        assert!(outran(seen("u", "4"), None) && !outran(seen("u", "5"), None) && !outran(seen("u", "6"), None));
        // The cache has no object or an earlier one. Our write is newer while its version is known.
        for cached in [None, seen("v", "9")] {
            assert!(outran(cached.clone(), seen("u", "5")));
            assert!(!outran(cached.clone(), None) && !outran(cached, seen("v", "9")));
        }
        children.deleted(&target(), seen("u", "5"));
        assert!(outran(seen("u", "5"), None) && !outran(None, None) && !outran(seen("v", "6"), None));
        children.deleted(&target(), None);
        assert!(!outran(seen("u", "5"), None), "no cache shows it");
    }

    #[test]
    fn a_list_without_our_matching_write_is_stale() {
        let children = Children::default();
        let outran = |selector: &str, cached: Option<ObjectVersion>| {
            children.outran_list(&target().kind, selector, |_| cached.clone(), |_| seen("u", "5"))
        };
        assert!(!outran("tier=web", None));
        children.applied(target().to_string(), applied(1, "u", "5"));
        assert!(outran("tier=web", None) && outran("tier=web", seen("u", "4")) && !outran("tier=web", seen("u", "5")));
        assert!(!outran("tier=db", None), "it need not be in that list");
        assert!(outran("tier=db", seen("u", "4")), "it is still in that list");
        let other = KindInfo::of::<k8s_openapi::api::core::v1::Secret>();
        assert!(!children.outran_list(&other, "tier=web", |_| None, |_| seen("u", "5")));
        children.deleted(&target(), seen("u", "5"));
        assert!(outran("tier=web", seen("u", "5")) && !outran("tier=web", None));
    }

    #[tokio::test(start_paused = true)]
    async fn only_a_repeated_identical_apply_is_contested() {
        let children = Children::default();
        let changed = |intent: u64| {
            let is_again = children.applied(target().to_string(), applied(intent, "u", "5"));
            is_again.then(|| children.corrected(target().to_string())).flatten()
        };
        // Each apply has different content, so none repeats the previous one.
        assert!((0..10).all(|at| changed(at).is_none()));
        assert!((0..3).all(|_| changed(100).is_none()) && children.contested().is_none());
        assert_eq!((changed(100), children.contested()), (Some(Duration::from_secs(1)), Some(Duration::from_secs(1))));
        // The operator itself deleted the object, so the next apply is no correction.
        children.deleted(&target(), None);
        assert_eq!(changed(100), None);
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(children.contested(), None);
    }

    #[test]
    fn an_operation_is_stored_until_it_is_removed() {
        let (children, operation) = (Children::default(), RemoteOperation { handle: "h".into(), generation: 1 });
        children.keep_operation("here", Some(operation));
        assert!(children.operation("here").is_some() && children.operation("there").is_none());
        children.keep_operation("here", None);
        assert!(children.operation("here").is_none());
    }
}
