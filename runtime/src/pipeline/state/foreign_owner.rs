//! Objects of other owners that a step tried to write. The pass waits for them, whatever the class of the step's own error.

use std::fmt::Display;

use crate::api::{ApiError, FOREIGN};
use crate::outcome::{Class, PassError};

/// The writes that were refused in the current step, since another owner has the object: the message, and whether to poll.
#[derive(Default)]
pub(crate) struct Refusals(Vec<(String, bool)>);

impl Refusals {
    /// Records an error if it is a refusal, and returns whether it is one. `polls`: no watch may show the object of the other owner.
    pub(super) fn note(&mut self, error: &ApiError, polls: bool) -> bool {
        let ApiError::Foreign(text) = error else { return false };
        self.0.push((text.to_string(), polls));
        true
    }

    /// Forgets the refusals when another step begins.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// The pass error of a step that returned a refusal. It is always a wait: authors give all call errors one class, but a watch triggers
    /// the next pass when the other owner changes the object, or the pass is repeated. Any other error retains its class.
    pub(crate) fn handed_on(&self, error: &dyn Display) -> Option<PassError> {
        if self.0.is_empty() {
            return None;
        }
        let error = error.to_string();
        let (_, polls) = self.0.iter().find(|(refusal, _)| error.contains(refusal.as_str()))?;
        let class = if *polls { Class::polling(None) } else { Class::Waiting { poll: None } };
        Some(PassError::new(class, FOREIGN, &error, class.actions()))
    }
}
