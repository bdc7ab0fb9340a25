//! A value that cannot be part of a manifest, and what to write instead.

/// Why the objects cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Invalid {
    pub(crate) headline: String,
    pub(crate) help: String,
}

impl Invalid {
    pub(crate) fn new(headline: impl Into<String>, help: impl Into<String>) -> Self {
        Self { headline: headline.into(), help: help.into() }
    }
}
