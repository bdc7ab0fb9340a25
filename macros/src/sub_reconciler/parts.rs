//! A printed step, in the parts that stand in different places where it is a method.

use proc_macro2::TokenStream;
use syn::Type;

/// A step in the parts that stand in different places where it is a method.
pub(crate) struct Parts {
    pub(crate) function: TokenStream,
    pub(crate) marker: TokenStream,
    /// What makes the marker a step.
    pub(crate) impls: TokenStream,
}

/// A step that is a method.
pub(crate) struct Method {
    pub(crate) parts: Parts,
    pub(crate) object: Option<Type>,
    /// A pipeline can call it.
    pub(crate) callable: bool,
}
