//! The types of the conditions that each object may have.

/// The summary condition of the Kubernetes conventions.
pub const READY: &str = "Ready";
/// Present and True while the controller is still at work (kstatus).
pub const RECONCILING: &str = "Reconciling";
/// Present and True while only a person can help (kstatus).
pub const STALLED: &str = "Stalled";
