//! The arguments of `#[status(crate = ::path)]`, and of `#[status(step = path)]` on a field.

use proc_macro2::TokenStream;
use syn::{Attribute, Path};

use crate::errors::Errors;
use crate::syntax::args::{Keys, arguments, parse_args, parse_attrs};
use crate::syntax::krate::Krate;

const KEYS: Keys = Keys { known: &["crate"], many: &[] };
const FIELD: Keys = Keys { known: &["step"], many: &[] };

pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> Krate {
    let mut krate = None;
    for arg in parse_args(tokens, &KEYS, errors) {
        krate = errors.take(arg.value("::evenkeel").and_then(Krate::parse));
    }
    krate.unwrap_or(Krate::DEFAULT)
}

/// Whether the attribute of a field is `#[status(..)]`.
pub(crate) fn ours(attr: &Attribute) -> bool {
    attr.path().is_ident("status")
}

/// The step that writes the field, if it is restricted.
pub(crate) fn step(attrs: &[Attribute], errors: &mut Errors) -> Option<Path> {
    for empty in attrs.iter().filter(|attr| ours(attr) && arguments(attr).is_empty()) {
        errors.push(empty, "this says nothing about the field", "write `#[status(step = store)]`, or remove it");
    }
    let args = parse_attrs(attrs, "status", &FIELD, errors);
    args.iter().find_map(|arg| errors.take(arg.path("store")))
}
