//! Faults of SAP's component reconciler that evenkeel does not have.
//!
//! The guide lists them (`runtime/src/guide/sap_faults.md`). The number of a fault stands in the name of its test, here and elsewhere.

mod change;
mod end;
mod rest;
mod status;
mod types;
