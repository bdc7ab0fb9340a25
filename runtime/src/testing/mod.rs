//! Test support for operators: runs one step in isolation.

#[cfg(all(feature = "operator", feature = "__test-hooks"))]
pub mod fault;
#[cfg(feature = "operator")]
mod step;

#[cfg(feature = "operator")]
pub use self::step::{StepRun, run_step};
