//! Test support for operators: runs one step in isolation, and clients for replicas.

#[cfg(all(feature = "operator", feature = "__test-hooks"))]
pub mod fault;
#[cfg(feature = "lease")]
mod fenced_client;
#[cfg(feature = "operator")]
mod step;

#[cfg(feature = "lease")]
pub use self::fenced_client::fenced_client;
#[cfg(feature = "lease")]
pub use crate::client::Fenced;

#[cfg(feature = "operator")]
pub use self::step::{StepRun, run_step};
