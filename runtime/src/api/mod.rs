//! The interface between a pass and the API server. Every call of a step uses it, so calls can be counted, traced and
//! made to fail.

#[cfg(feature = "operator")]
pub(crate) mod adoption;
#[cfg(feature = "dependents")]
mod dependents;
mod detail;
mod dry_run;
mod error;
#[cfg(feature = "dependents")]
mod former_objects;
#[cfg(all(feature = "dependents", feature = "operator"))]
pub(crate) mod former_owner;
#[cfg(feature = "operator")]
pub(crate) mod grant;
#[cfg(feature = "dependents")]
mod identity;
#[cfg(feature = "dependents")]
mod kind_discovery;
#[cfg(feature = "operator")]
mod mark;
#[cfg(feature = "dependents")]
mod other_objects;
#[cfg(any(feature = "dependents", feature = "operator"))]
mod response;
#[cfg(feature = "dependents")]
mod step_site;
mod target;
#[cfg(all(feature = "dependents", feature = "operator"))]
mod wanted_sets;
mod warned;

use std::any::Any;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use kube::core::{DynamicObject, ObjectMeta};

pub(crate) use self::error::FOREIGN;
#[cfg(feature = "operator")]
pub(crate) use self::mark::{Owner, group, marked};
// A glob, so that documentation and the public API listing keep the path `backend::ApiError`.
#[cfg(feature = "dependents")]
pub use self::dependents::{DependentCalls, KeptObject, ObjectCall};
pub use self::detail::ErrorDetail;
pub use self::dry_run::DryRunLog;
pub use self::error::*;
#[cfg(feature = "dependents")]
pub use self::former_objects::FormerObjects;
#[cfg(feature = "dependents")]
pub use self::identity::Identity;
#[cfg(feature = "dependents")]
pub use self::kind_discovery::KindDiscovery;
#[cfg(feature = "dependents")]
pub use self::other_objects::{OtherObjects, Types};
#[cfg(feature = "dependents")]
pub use self::step_site::{Kubeconfig, StepSite};
#[cfg(feature = "operator")]
pub(crate) use self::target::Watched;
pub use self::target::{Selection, Target};
#[cfg(all(feature = "dependents", feature = "operator"))]
pub(crate) use self::wanted_sets::WantedSets;
pub use self::warned::Warned;
use crate::dependency::Access;
#[cfg(feature = "dependents")]
use crate::outcome::PassError;
use crate::status::desired::DesiredStatus;
use crate::status::operation::RemoteOperation;
use crate::wiring::{KindInfo, Relation};

/// A boxed future, of the same type as `futures::future::BoxFuture`.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The calls that a pass can make.
///
/// The operator implements this trait with its caches and its client. A test may supply another implementation. `step`
/// is the name of the calling step, under which the call is counted.
pub trait Backend: Send + Sync {
    /// Reads an object according to the declared relation. Returns `None` if the object does not exist.
    fn get(
        &self,
        step: &'static str,
        relation: Relation,
        target: Target,
    ) -> BoxFuture<'_, Result<Option<Arc<DynamicObject>>, ApiError>>;
    /// Lists all objects of a selection, ordered by namespace and name.
    fn list(
        &self,
        step: &'static str,
        relation: Relation,
        selection: Selection,
    ) -> BoxFuture<'_, Result<Vec<Arc<DynamicObject>>, ApiError>>;
    /// Lists the metadata of all objects of a selection. For an owned kind, lists the objects that the reconciled
    /// object owns.
    fn metadata(
        &self,
        step: &'static str,
        relation: Relation,
        selection: Selection,
    ) -> BoxFuture<'_, Result<Vec<ObjectMeta>, ApiError>>;
    /// Lists the objects of the kind that the reconciled object owns, ordered by namespace and name.
    fn owned(&self, step: &'static str, kind: KindInfo) -> BoxFuture<'_, Result<Vec<Target>, ApiError>>;
    /// Writes an owned object, given as JSON, by server-side apply with the reconciler's field manager and an owner reference.
    ///
    /// An existing object that the reconciled object does not own is taken over if the relation allows it, and otherwise
    /// [refused](ApiError::Foreign).
    fn apply(
        &self,
        step: &'static str,
        relation: Relation,
        target: Target,
        json: String,
    ) -> BoxFuture<'_, Result<Arc<DynamicObject>, ApiError>>;
    /// Deletes an owned object. A missing object is not an error; an object that is not owned is
    /// [refused](ApiError::Foreign).
    fn delete(&self, step: &'static str, target: Target) -> BoxFuture<'_, Result<(), ApiError>>;
    /// Writes the status during a pass and replaces the status that was found.
    ///
    /// An `urgent` status is written even if the spec has changed since the pass began.
    fn record(
        &self,
        step: &'static str,
        found: DesiredStatus,
        intent: DesiredStatus,
        urgent: bool,
    ) -> BoxFuture<'_, Result<(), ApiError>>;
    /// Returns the operation at this place in the code that runs for the reconciled object, if this process knows one.
    #[doc(hidden)]
    fn operation(&self, _place: &'static str) -> Option<RemoteOperation> {
        None
    }
    /// Records that the operation runs, or that it has ended.
    #[doc(hidden)]
    fn keep_operation(&self, _place: &'static str, _operation: Option<RemoteOperation>) {}
    /// The calls for dependents; `None`: this is a trial of a step, which has none.
    #[doc(hidden)]
    #[cfg(feature = "dependents")]
    fn dependents(&self) -> Option<&dyn DependentCalls> {
        None
    }
    /// The policy of the operator for references to other namespaces.
    fn access(&self) -> Access {
        Access::default()
    }
    /// The log of the dry run, if this is one.
    #[doc(hidden)]
    fn dry_run(&self) -> Option<&'static dyn DryRunLog> {
        None
    }
    /// The warnings that were logged for this reconciler.
    fn warned(&self) -> &Warned;
    /// Records the end of a step.
    #[doc(hidden)]
    fn step_ended(&self, _step: &'static str, _how: &'static str, _took: Duration) {}
    /// Records the end of a call of a watcher.
    #[doc(hidden)]
    fn call_ended(&self, _event: &'static str, _how: &'static str, _took: Duration) {}
    /// Records the error of a step.
    #[doc(hidden)]
    #[cfg(feature = "dependents")]
    fn step_failed(&self, _step: &'static str, _error: &PassError) {}
    /// The client for the calls that the step declares with `uses(..)`.
    #[cfg(feature = "operator")]
    fn client(&self, step: &'static str, relations: &'static [Relation]) -> kube::Client;
    /// The epoch of the term in which this replica works; 0 without an election.
    fn epoch(&self) -> u64 {
        0
    }
    /// Records that a step runs blocking work, until the result is dropped.
    fn blocks(&self, _step: &'static str) -> Option<Box<dyn Any + Send>> {
        None
    }
    /// Starts blocking work immediately. It runs to completion even if the returned future is dropped, and the key of
    /// the object stays in use until then.
    fn blocking(&self, work: Box<dyn FnOnce() + Send>) -> BoxFuture<'static, ()>;
}
