//! Generated knowledge: what the wiring of a reconciler says, as a graph, a reference page, a contract, and a list of RBAC rules.
//!
//! All of it is computed from [`WIRING`](crate::Reconciler::WIRING), so it cannot drift from the code. The command line prints it
//! (`wiring`, `docs`, `contract`, `rbac`); a test may compare it with what is in the repository.

mod contract;
mod error;
#[cfg(test)]
mod fixture;
mod flow;
mod graph;
mod mermaid;
mod page;
mod printer_column;
mod rbac;
mod reason;
mod reconciler_info;
mod table;

pub use self::contract::{ApiDiff, ConditionContract, Contract, ReconcilerContract, Semver};
pub use self::rbac::{RbacRule, Verb};
pub use self::reconciler_info::ReconcilerInfo;

#[cfg(feature = "operator")]
pub(crate) use self::printer_column::add_columns;
pub use self::printer_column::crd;
#[cfg(feature = "operator")]
pub(crate) use self::rbac::rbac_rules;
#[cfg(feature = "cli")]
pub(crate) use self::rbac::text;
