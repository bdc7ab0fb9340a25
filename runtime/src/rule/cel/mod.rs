//! Prints a rule as CEL, by the schema of its kind.
//!
//! Rust and CEL differ in what they do with absent fields, with the length of a text and with equality. The schema decides which form of CEL has
//! the meaning of the Rust expression; where there is none, the rule is refused.

mod code;
mod dialect;
mod equality;
mod error;
mod field;
mod methods;
mod names;
mod operators;
mod printer;
mod quantifier;
mod schema;
mod type_;
mod value;

pub use self::error::RuleError;

pub(crate) use self::dialect::Dialect;
#[cfg(feature = "webhooks")]
pub(crate) use self::dialect::policy_member;
pub(crate) use self::error::Problem;
#[cfg(feature = "conversion")]
pub(crate) use self::names::wire_path;
pub(crate) use self::names::{find, path};
pub(crate) use self::printer::Printer;
pub(crate) use self::schema::{metadata, part};
