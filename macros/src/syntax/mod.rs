//! Parsing that several macros share: arguments, functions with raw bodies, durations, names.

pub(crate) mod action;
pub(crate) mod args;
pub(crate) mod block;
pub(crate) mod context_type;
pub(crate) mod deletion;
pub(crate) mod docs;
pub(crate) mod duration;
pub(crate) mod field_path;
pub(crate) mod function;
pub(crate) mod handler;
pub(crate) mod hidden;
pub(crate) mod kind_text;
pub(crate) mod krate;
pub(crate) mod marker;
pub(crate) mod meta;
pub(crate) mod names;
pub(crate) mod reason_literal;
pub(crate) mod sent;
pub(crate) mod signature;
pub(crate) mod suggest;
pub(crate) mod time;
pub(crate) mod written;
