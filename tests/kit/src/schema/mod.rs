//! Structural schemas of custom resources: parsing, pruning, defaulting and validation, with the errors of an API server.

#[cfg(feature = "evenkeel")]
pub(crate) mod arbitrary;
mod cause;
mod default;
mod equal;
#[cfg(test)]
pub(crate) mod fixture;
mod metadata;
mod node;
mod parse;
mod prune;
mod rule;
mod structural;
mod structural_check;
mod validate;

pub use cause::Cause;
pub use default::{default, drop_nulls, fill};
pub(crate) use equal::is_equal;
pub use metadata::prune_metadata;
pub use prune::prune;
pub(crate) use rule::Rule;
pub use structural::Structural;
pub(crate) use structural::{Kind, ListType, MapType, Rest, join};
pub(crate) use structural_check::check as check_structural;
pub use validate::validate;
