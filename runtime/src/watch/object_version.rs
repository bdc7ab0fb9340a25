//! The version of a related object, which shows whether it changed.

use kube::api::{DynamicObject, ObjectMeta};

use crate::api::{Target, marked};

/// One version of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ObjectVersion {
    /// The object.
    pub(crate) target: Target,
    /// The uid of the object.
    pub(crate) uid: String,
    /// The generation, or the resourceVersion if the kind has no generation.
    pub(crate) version: String,
    /// The resourceVersion.
    pub(crate) resource_version: String,
    /// The uid of its controller.
    pub(crate) controller: Option<String>,
}

impl ObjectVersion {
    /// The uid and the version for the digest of a pass.
    pub(crate) fn counted_version(&self) -> String {
        format!("{} {}", self.uid, self.resource_version)
    }

    /// Whether the object has the same version.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        (&self.uid, &self.version) == (&other.uid, &other.version)
    }

    pub(crate) fn of(target: &Target, object: &DynamicObject) -> Self {
        Self::of_meta(target, &object.metadata)
    }

    pub(crate) fn of_meta(target: &Target, meta: &ObjectMeta) -> Self {
        let resource_version = meta.resource_version.clone().unwrap_or_default();
        let marked = || marked(&target.kind, meta).map(|owner| owner.reference.uid);
        let controller = meta.owner_references.iter().flatten().find(|owner| owner.controller == Some(true));
        Self {
            target: target.clone(),
            uid: meta.uid.clone().unwrap_or_default(),
            version: meta.generation.map_or_else(|| resource_version.clone(), |generation| generation.to_string()),
            resource_version,
            controller: controller.map_or_else(marked, |owner| Some(owner.uid.clone())),
        }
    }
}
