//! `#[status]`: adds the framework's fields to those of the author.

mod args;
mod check;
mod draft;
mod expand;
mod model;

use proc_macro2::TokenStream;
use quote::quote;

use crate::errors::Errors;

/// Expands the attribute. Invalid fields remain in the struct, so that one mistake causes one error.
pub(crate) fn attribute(args: TokenStream, item: &TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let args = args::parse(args, &mut errors);
    let Some(status) = model::read(args, item, &mut errors) else { return quote!(#item #errors) };
    let expansion = expand::expand(&status);
    quote!(#expansion #errors)
}
