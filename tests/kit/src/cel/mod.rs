//! CEL validation rules (`x-kubernetes-validations`): checked when a CRD is written, evaluated when an object is written.
//!
//! The parser and the functions come from [`kube_cel`]. Types, costs, schema traversal and evaluation are implemented here, since they
//! depend on the schema: a set is not a plain list, and the cost of a call depends on the size of its values.

mod call;
mod call_cost;
mod call_eval;
mod check;
mod compile;
mod cost;
mod cost_meter;
mod declared;
mod escape;
mod eval;
mod expression;
mod field;
mod found;
mod hidden_names;
mod library;
mod list;
mod macros;
mod message;
mod nesting;
mod operators;
mod optional;
mod optional_functions;
mod policy;
mod program;
mod rule_shape;
mod run;
mod signature;
mod structural;
mod types;
mod value;
mod visit;

pub(crate) use declared::{Declared, Returns};
pub(crate) use expression::{decide, reads};
pub(crate) use policy::Policy;
pub(crate) use run::run;

#[cfg(test)]
mod tests;
