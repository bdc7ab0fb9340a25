//! Rules in CEL (`x-kubernetes-validations`): checked when a definition is written, run when its objects are.
//!
//! Parser and functions are those of [`kube_cel`]; types, costs, the walk and the run are here, since they follow the
//! schema: a set is no plain list, and what a call costs depends on how large the values are.

mod call;
mod check;
mod cost;
mod deep;
mod eval;
mod expand;
mod field;
mod library;
mod list;
mod message;
mod meter;
mod name;
mod operate;
mod operator;
mod optional;
mod price;
mod program;
mod refuse;
mod rule;
mod run;
mod shape;
mod signature;
mod types;
mod value;

pub(crate) use refuse::check as refuse;
pub(crate) use rule::Rule;
pub(crate) use run::run;

#[cfg(test)]
mod tests;
