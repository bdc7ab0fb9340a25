//! JSON patch, JSON merge patch and strategic merge patch, as an API server applies them to a stored object.

mod json;
#[cfg(test)]
mod law;
mod merge;
mod order;
mod strategic;

pub use json::{PatchError, json_patch};
pub use merge::merge_patch;
pub(crate) use strategic::strategic_patch;
