//! Objects of other owners that a step would have written: its pass waits for them, whatever the step's own error says.

use std::fmt::Display;

use super::Draft;
use crate::api::{ApiError, FOREIGN};
use crate::outcome::{Class, Halt};

impl Draft {
    /// Takes note of a refusal, so that a change of the object triggers a reconcile. Any other error is handed on as it is.
    pub(crate) fn blocked_by(&mut self, object: &str, error: ApiError) -> ApiError {
        if let ApiError::Foreign(text) = &error {
            self.references.insert(object.to_owned());
            self.foreign.push(text.clone());
        }
        error
    }

    /// What stops the step, if its error is a refusal that it handed on: authors class all errors of calls alike, but a wait for another
    /// owner is ended by a watch. An error that does not repeat the refusal is another one, and keeps its class.
    pub(crate) fn waits_for_owner(&self, error: &dyn Display) -> Option<Halt> {
        if self.foreign.is_empty() {
            return None;
        }
        let error = error.to_string();
        let is_handed_on = self.foreign.iter().any(|refusal| error.contains(refusal.as_str()));
        let class = Class::Waiting { poll: None };
        is_handed_on.then(|| Halt::new(class, FOREIGN, &error, class.actions()))
    }
}
