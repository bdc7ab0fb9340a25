//! What a pass knows of the dependents of its object.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::calls::Calls;
use crate::api::{Identity, WantedSets};
use crate::client::StepClient;
use crate::watch::dependents::DependentCache;

/// The calls for the dependents of one component in one pass.
pub(in crate::pass) struct ComponentCalls {
    pub(in crate::pass) cache: DependentCache,
    /// The name of the operator, which each dependent has as a label.
    pub(in crate::pass) operator: Arc<str>,
    /// The sets of this pass.
    pub(in crate::pass) wanted: WantedSets,
    /// The sum over the dependents when the pass last looked.
    pub(in crate::pass) seen: Mutex<u64>,
    /// The clients of steps that act as another user.
    clients: Mutex<HashMap<&'static str, Arc<StepClient>>>,
}

impl ComponentCalls {
    /// The calls of a pass that finds this sum over its dependents.
    pub(in crate::pass) fn new(cache: DependentCache, operator: Arc<str>, seen: u64) -> Self {
        Self { cache, operator, wanted: WantedSets::default(), seen: Mutex::new(seen), clients: Mutex::default() }
    }

    /// The sum over the dependents when the pass last looked.
    pub(in crate::pass) fn seen(&self) -> u64 {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn clients(&self) -> MutexGuard<'_, HashMap<&'static str, Arc<StepClient>>> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the calls of a step act as this user; `own` is the client of the operator.
    pub(in crate::pass) fn act_as(
        &self,
        step: &'static str,
        user: Result<Option<Identity>, String>,
        own: &Arc<StepClient>,
    ) {
        let client = match user {
            Ok(None) => own.clone(),
            Ok(Some(user)) => Arc::new(own.acting_as(&user)),
            Err(why) => Arc::new(own.refusing(&why)),
        };
        self.clients().insert(step, client);
    }

    /// Whether it was said as whom the calls of the step act.
    pub(in crate::pass) fn has_user(&self, step: &str) -> bool {
        self.clients().contains_key(step)
    }

    /// The same calls with the client of their step.
    pub(in crate::pass) fn as_their_user(&self, mut calls: Calls) -> Calls {
        if let Some(client) = self.clients().get(calls.sender.step) {
            calls.sender.client = client.clone();
        }
        calls
    }
}
