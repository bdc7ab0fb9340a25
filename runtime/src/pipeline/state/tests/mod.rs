//! Tests of the state of a pass, and the backend that they use.

pub(super) mod exhaustive;
pub(super) mod no_backend;
mod progress;
