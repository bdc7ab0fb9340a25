//! The arguments of `#[status(dependents, crate = ::path)]`, and of `#[status(step = path)]` on a field.

use darling::FromMeta;
use proc_macro2::TokenStream;
use syn::{Attribute, Path};

use crate::errors::Errors;
use crate::syntax::args::{Keys, arguments, joined};
use crate::syntax::krate::Krate;
use crate::syntax::meta::{self, some};

const FIELD: Keys = Keys { known: &["step"], many: &[] };

#[derive(Default, FromMeta)]
#[darling(default)]
struct FieldArgs {
    #[darling(with = |meta| some(meta, |arg| arg.path("store")))]
    step: Option<Path>,
}

/// The arguments of the attribute on the struct.
#[derive(Default, FromMeta)]
#[darling(default)]
pub(crate) struct StatusArgs {
    #[darling(rename = "crate")]
    pub(crate) krate: Krate,
    /// Whether the status stores the dependents of steps.
    #[darling(with = meta::flag)]
    pub(crate) dependents: bool,
}

pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> StatusArgs {
    meta::read(tokens, &Keys { known: &["crate", "dependents"], many: &[] }, errors)
}

/// Whether the attribute of a field is `#[status(..)]`.
pub(crate) fn ours(attr: &Attribute) -> bool {
    attr.path().is_ident("status")
}

/// The step that writes the field, if it is restricted.
pub(crate) fn step(attrs: &[Attribute], errors: &mut Errors) -> Option<Path> {
    for empty in attrs.iter().filter(|attr| ours(attr) && arguments(attr).is_empty()) {
        errors.push(
            empty,
            "this `#[status]` declares nothing for the field",
            "write `#[status(step = store)]`, or remove it",
        );
    }
    meta::read::<FieldArgs>(joined(attrs, "status"), &FIELD, errors).step
}
