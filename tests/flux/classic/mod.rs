//! The suites of the classic form.

mod beyond;
pub(crate) mod end;
pub(crate) mod entry;
mod fake;
mod input;
mod memory;
mod parts;
pub(crate) mod result;
pub(crate) mod write;
