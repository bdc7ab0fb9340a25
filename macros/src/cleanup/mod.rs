//! `#[cleanup]`: the function that undoes an external step when its object is deleted.

mod args;
mod check;
mod expand;
mod model;

use proc_macro2::TokenStream;
use quote::quote;

use crate::errors::Errors;
use crate::sub_reconciler::Parts;
use crate::syntax::function::Function;
use crate::syntax::krate::Krate;
use crate::syntax::signature::parse_function;

/// Expands the attribute. On errors the function is retained and the step counts as cleaned up.
pub(crate) fn attribute(args: TokenStream, item: &TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let args = args::parse(args, Krate::DEFAULT, &mut errors);
    let Some(function) = parse_function("cleanup", item, &mut errors) else {
        let poison = expand::expand_poison(&args);
        return quote!(#item #poison #errors);
    };
    let Parts { function, marker, impls } = match model::read(args, function, &mut errors) {
        Ok(cleanup) => expand::expand(&cleanup),
        Err(rest) => expand::expand_poisoned(&rest.0, &rest.1),
    };
    quote!(#function #marker #impls #errors)
}

/// Expands the attribute on a method of a reconciler struct.
pub(crate) fn method(args: TokenStream, krate: Krate, function: Function, errors: &mut Errors) -> Parts {
    let mut found = Errors::default();
    let args = args::parse(args, krate, &mut found);
    let parts = match model::read(args, function, &mut found) {
        Ok(cleanup) => expand::expand(&cleanup),
        Err(rest) => expand::expand_poisoned(&rest.0, &rest.1),
    };
    errors.append(found);
    parts
}
