//! Compares the schema of an installed CRD with the type that a program was built with.
//!
//! The status is written, so the CRD must accept and store all values of the type. The spec is read, so the CRD must have the fields that
//! the type requires. Conversions write the spec as well, which is then compared like the status. Descriptions, defaults, bounds, patterns, formats and CEL rules are not compared: a CRD may have more of them, and
//! they vary with the version of schemars.

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
#[cfg(feature = "doctor")]
pub(crate) use self::install::program;
pub(crate) use self::misfit::{Misfit, What, listed};
pub(crate) use self::published::Published;
pub(crate) use self::write::undeclared;

/// Compares the schemas of two versions of one kind; `is_used` selects the status fields that the program writes.
pub(crate) fn misfits(expected: &Value, installed: &Value, is_used: &dyn Fn(&str) -> bool) -> Vec<Misfit> {
    let mut found = Vec::new();
    write::compare_written("status", expected, installed, is_used, &mut found);
    read::compare_spec(expected, installed, &mut found);
    found
}

/// Compares the schemas of a version whose spec the program writes, too.
pub(crate) fn converted_misfits(expected: &Value, installed: &Value, is_used: &dyn Fn(&str) -> bool) -> Vec<Misfit> {
    let mut found = Vec::new();
    write::compare_written("status", expected, installed, is_used, &mut found);
    write::compare_written("spec", expected, installed, &|_| true, &mut found);
    found
}
