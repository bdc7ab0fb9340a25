//! The path of a field, as `field!` makes it: the names in Rust, the indexes and the keys.

/// The path of a field of the reviewed object. [`field!`](crate::field) makes it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct Field(pub(crate) Vec<Part>);

/// A part of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum Part {
    /// A field by its name in Rust: `service_account`.
    Member(&'static str),
    /// A field by its name on the wire.
    Wire(&'static str),
    /// The index of an item, or the key of a value.
    At(String),
}

impl Field {
    #[doc(hidden)]
    #[must_use]
    pub const fn new(parts: Vec<Part>) -> Self {
        Self(parts)
    }
}

impl Part {
    #[doc(hidden)]
    #[must_use]
    pub fn at(index: impl std::fmt::Display) -> Self {
        Self::At(index.to_string())
    }
}
