//! Templates: the files of a folder that is part of the program, rendered with the values of a component.

mod engine;
mod error;
mod relations;
mod render;
mod set;
mod values;

pub use self::error::TemplateError;
pub use self::relations::{check_ready, count_relations, join_relations};
pub(super) use self::render::{Rendered, render};
pub use self::set::{TemplateFile, Templates};
pub(super) use self::values::to_values;
