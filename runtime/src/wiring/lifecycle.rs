//! What runs beside the steps: a claim, hooks, the observer.

use super::handler::{ClaimStep, UndoStep};
use super::step::{StepWiring, When};

/// What prepares an object before its finalizer is stored.
#[derive(Clone, Copy, Debug)]
pub struct ClaimHandler {
    /// Its name, and the errors that it fails with.
    pub step: &'static StepWiring,
    /// Runs it.
    #[doc(hidden)]
    pub run: ClaimStep,
}

/// What runs at a point in the life of an object, beside the steps.
#[derive(Clone, Copy, Debug)]
pub struct HookHandler {
    /// When it runs.
    pub when: When,
    /// Its name, and the errors that it fails with.
    pub step: &'static StepWiring,
    /// Runs it.
    #[doc(hidden)]
    pub run: UndoStep,
}

/// What runs instead of the steps where the policy forbids to change anything.
#[derive(Clone, Copy, Debug)]
pub struct ObserveHandler {
    /// What it declared.
    pub step: StepWiring,
    /// Runs it.
    #[doc(hidden)]
    pub run: UndoStep,
}
