//! Dependents: the set of objects that a step renders, and the rules by which the cluster is brought in line with it.
//!
//! Everything here is pure: which policies hold for an object, what is sent of a manifest, in which order, what the next calls are, and what
//! their responses say. The source of the rules is the component reconciler of SAP.

pub mod manifest;
pub mod order;
pub mod plan;
pub mod policy;
pub mod response;
