//! The registered functions that review writes.

use crate::admission::{Function, Slot};

/// The functions that review writes, and where their service finds the running operator.
#[derive(Default)]
pub(super) struct Reviews {
    pub(super) functions: Vec<Function>,
    pub(super) slot: Slot,
}
