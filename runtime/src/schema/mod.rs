//! Whether the schema of an installed CRD fits the type that a program was built with: a pure function of two schemas.
//!
//! A status is written, so what the type can send has to be taken and kept. A spec is read, so what the type requires has to be there.
//! Descriptions, defaults, bounds, patterns, formats and CEL rules are not compared: a CRD may say more than the type, and each version
//! of schemars says it in its own way.

mod install;
#[cfg(test)]
mod law;
mod misfit;
mod node;
mod published;
mod read;
#[cfg(test)]
mod tests;
mod write;

use serde_json::Value;

pub(crate) use self::install::install;
pub(crate) use self::misfit::{Misfit, What, listed};
pub(crate) use self::published::Published;
pub(crate) use self::write::undeclared;

/// Compares the schemas of two versions of one kind; `is_used` says which fields of the status the program writes.
pub(crate) fn misfits(expected: &Value, installed: &Value, is_used: &dyn Fn(&str) -> bool) -> Vec<Misfit> {
    let mut found = Vec::new();
    write::compare_status(expected, installed, is_used, &mut found);
    read::compare_spec(expected, installed, &mut found);
    found
}
