//! The error of a seed.

use std::fmt;

/// A document of a seed that could not be stored.
///
/// The message contains the number of the document, counted from 1, the object, and the field if it is known.
#[derive(Clone, PartialEq, Eq)]
pub struct SeedError {
    document: usize,
    object: Option<String>,
    why: String,
}

impl SeedError {
    pub(super) fn unread(document: usize, why: impl Into<String>) -> Self {
        Self { document, object: None, why: why.into() }
    }

    pub(super) fn about(document: usize, object: &str, why: impl Into<String>) -> Self {
        Self { document, object: Some(object.to_owned()), why: why.into() }
    }
}

impl fmt::Display for SeedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "document {}", self.document)?;
        match &self.object {
            Some(object) => write!(f, " ({object}) is refused: {}", self.why),
            None => write!(f, " cannot be read: {}", self.why),
        }
    }
}

/// Like [`Display`](fmt::Display), for readable messages of `unwrap`.
impl fmt::Debug for SeedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for SeedError {}
