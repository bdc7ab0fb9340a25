//! An expanded step in separate parts, since those of a method belong in different places.

use proc_macro2::TokenStream;
use syn::Type;

/// The parts of an expanded step.
pub(crate) struct Parts {
    pub(crate) function: TokenStream,
    pub(crate) marker: TokenStream,
    /// The impls that make the marker a step.
    pub(crate) impls: TokenStream,
}

/// A step that is a method.
pub(crate) struct Method {
    pub(crate) parts: Parts,
    pub(crate) object: Option<Type>,
    /// Whether a pipeline can call it.
    pub(crate) callable: bool,
}
