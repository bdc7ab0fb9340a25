//! `#[status]`: the fields that the framework keeps, added to the author's.

mod args;
mod check;
mod draft;
mod expand;
mod model;

use proc_macro2::TokenStream;
use quote::quote;

use crate::errors::Errors;

/// Expands the attribute. Fields with a mistake stay in the struct, so that one mistake stays one error.
pub(crate) fn attribute(args: TokenStream, item: &TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let args = args::parse(args, &mut errors);
    let Some(status) = model::read(args, item, &mut errors) else { return quote!(#item #errors) };
    let expansion = expand::expand(&status);
    quote!(#expansion #errors)
}
