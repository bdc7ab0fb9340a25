//! Calls to the API server that failed in the current step. An error of the step that comes from one of them does not always keep its class.

use std::fmt::Display;

use crate::api::ApiError;
use crate::outcome::Class;

/// Why a call failed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Failure {
    /// The object belongs to another owner. Contains what the step waits for: a watch, or a poll if no watch may show a change.
    Foreign(Class),
    /// Anything else. No watch triggers a pass when the API server answers again.
    Failed,
}

/// The calls that failed in the current step: the message of each, and why.
#[derive(Default)]
pub(crate) struct FailedCalls(Vec<(String, Failure)>);

impl FailedCalls {
    /// Records a failed call. `polls`: no watch may show a change to an object of another owner.
    pub(super) fn note(&mut self, error: &ApiError, polls: bool) {
        let failure = match error {
            ApiError::Foreign(_) if polls => Failure::Foreign(Class::polling(None)),
            ApiError::Foreign(_) => Failure::Foreign(Class::Waiting { poll: None }),
            _ => Failure::Failed,
        };
        self.0.push((error.to_string(), failure));
    }

    /// Forgets the calls when another step begins.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Why the call failed from which the error of the step comes: the error contains the message of the call. With several such calls, an
    /// object of another owner comes first, since the step cannot succeed before it is gone.
    pub(crate) fn behind(&self, error: &dyn Display) -> Option<Failure> {
        if self.0.is_empty() {
            return None;
        }
        let error = error.to_string();
        let causes = self.0.iter().filter(|(message, _)| error.contains(message.as_str())).map(|(_, failure)| *failure);
        causes.max_by_key(|failure| matches!(failure, Failure::Foreign(_)))
    }
}
