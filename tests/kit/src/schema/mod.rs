//! Structural schemas of custom resources: parsing with the real refusals, pruning, defaulting and validation.

mod cause;
mod default;
#[cfg(test)]
pub(crate) mod fixture;
mod metadata;
mod parse;
mod prune;
mod structural;
mod structural_check;
mod validate;

pub use cause::Cause;
pub use default::{default, drop_nulls, fill};
pub use metadata::prune_metadata;
pub use prune::prune;
pub use structural::Structural;
pub(crate) use structural::{Kind, ListType, MapType, Rest, join};
pub(crate) use validate::is_equal;
pub use validate::validate;
