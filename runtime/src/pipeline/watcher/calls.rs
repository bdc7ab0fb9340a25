//! What a pass knows of the calls of a watcher for its object.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use super::decide::Facts;
use crate::clock::Instant;
use crate::outcome::retry::Retry;
use crate::outcome::{Class, PassError};
use crate::pipeline::object::Object;

/// The calls of a watcher in one pass.
pub(crate) struct Calls {
    /// The start of the pass.
    pub(crate) began: Instant,
    pub(crate) facts: Facts,
    /// The version that was handled last, if the object has changed since and the watcher wants it.
    pub(crate) previous: Option<Arc<Object>>,
    /// The object as it was read before the call (`cache = none`).
    pub(crate) whole: Option<Arc<dyn Any + Send + Sync>>,
    /// A call has succeeded in this pass.
    pub(crate) is_handled: bool,
    /// What the retry policy says of the error of this pass.
    pub(crate) again: Option<Again>,
    /// The call was given up in this pass.
    pub(crate) has_given_up: bool,
}

/// What follows a failed call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Again {
    /// Another try after this time.
    After(Duration),
    /// None, until the object changes or the requeue interval is over.
    GiveUp,
}

/// The reason of a condition after the last try.
const GAVE_UP: &str = "GaveUp";

impl Calls {
    pub(crate) fn new(facts: Facts, previous: Option<Arc<Object>>) -> Self {
        let began = Instant::now();
        Self { began, facts, previous, whole: None, is_handled: false, again: None, has_given_up: false }
    }

    /// The error with the pace of the retry policy.
    pub(crate) fn paced(&mut self, error: PassError) -> PassError {
        match self.again.take() {
            None => error,
            Some(Again::After(pause)) => PassError { retry: Retry::After(pause), ..error },
            Some(Again::GiveUp) => {
                self.has_given_up = true;
                let (class, actions) = (Class::Stalled, Class::Stalled.actions());
                PassError { class, reason: GAVE_UP, retry: Retry::VerySlow, actions, ..error }
            }
        }
    }
}
