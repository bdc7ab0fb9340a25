//! An in-process Kubernetes API server for tests and examples.

pub mod apply;
pub mod crd;
pub mod discovery;
pub mod patch;
pub mod registry;
pub mod schema;
