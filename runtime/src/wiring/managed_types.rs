//! The types that the dependents of an object serve, as the object says.

use super::handler::Erased;

/// The argument `manages = spec.types` of a step: patterns of types, as texts.
#[derive(Clone, Copy, Debug)]
pub struct ManagedTypes {
    /// The field or the function that the author names, for messages.
    pub source: &'static str,
    /// Reads the texts of an object.
    pub read: for<'a> fn(&'a Erased) -> Vec<String>,
}
