//! CustomResourceDefinitions: validation of writes, and the kinds that they define.

mod check;
mod condition;
mod field;
mod format;
mod kinds;
mod names;
mod prepare;
mod publish;
mod stop;

pub(crate) use kinds::Rank;
pub use prepare::{Warning, prepare, prepare_status};
pub use publish::{Published, publish};
pub use stop::{FINALIZER, mark_deleted, mark_deleting, mark_emptied};

#[cfg(test)]
mod tests;
