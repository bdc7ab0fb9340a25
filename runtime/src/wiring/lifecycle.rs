//! Handlers that run in addition to the steps: claim, hooks, daemons and observer.

use std::time::Duration;

use super::handler::{ClaimStep, DaemonTask, UndoStep};
use super::step::{StepWiring, When};

/// The function that may change metadata and spec before the finalizer is stored.
#[derive(Clone, Copy, Debug)]
pub struct ClaimHandler {
    /// The name of the function and its errors.
    pub step: &'static StepWiring,
    /// Whether it changes nothing but the object. Only such a claim runs in a dry run.
    pub is_pure: bool,
    /// Runs the function.
    #[doc(hidden)]
    pub run: ClaimStep,
}

/// A hook, which runs at one point in the lifecycle of an object.
#[derive(Clone, Copy, Debug)]
pub struct HookHandler {
    /// The point at which the hook runs.
    pub when: When,
    /// The name of the hook and its errors.
    pub step: &'static StepWiring,
    /// Runs the hook.
    #[doc(hidden)]
    pub run: UndoStep,
}

/// A daemon, a long-running task beside the passes of an object.
#[derive(Clone, Copy, Debug)]
pub struct DaemonHandler {
    /// The name of the daemon and its errors.
    pub step: &'static StepWiring,
    /// The time limit of one run; `None`: unlimited.
    pub timeout: Option<Duration>,
    /// Runs the daemon.
    #[doc(hidden)]
    pub run: DaemonTask,
}

/// The function that runs instead of the steps if the policy forbids changes.
#[derive(Clone, Copy, Debug)]
pub struct ObserveHandler {
    /// The declarations of the function.
    pub step: StepWiring,
    /// Runs the function.
    #[doc(hidden)]
    pub run: UndoStep,
}
