//! Kinds that are known when the program starts: their objects are reconciled as JSON.

use std::borrow::Cow;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use kube::Resource;
use kube::core::{DynamicObject, NamespaceResourceScope, ObjectMeta};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::pipeline::bare::new_state;
use crate::pipeline::object::{Primary, StatusStore};
use crate::status::bare::{BareState, BareStatus};

/// An object of a kind that is known when the program starts, such as one that a flag names.
///
/// It dereferences to kube's `DynamicObject`: `spec` and everything else but the metadata is JSON in the field `data`.
/// Otherwise it works as a [`Bare`](crate::Bare) object: its status stays in memory.
///
/// Add the reconciler with [`Operator::dynamic_reconciler`](crate::Operator::dynamic_reconciler), which takes the kind.
///
/// ```
/// use evenkeel::Dynamic;
///
/// fn replicas(object: &Dynamic) -> Option<i64> {
///     object.data["spec"]["replicas"].as_i64()
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Dynamic {
    object: Arc<DynamicObject>,
    state: BareState,
}

impl From<DynamicObject> for Dynamic {
    fn from(mut object: DynamicObject) -> Self {
        let state = new_state(&mut object);
        Self { object: Arc::new(object), state }
    }
}

impl Deref for Dynamic {
    type Target = DynamicObject;

    fn deref(&self) -> &DynamicObject {
        &self.object
    }
}

impl DerefMut for Dynamic {
    fn deref_mut(&mut self) -> &mut DynamicObject {
        Arc::make_mut(&mut self.object)
    }
}

impl Serialize for Dynamic {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.object.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Dynamic {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        DynamicObject::deserialize(deserializer).map(Self::from)
    }
}

#[diagnostic::do_not_recommend]
impl Primary for Dynamic {
    type Status = BareStatus;

    fn status(&self) -> Option<&BareStatus> {
        self.state.status.as_deref()
    }

    fn bare(&self) -> Option<&BareState> {
        Some(&self.state)
    }

    fn bare_mut(&mut self) -> Option<&mut BareState> {
        Some(&mut self.state)
    }

    const STATUS_STORE: StatusStore = StatusStore::Memory;
}

/// The static kind is never used: the operator gets the kind as a value. The scope is the one whose objects may own namespaced objects only,
/// as the real scope is unknown.
impl Resource for Dynamic {
    type DynamicType = ();
    type Scope = NamespaceResourceScope;

    fn kind(&(): &()) -> Cow<'_, str> {
        "Dynamic".into()
    }

    fn group(&(): &()) -> Cow<'_, str> {
        "".into()
    }

    fn version(&(): &()) -> Cow<'_, str> {
        "v1".into()
    }

    fn plural(&(): &()) -> Cow<'_, str> {
        "dynamics".into()
    }

    fn meta(&self) -> &ObjectMeta {
        &self.object.metadata
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut Arc::make_mut(&mut self.object).metadata
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_dynamic_object_survives_json_and_shows_its_fields() {
        let json = json!({
            "apiVersion": "example.com/v1", "kind": "Thing", "metadata": { "name": "a" }, "spec": { "size": 3 },
        });
        let mut object: Dynamic = serde_json::from_value(json.clone()).unwrap();
        assert_eq!((&object.data["spec"]["size"], object.metadata.name.as_deref()), (&json!(3), Some("a")));
        assert_eq!(serde_json::to_value(&object).unwrap(), json);
        let before = object.bare().unwrap().content;
        object.data["spec"]["size"] = json!(4);
        let other: Dynamic = serde_json::from_value(serde_json::to_value(&object).unwrap()).unwrap();
        assert_ne!(other.bare().unwrap().content, before);
    }
}
