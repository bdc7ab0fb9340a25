//! What runs one function of an author, whatever reconciler it is of: the types of the wiring, filled in by the pipeline.

use std::any::Any;
use std::future::Future;
use std::pin::Pin;

use crate::outcome::PassResult;

/// The object, the dependencies or the state of a pass, without its type.
pub type Erased = dyn Any + Send + Sync;

/// What such a function comes to.
type Run<'a> = Pin<Box<dyn Future<Output = PassResult> + Send + 'a>>;

/// Undoes a step. Object and dependencies are those of the reconciler in whose wiring it stands; the last is the state of the pass.
pub type UndoStep = for<'a> fn(&'a Erased, &'a Erased, &'a mut Erased) -> Run<'a>;

/// As [`UndoStep`], for what changes the object.
pub type ClaimStep = for<'a> fn(&'a mut Erased, &'a Erased, &'a mut Erased) -> Run<'a>;
