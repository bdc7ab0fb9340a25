//! What a pass knows of the dependents of its object.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::dependent_rules::manifest::ObjectId;
use crate::watch::dependents::DependentCache;

/// The calls for the dependents of one component in one pass.
pub(in crate::pass) struct ComponentCalls {
    pub(in crate::pass) cache: DependentCache,
    /// The name of the operator, which each dependent has as a label.
    pub(in crate::pass) operator: Arc<str>,
    /// The sets of this pass, by step.
    wanted: Mutex<HashMap<&'static str, Vec<ObjectId>>>,
    /// The sum over the dependents when the pass last looked.
    pub(in crate::pass) seen: Mutex<u64>,
}

impl ComponentCalls {
    /// The calls of a pass that finds this sum over its dependents.
    pub(in crate::pass) fn new(cache: DependentCache, operator: Arc<str>, seen: u64) -> Self {
        Self { cache, operator, wanted: Mutex::default(), seen: Mutex::new(seen) }
    }

    /// The sum over the dependents when the pass last looked.
    pub(in crate::pass) fn seen(&self) -> u64 {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(in crate::pass) fn wanted(&self) -> MutexGuard<'_, HashMap<&'static str, Vec<ObjectId>>> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
