//! Objects of other owners that a step would have written: its pass waits for them, whatever the step's own error says.

use std::fmt::Display;

use crate::api::{ApiError, FOREIGN};
use crate::outcome::{Class, PassError};

/// The texts with which objects of other owners were refused to the step that runs.
#[derive(Default)]
pub(crate) struct Refusals(Vec<String>);

impl Refusals {
    /// Takes note of an error that is a refusal. Returns whether it is one.
    pub(super) fn note(&mut self, error: &ApiError) -> bool {
        let ApiError::Foreign(text) = error else { return false };
        self.0.push(text.clone());
        true
    }

    /// Another step begins.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// What stops the step, if its error is a refusal that it handed on: authors class all errors of calls alike, but a wait for another
    /// owner is ended by a watch. An error that does not repeat the refusal is another one, and keeps its class.
    pub(crate) fn handed_on(&self, error: &dyn Display) -> Option<PassError> {
        if self.0.is_empty() {
            return None;
        }
        let error = error.to_string();
        let is_handed_on = self.0.iter().any(|refusal| error.contains(refusal.as_str()));
        let class = Class::Waiting { poll: None };
        is_handed_on.then(|| PassError::new(class, FOREIGN, &error, class.actions()))
    }
}
