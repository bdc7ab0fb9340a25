//! `#[derive(ReconcileError)]`: a class for each variant of an error.

mod args;
mod check;
mod expand;
mod model;

use proc_macro2::TokenStream;
use quote::quote;

use crate::errors::Errors;

/// Expands the derive. On errors the trait is still implemented, so that one mistake causes one error.
pub(crate) fn derive(item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let Some(input) = errors.take(syn::parse2(item)) else { return quote!(#errors) };
    let model = model::read(&input, &mut errors);
    let expansion = expand::expand(&model);
    quote!(#expansion #errors)
}
