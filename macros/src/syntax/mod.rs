//! What several macros read: arguments, functions with raw bodies, durations, names.

pub(crate) mod action;
pub(crate) mod args;
pub(crate) mod block;
pub(crate) mod context;
pub(crate) mod docs;
pub(crate) mod duration;
pub(crate) mod function;
pub(crate) mod krate;
pub(crate) mod link;
pub(crate) mod marker;
pub(crate) mod names;
pub(crate) mod reason;
pub(crate) mod sent;
pub(crate) mod shape;
pub(crate) mod suggest;
