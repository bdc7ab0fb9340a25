//! The port between a pass and the API server: every call of a step goes through it, so it can be counted, traced and failed.

#[cfg(feature = "operator")]
pub(crate) mod adoption;
mod error;
#[cfg(feature = "operator")]
pub(crate) mod grant;
mod target;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use kube::core::{DynamicObject, ObjectMeta};

pub(crate) use self::error::FOREIGN;
// A glob, so that `backend::ApiError` stays the path that documentation and the file of the public API name.
pub use self::error::*;
#[cfg(feature = "operator")]
pub(crate) use self::target::Selected;
pub use self::target::Target;
use crate::dependency::Access;
use crate::status::desired::DesiredStatus;
use crate::status::operation::RemoteOperation;
use crate::wiring::{KindInfo, Relation};

/// A future on the heap: the same type as that of this name in `futures`.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What a pass can do. The operator implements it over the caches and the client; a test may give one of its own. `step` is the name of
/// the step that calls: its calls are counted under it.
pub trait Backend: Send + Sync {
    /// Reads an object in the declared way. `None`: it is not there.
    fn get(
        &self,
        step: &'static str,
        relation: Relation,
        target: Target,
    ) -> BoxFuture<'_, Result<Option<Arc<DynamicObject>>, ApiError>>;
    /// All objects of a [selection](Target::selection), ordered by namespace and name.
    fn list(
        &self,
        step: &'static str,
        relation: Relation,
        target: Target,
    ) -> BoxFuture<'_, Result<Vec<Arc<DynamicObject>>, ApiError>>;
    /// Of all objects of a selection the metadata, or of those of the kind that the reconciled object owns.
    fn metadata(
        &self,
        step: &'static str,
        relation: Relation,
        target: Target,
    ) -> BoxFuture<'_, Result<Vec<ObjectMeta>, ApiError>>;
    /// The names of the objects of the kind that are owned by the reconciled one, in order.
    fn owned(&self, step: &'static str, kind: KindInfo) -> BoxFuture<'_, Result<Vec<String>, ApiError>>;
    /// Server-side apply of an owned object under the reconciler's field manager, owner reference included. One that is there already
    /// and not ours is taken over as the relation says, and [refused](ApiError::Foreign) otherwise.
    fn apply(
        &self,
        step: &'static str,
        relation: Relation,
        target: Target,
        object: serde_json::Value,
    ) -> BoxFuture<'_, Result<Arc<DynamicObject>, ApiError>>;
    /// Deletes an owned object; one that is not there is fine, and one that is not ours is [refused](ApiError::Foreign).
    fn delete(&self, step: &'static str, target: Target) -> BoxFuture<'_, Result<(), ApiError>>;
    /// Writes the status in the middle of a pass and replaces the status that was found. An `urgent` status is written although the spec
    /// has changed since the pass began.
    fn record(
        &self,
        step: &'static str,
        found: DesiredStatus,
        intent: DesiredStatus,
        urgent: bool,
    ) -> BoxFuture<'_, Result<(), ApiError>>;
    /// The operation of this place in the code that runs for the reconciled object, as far as this process knows.
    #[doc(hidden)]
    fn operation(&self, _place: &'static str) -> Option<RemoteOperation> {
        None
    }
    /// Remembers that it runs, or that it has ended.
    #[doc(hidden)]
    fn keep_operation(&self, _place: &'static str, _operation: Option<RemoteOperation>) {}
    /// Which references to other namespaces the operator allows.
    fn access(&self) -> Access {
        Access::default()
    }
    /// Takes note of the end of a step.
    #[doc(hidden)]
    fn step_ended(&self, _step: &'static str, _how: &'static str, _took: Duration) {}
    /// Runs blocking work from now on, also where nobody awaits its end; the key of the object stays taken until then.
    fn blocking(&self, work: Box<dyn FnOnce() + Send>) -> BoxFuture<'static, ()>;
}
