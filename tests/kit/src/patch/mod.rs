//! JSON patch and JSON merge patch, as an API server applies them to a stored object.

mod json;
#[cfg(test)]
mod law;
mod merge;

pub use json::{PatchError, json_patch};
pub use merge::merge_patch;
