//! The owned and watched objects that a pass depends on, as it read them.

use std::collections::BTreeMap;
use std::sync::Arc;

use kube::api::DynamicObject;

use crate::api::Target;
use crate::watch::ObjectVersion;

/// What a pass depends on: one number for all owned objects, uid and version for each watched one, and the hash of the settings.
#[derive(Clone, Debug, Default)]
pub(in crate::pass) struct Tracked {
    pub(in crate::pass) owned: u64,
    pub(in crate::pass) watched: BTreeMap<String, String>,
    /// The settings that were in force before the steps ran; empty unless a step reads them.
    pub(in crate::pass) settings: Arc<str>,
}

impl Tracked {
    /// Adds the change of the owned number that our own write caused.
    pub(in crate::pass) fn moved(&mut self, by: u64) {
        self.owned = self.owned.wrapping_add(by);
    }

    /// Records the version that a pass reads first. A later version triggers another reconcile.
    pub(in crate::pass) fn read(&mut self, target: &Target, found: Option<&DynamicObject>) {
        let version = watched_version(found.map(|object| ObjectVersion::of(target, object)).as_ref());
        self.watched.entry(target.to_string()).or_insert(version);
    }
}

/// The digest entry of a watched object, which any change of the object changes.
pub(in crate::pass) fn watched_version(seen: Option<&ObjectVersion>) -> String {
    seen.map_or_else(|| "absent".into(), |seen| format!("{} {}", seen.uid, seen.resource_version))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use k8s_openapi::api::core::v1::Secret;

    use super::*;
    use crate::wiring::KindInfo;

    #[test]
    fn a_new_uid_or_version_changes_the_watched_version() {
        let seen = |uid: &str, version: &str| {
            let target = Target { kind: KindInfo::of::<Secret>(), namespace: None, name: "x".into() };
            let meta = serde_json::json!({ "uid": uid, "resourceVersion": version, "generation": 1 });
            watched_version(Some(&ObjectVersion::of_meta(&target, &serde_json::from_value(meta).unwrap())))
        };
        let all: BTreeSet<_> = [seen("u", "1"), seen("u", "2"), seen("v", "1"), watched_version(None)].into();
        assert_eq!(all.len(), 4);
    }
}
