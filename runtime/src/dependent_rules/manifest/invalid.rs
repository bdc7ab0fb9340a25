//! The error for a manifest that cannot be applied, whatever the state of the cluster.

use std::fmt;

/// A manifest that cannot be applied: the object, the field, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidManifest {
    /// The kind and the name of the object, or only its kind if the manifest has no name.
    pub object: String,
    /// The field, such as `metadata.name`.
    pub field: String,
    /// What is wrong, and what to write instead.
    pub problem: String,
}

impl InvalidManifest {
    pub(crate) fn new(object: impl fmt::Display, field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { object: object.to_string(), field: field.into(), problem: problem.into() }
    }
}

impl fmt::Display for InvalidManifest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { object, field, problem } = self;
        write!(f, "{object}: {field}: {problem}")
    }
}

impl std::error::Error for InvalidManifest {}
