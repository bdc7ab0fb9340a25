//! Generated knowledge: what the wiring of a reconciler says, as a graph, a reference page, a contract, and a list of rights.
//!
//! All of it is computed from [`WIRING`](crate::Reconciler::WIRING), so it cannot drift from the code. The command line prints it
//! (`wiring`, `docs`, `contract`, `rights`); a test may compare it with what is in the repository.

mod contract;
mod error;
#[cfg(test)]
mod fixture;
mod flow;
mod graph;
mod knowledge;
mod mermaid;
mod page;
mod printer_column;
mod rbac;
mod reason;
mod table;

pub use self::contract::{Change, ConditionContract, Contract, ReconcilerContract, Semver};
pub use self::knowledge::Knowledge;
pub use self::rbac::{Right, Verb};

#[cfg(feature = "operator")]
pub(crate) use self::printer_column::add_columns;
pub use self::printer_column::crd;
#[cfg(feature = "operator")]
pub(crate) use self::rbac::{rights, text};
