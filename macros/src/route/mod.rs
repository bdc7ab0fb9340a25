//! `#[route]`: a function that answers requests of users about an object.

mod args;
mod check;
mod expand;
mod fallback;
mod model;
mod path;
mod reads;

use proc_macro2::TokenStream;
use quote::quote;

use crate::errors::Errors;
use crate::syntax::signature::parse_function;

/// Expands the attribute. On errors the function is retained and still counts as a route.
pub(crate) fn attribute(args: TokenStream, item: &TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let args = args::parse(args, &mut errors);
    let Some(function) = parse_function("route", item, &mut errors) else {
        return quote!(#item #errors);
    };
    let expansion = match model::read(args, function, &mut errors) {
        Ok(route) => expand::expand(&route),
        Err(draft) => fallback::expand(&draft),
    };
    quote!(#expansion #errors)
}
