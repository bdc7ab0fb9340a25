//! The part of a status about one set of dependents.

use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The sets of dependents of an object, by `<reconciler>/<step>`.
pub type SetStatuses = BTreeMap<String, SetStatus>;

/// The most dependents that the status names.
#[cfg(feature = "dependents")]
const MOST_NOT_READY: usize = 20;

/// The most dependents that an inventory lists.
#[cfg(feature = "dependents")]
const MOST_LISTED: usize = 500;

/// Removes the defaults of the fields. With them, the API server would add fields to a status that has none.
fn without_defaults(schema: &mut Schema) {
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for property in properties.into_iter().flatten().filter_map(|(_, property)| property.as_object_mut()) {
        property.remove("default");
    }
}

/// The first of these objects: as many as an inventory lists.
#[cfg(feature = "dependents")]
pub(crate) fn inventory(objects: impl Iterator<Item = SetObject>) -> Vec<SetObject> {
    objects.take(MOST_LISTED).collect()
}

/// The first of these objects: as many as the status names.
#[cfg(feature = "dependents")]
pub(crate) fn most_not_ready(mut objects: Vec<NotReadyObject>) -> Vec<NotReadyObject> {
    objects.truncate(MOST_NOT_READY);
    objects
}

/// What the status of a component says about one set of dependents.
///
/// It lists the dependents only for other tools (`inventory = all`): the framework finds them by their marks. The kinds are stored before the first object of a kind is created, so that
/// no object is forgotten when the operator stops at any time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(transform = without_defaults)]
#[non_exhaustive]
pub struct SetStatus {
    /// The kinds that the objects of the set may have, such as `Deployment.apps`.
    pub kinds: Vec<String>,
    /// The uid of the cluster that has the objects, if it is not that of the object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// The domain of the marks of its objects, if it is not `evenkeel.dev`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marks: Option<String>,
    /// The digest of all manifests.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// The number of changes of the digest.
    pub revision: i64,
    /// Whether all objects are as their manifests and ready.
    pub ready: bool,
    /// Since when the objects of this digest are ready, or have been waited for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    pub since: Option<Timestamp>,
    /// The number of manifests.
    pub wanted: i32,
    /// The number of objects that are ready.
    pub ready_objects: i32,
    /// Objects that are not ready: at most 20.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_ready: Vec<NotReadyObject>,
    /// The objects, in the order of their waves: at most 500, and only with `inventory = all`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<SetObject>,
    /// The objects that were ready and have been purged, with the digests of their manifests.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub completed: BTreeMap<String, String>,
    /// A hash over the fields that were applied, by which changes are found that others made while no operator ran.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub applied: String,
}

impl SetStatus {
    /// Removes what changes with each object of the present wave that becomes ready.
    #[cfg(feature = "dependents")]
    pub(crate) fn forget_progress(&mut self) {
        let wave = self.not_ready.first().map(|object| object.wave);
        self.not_ready = wave.map(|wave| NotReadyObject { wave, ..NotReadyObject::default() }).into_iter().collect();
        self.objects.iter_mut().for_each(|object| object.ready = false);
        self.ready_objects = 0;
    }
}

/// A dependent that is not ready.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(transform = without_defaults)]
#[non_exhaustive]
pub struct NotReadyObject {
    /// Kind, namespace and name.
    pub object: String,
    /// Its wave.
    pub wave: i16,
    /// What it waits for.
    pub message: String,
}

/// A dependent in the inventory of a set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(transform = without_defaults)]
#[non_exhaustive]
pub struct SetObject {
    /// Its API group; empty for the core group.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// Its kind.
    pub kind: String,
    /// Its namespace; `None` if it is cluster-scoped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Its name.
    pub name: String,
    /// Its wave.
    pub wave: i16,
    /// Whether it is as wanted and ready.
    pub ready: bool,
}
