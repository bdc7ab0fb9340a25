//! Rules in CEL (`x-kubernetes-validations`): checked when a definition is written, run when its objects are.
//!
//! Parser and functions are those of [`kube_cel`]; types, costs, the walk and the run are here, since they follow the
//! schema: a set is no plain list, and what a call costs depends on how large the values are.

mod call;
mod call_cost;
mod call_eval;
mod check;
mod compile;
mod cost;
mod cost_meter;
mod escape;
mod eval;
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
mod program;
mod rule_shape;
mod run;
mod signature;
mod structural;
mod types;
mod value;
mod visit;

pub(crate) use run::run;

#[cfg(test)]
mod tests;
