//! Built-in and foreign kinds as reconciled kinds: their objects have no status of ours.

use std::borrow::Cow;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use kube::Resource;
use kube::core::ObjectMeta;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::kind::Kind;
use crate::status::bare::BareState;

/// An object of a kind without a status of ours: a built-in kind such as `Pod`, or a custom resource of another project.
///
/// `Bare<Pod>` is a reconciled kind wherever a kind with `#[evenkeel::status]` is one. It dereferences to the object. The differences:
///
/// - No status is written, unless `bare_status(..)` asks for it. The conditions stay in memory: events, metrics and the debug page show them.
/// - After a restart the steps run once for each object, unless `bare_status(annotation)` stores the status.
/// - Each change of the object triggers a reconcile, except a change of `metadata` other than labels, annotations, deletion and finalizer.
/// - `crds` prints no CRD for it.
///
/// ```
/// use evenkeel::Bare;
/// use k8s_openapi::api::core::v1::Pod;
///
/// fn is_finished(pod: &Bare<Pod>) -> bool {
///     let phase = pod.status.as_ref().and_then(|status| status.phase.as_deref());
///     matches!(phase, Some("Succeeded" | "Failed"))
/// }
/// # assert!(!is_finished(&Bare::new(Pod::default())));
/// ```
#[derive(Clone, Debug)]
pub struct Bare<K> {
    // Shared: each reconciler of the kind holds the same object with a state of its own.
    object: Arc<K>,
    state: BareState,
}

/// The metadata of an object of the kind `K`, for a watcher with `cache = metadata`, and for the `delete` of one with `cache = none`.
///
/// The watch requests no content, so that neither the network nor the memory holds it. With `cache = none` the metadata is the name, the
/// namespace, the UID, the resource version, the generation and the deletion; the labels and annotations are not cached.
///
/// ```
/// use evenkeel::Metadata;
/// use k8s_openapi::api::core::v1::Pod;
///
/// fn name(pod: &Metadata<Pod>) -> Option<&str> {
///     pod.metadata.name.as_deref()
/// }
/// # assert_eq!(name(&Metadata::<Pod>::default()), None);
/// ```
pub type Metadata<K> = kube::core::PartialObjectMeta<K>;

impl<K: Kind> Bare<K> {
    /// Wraps an object, as for a test of a step.
    #[must_use]
    pub fn new(mut object: K) -> Self {
        let state = new_state(&mut object);
        Self { object: Arc::new(object), state }
    }

    pub(crate) const fn state(&self) -> &BareState {
        &self.state
    }

    pub(crate) const fn state_mut(&mut self) -> &mut BareState {
        &mut self.state
    }
}

/// The state of an object without a status.
pub(super) fn new_state<T: Resource + Serialize>(object: &mut T) -> BareState {
    BareState { content: content(object), status: None }
}

/// Only an operator compares contents.
#[cfg(not(feature = "operator"))]
fn content<T>(_: &mut T) -> u64 {
    0
}

/// The hash of the object without its metadata. Labels, annotations, the finalizer and the deletion are separate triggers.
#[cfg(feature = "operator")]
fn content<T: Resource + Serialize>(object: &mut T) -> u64 {
    let meta = std::mem::take(object.meta_mut());
    // The order of the fields of a `Value` is fixed, that of a `HashMap` in the object is not.
    let content = serde_json::to_value(&*object).map(|value| value.to_string());
    *object.meta_mut() = meta;
    // An object that cannot be written as JSON changes with each version.
    let content = content.unwrap_or_else(|_| object.meta().resource_version.clone().unwrap_or_default());
    crate::trigger::number(&[&content])
}

impl<K> Deref for Bare<K> {
    type Target = K;

    fn deref(&self) -> &K {
        &self.object
    }
}

impl<K: Kind> DerefMut for Bare<K> {
    fn deref_mut(&mut self) -> &mut K {
        Arc::make_mut(&mut self.object)
    }
}

impl<K: Kind> From<K> for Bare<K> {
    fn from(object: K) -> Self {
        Self::new(object)
    }
}

impl<K: Serialize> Serialize for Bare<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.object.serialize(serializer)
    }
}

impl<'de, K: Kind> Deserialize<'de> for Bare<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        K::deserialize(deserializer).map(Self::new)
    }
}

impl<K: Kind> Resource for Bare<K> {
    type DynamicType = ();
    type Scope = K::Scope;

    fn kind(&(): &()) -> Cow<'_, str> {
        K::kind(&())
    }

    fn group(&(): &()) -> Cow<'_, str> {
        K::group(&())
    }

    fn version(&(): &()) -> Cow<'_, str> {
        K::version(&())
    }

    fn api_version(&(): &()) -> Cow<'_, str> {
        K::api_version(&())
    }

    fn plural(&(): &()) -> Cow<'_, str> {
        K::plural(&())
    }

    fn meta(&self) -> &ObjectMeta {
        self.object.meta()
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        (**self).meta_mut()
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use serde_json::json;

    use super::*;

    fn bare(version: &str, data: &str) -> Bare<ConfigMap> {
        let object = json!({ "metadata": { "name": "a", "resourceVersion": version }, "data": { "k": data } });
        serde_json::from_value(object).unwrap()
    }

    #[test]
    fn the_content_changes_with_the_object_and_not_with_its_version() {
        assert_eq!(bare("1", "x").state().content, bare("2", "x").state().content);
        assert_ne!(bare("1", "x").state().content, bare("1", "y").state().content);
    }

    #[test]
    fn a_change_of_a_clone_leaves_the_original_unchanged() {
        let one = bare("1", "x");
        let mut other = one.clone();
        other.metadata.name = Some("b".into());
        assert_eq!((one.metadata.name.as_deref(), other.metadata.name.as_deref()), (Some("a"), Some("b")));
        let value = serde_json::to_value(&other).unwrap();
        assert_eq!((&value["kind"], &value["metadata"]["name"]), (&json!("ConfigMap"), &json!("b")));
    }
}
