//! The reconciled object: a kind with a status, typed for its author and type-erased for the engine.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt::Debug;
#[cfg(feature = "operator")]
use std::sync::Arc;

use k8s_openapi::api::core::v1::ObjectReference;
use kube::core::ObjectMeta;
use kube::core::object::HasStatus;
use serde_json::Value;

#[cfg(feature = "operator")]
use crate::condition::Condition;
use crate::pipeline::bare::Bare;
use crate::status::StatusContract;
use crate::status::bare::{BareState, BareStatus};
use crate::status::erased::{AnyStatus, Status, Typed};
use crate::wiring::{Kind, KindInfo, WatcherWiring};

/// A kind that can be reconciled: its status holds conditions.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be reconciled: it has no `#[status]` for its conditions",
    label = "no `#[status]`",
    note = "add `status = \"..\"` to `#[kube(..)]`, and `#[evenkeel::status]` to that struct",
    note = "for a kind of others, write `Bare<{Self}>`, or in a `#[watcher]` the word `plain`, or `bare` with `finalizer = \"..\"`",
    note = "evenkeel 0.1 works with kube 5; `cargo tree -d` shows a second version of kube"
)]
pub trait Primary: Kind + Debug {
    /// The type of its status.
    type Status: StatusContract;

    /// The status, or `None` if the object does not have one yet.
    fn status(&self) -> Option<&Self::Status>;

    /// The state of an object whose status stays in memory.
    #[doc(hidden)]
    fn bare(&self) -> Option<&BareState> {
        None
    }

    #[doc(hidden)]
    fn bare_mut(&mut self) -> Option<&mut BareState> {
        None
    }

    /// Where the status of the kind is stored.
    #[doc(hidden)]
    const STATUS_STORE: StatusStore = StatusStore::Object;
}

/// Where the status of a kind is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StatusStore {
    /// In the object's status, by the API server.
    Object,
    /// In the memory of the process: the kind has no status of ours.
    Memory,
}

#[diagnostic::do_not_recommend]
impl<K: Kind + HasStatus<Status: StatusContract> + Debug> Primary for K {
    type Status = <K as HasStatus>::Status;

    fn status(&self) -> Option<&Self::Status> {
        HasStatus::status(self)
    }
}

#[diagnostic::do_not_recommend]
impl<K: Kind + Debug> Primary for Bare<K> {
    type Status = BareStatus;

    fn status(&self) -> Option<&BareStatus> {
        self.state().status.as_deref()
    }

    fn bare(&self) -> Option<&BareState> {
        Some(self.state())
    }

    fn bare_mut(&mut self) -> Option<&mut BareState> {
        Some(self.state_mut())
    }

    const STATUS_STORE: StatusStore = StatusStore::Memory;
}

/// A type-erased object that is reconciled. The engine is then compiled once for all kinds.
pub(crate) trait AnyObject: Any + Debug + Send + Sync {
    fn meta(&self) -> &ObjectMeta;
    fn meta_mut(&mut self) -> &mut ObjectMeta;
    /// The status, or `None` if the object does not have one yet.
    fn status(&self) -> Option<&dyn AnyStatus>;
    /// The status in the form in which steps write it, empty if the object has none. Calls `see` with the original first.
    fn open_status(&self, see: &mut dyn FnMut(&dyn AnyStatus)) -> (Status, Typed);
    /// The state of an object whose status stays in memory.
    fn bare(&self) -> Option<&BareState>;
    fn bare_mut(&mut self) -> Option<&mut BareState>;
    /// The reference by which events name the object.
    fn reference(&self, kind: &KindInfo) -> ObjectReference;
    /// The object as JSON.
    ///
    /// # Errors
    /// The object cannot be serialized as JSON.
    fn to_value(&self) -> serde_json::Result<Value>;
    /// A clone of the object.
    fn copy(&self) -> Box<Object>;
}

/// A reconciled object of any kind.
pub(crate) type Object = dyn AnyObject;

impl<K: Primary> AnyObject for K {
    fn meta(&self) -> &ObjectMeta {
        kube::Resource::meta(self)
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        kube::Resource::meta_mut(self)
    }

    fn status(&self) -> Option<&dyn AnyStatus> {
        Primary::status(self).map(|status| status as &dyn AnyStatus)
    }

    fn open_status(&self, see: &mut dyn FnMut(&dyn AnyStatus)) -> (Status, Typed) {
        let status = Primary::status(self).cloned().unwrap_or_default();
        see(&status);
        (Typed::open(status), Typed::of::<K::Status>())
    }

    fn bare(&self) -> Option<&BareState> {
        Primary::bare(self)
    }

    fn bare_mut(&mut self) -> Option<&mut BareState> {
        Primary::bare_mut(self)
    }

    fn reference(&self, kind: &KindInfo) -> ObjectReference {
        ObjectReference {
            api_version: Some(kind.resource.api_version.clone()),
            kind: Some(kind.resource.kind.clone()),
            ..kube::Resource::object_ref(self, &())
        }
    }

    fn to_value(&self) -> serde_json::Result<Value> {
        serde_json::to_value(self)
    }

    fn copy(&self) -> Box<Object> {
        Box::new(self.clone())
    }
}

static NO_ANNOTATIONS: BTreeMap<String, String> = BTreeMap::new();

impl dyn AnyObject {
    pub(crate) fn annotations(&self) -> &BTreeMap<String, String> {
        self.meta().annotations.as_ref().unwrap_or(&NO_ANNOTATIONS)
    }

    /// The conditions in the status, or none if there is no status yet.
    #[cfg(feature = "operator")]
    pub(crate) fn conditions(&self) -> &[Condition] {
        self.status().map(AnyStatus::conditions).unwrap_or_default()
    }

    /// The hash of the content, if each change of it is a trigger. For a watcher the generation tells its changes, if the object has one and not
    /// each version counts. A cache that holds no content has a hash of what counts instead.
    pub(crate) fn content(&self, watcher: Option<WatcherWiring>) -> Option<u64> {
        let has_generation = || self.meta().generation.is_some();
        match watcher {
            Some(watcher) if watcher.whole.is_none() && !watcher.any_version && has_generation() => None,
            _ => self.bare().map(|bare| bare.content),
        }
    }

    /// Where the status is stored.
    #[cfg(feature = "operator")]
    pub(crate) fn status_store(&self) -> StatusStore {
        if self.bare().is_some() { StatusStore::Memory } else { StatusStore::Object }
    }

    /// The same object with another status in memory.
    #[cfg(feature = "operator")]
    pub(crate) fn with_bare_status(&self, status: Arc<BareStatus>) -> Arc<Self> {
        let mut object = self.copy();
        if let Some(bare) = object.bare_mut() {
            bare.status = Some(status);
        }
        object.into()
    }

    /// The UID, or an empty string if the object was never stored.
    pub(crate) fn uid(&self) -> &str {
        self.meta().uid.as_deref().unwrap_or_default()
    }

    /// The resource version, or an empty string if the object was never stored.
    pub(crate) fn resource_version(&self) -> &str {
        self.meta().resource_version.as_deref().unwrap_or_default()
    }
}

/// Whether the object is marked for deletion and has none of the owned finalizers left.
/// Finalizers of other controllers may still block its removal.
pub fn is_deleted(meta: &ObjectMeta, is_owned: impl Fn(&str) -> bool) -> bool {
    meta.deletion_timestamp.is_some() && !meta.finalizers.iter().flatten().any(|finalizer| is_owned(finalizer))
}
