//! `#[derive(ConditionSet)]`: the conditions of a reconciler, one per variant.

mod args;
mod check;
mod expand;
mod model;

use proc_macro2::TokenStream;
use quote::quote;

use crate::errors::Errors;

/// Expands the derive. On errors the set is still implemented, so that one mistake causes one error.
pub(crate) fn derive(item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let Some(input) = errors.take(syn::parse2(item)) else { return quote!(#errors) };
    let Some(set) = model::read(&input, &mut errors) else { return quote!(#errors) };
    let expansion = expand::expand(&set);
    quote!(#expansion #errors)
}
