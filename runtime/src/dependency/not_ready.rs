//! The error of a step that requires another object to be ready.

use std::fmt;
use std::marker::PhantomData;

use super::Reference;
use crate::kind::{Kind, TriggeredBy};

/// An object that a step needs is not ready.
///
/// Only [`Cx::require_ready`](crate::Cx::require_ready) creates this error, for a kind that is watched. A change to the
/// object triggers a reconcile.
pub struct NotReady<K> {
    reference: Reference,
    why: String,
    kind: PhantomData<fn() -> K>,
}

impl<K: Kind> NotReady<K> {
    pub(crate) fn new(reference: Reference, why: impl Into<String>) -> Self {
        Self { reference, why: why.into(), kind: PhantomData }
    }

    /// The reference to the object.
    #[must_use]
    pub fn reference(&self) -> &Reference {
        &self.reference
    }
}

impl<K: Kind> fmt::Display for NotReady<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} \"{}\" is not ready: {}", K::kind(&()), self.reference, self.why)
    }
}

impl<K: Kind> fmt::Debug for NotReady<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NotReady({self})")
    }
}

impl<K: Kind> std::error::Error for NotReady<K> {}

impl<K: Kind> TriggeredBy for NotReady<K> {
    type Kind = K;
}
