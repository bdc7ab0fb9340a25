//! Identifiers that cannot collide with those of a user.

use proc_macro2::{Ident, Span};

/// An identifier that cannot collide with those of a user.
pub(crate) fn hidden(name: &str) -> Ident {
    hidden_at(name, Span::mixed_site())
}

/// An identifier that cannot collide with those of a user, located at `span`.
pub(crate) fn hidden_at(name: &str, span: Span) -> Ident {
    Ident::new(&format!("__{name}"), span.resolved_at(Span::mixed_site()))
}
