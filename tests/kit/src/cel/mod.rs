//! Rules in CEL (`x-kubernetes-validations`): checked when a definition is written, run when its objects are.
//!
//! Parser, interpreter and functions are those of [`kube_cel`]; types, costs and the walk are here, since they follow
//! the schema. What is not done: sets do not add up as sets,
//! comprehensions with two variables are refused, and the cost of a run does not grow with the length of its texts.

mod call;
mod check;
mod cost;
mod deep;
mod field;
mod library;
mod message;
mod meter;
mod name;
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
