//! Type-erased handlers: the author's functions, as the pipeline registers them in the wiring.

use std::any::Any;
use std::future::Future;
use std::pin::Pin;

use crate::outcome::PassResult;

/// The object, the dependencies or the state of a pass, with its type erased.
pub(crate) type Erased = dyn Any + Send + Sync;

/// The future of a handler.
type Run<'a> = Pin<Box<dyn Future<Output = PassResult> + Send + 'a>>;

/// Undoes a step.
///
/// The parameters are the object and the dependencies of the reconciler to which the wiring belongs, and the state of
/// the pass.
pub(crate) type UndoStep = for<'a> fn(&'a Erased, &'a Erased, &'a mut Erased) -> Run<'a>;

/// Reads the settings of a set from the object.
pub(crate) type ReadSettings = for<'a> fn(&'a Erased) -> Box<dyn Any>;

/// Like [`UndoStep`], for a daemon. The last parameter is its handle.
pub(crate) type DaemonTask = for<'a> fn(&'a Erased, &'a Erased, &'a Erased) -> Run<'a>;

/// Like [`UndoStep`], for a function that changes the object.
pub(crate) type ClaimStep = for<'a> fn(&'a mut Erased, &'a Erased, &'a mut Erased) -> Run<'a>;
