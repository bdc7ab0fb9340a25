//! What a step gets that needs another object to be ready, and it is not.

use std::fmt;
use std::marker::PhantomData;

use super::Reference;
use crate::kind::{Kind, WakeUp};

/// An object that a step needs is not ready. Only [`Cx::require_ready`](crate::Cx::require_ready) makes one, where the kind is watched:
/// its change wakes.
pub struct NotReady<K> {
    reference: Reference,
    why: String,
    kind: PhantomData<fn() -> K>,
}

impl<K: Kind> NotReady<K> {
    pub(crate) fn new(reference: Reference, why: impl Into<String>) -> Self {
        Self { reference, why: why.into(), kind: PhantomData }
    }

    /// The object that was asked for.
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

impl<K: Kind> WakeUp for NotReady<K> {
    type Kind = K;
}
