//! Watchers: reconcilers of one step, which calls a method for each kind of event.

pub(crate) mod calls;
pub(crate) mod decide;
pub(crate) mod event;
pub(crate) mod handled;

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use kube::core::DynamicObject;

use crate::kind::{Kind, typed_or_why};
use crate::pipeline::reconciler::Reconciler;

/// A watcher. `#[watcher]` implements it on the struct, or on a type with the name of the function.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a watcher",
    label = "not a `#[watcher]`",
    note = "mark the `impl` or the function with `#[watcher]`, or register it by `reconciler`"
)]
pub trait Watcher: Reconciler {}

/// The function of `retry = policy`: the delay until the next try after an error and this number of earlier tries; `None` gives up.
pub type RetryPolicy<E> = fn(&E, u32) -> Option<Duration>;

/// Decodes the object that is read before a call (`cache = none`).
///
/// # Errors
/// The object does not fit its type.
pub fn decode_whole<K: Kind>(object: &DynamicObject) -> Result<Arc<dyn Any + Send + Sync>, String> {
    typed_or_why::<K>(object).map(|object| Arc::new(object) as Arc<dyn Any + Send + Sync>)
}
