//! Condition types that every object may have.

/// The summary condition of the Kubernetes API conventions.
pub const READY: &str = "Ready";
/// Present and True while the controller is still working on the object (kstatus).
pub const RECONCILING: &str = "Reconciling";
/// Present and True while the object requires action by a person (kstatus).
pub const STALLED: &str = "Stalled";
