//! For tests: one step on its own, and the holes that show that each trigger is needed.

#[cfg(all(feature = "operator", feature = "sabotage"))]
pub mod fault;
#[cfg(feature = "operator")]
pub mod step;
