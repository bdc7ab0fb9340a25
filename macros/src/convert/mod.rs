//! `#[convert]`: the conversion between a version that is still served and the version that is stored.

mod args;
mod check;
mod expand;
mod fallback;
mod method;
mod model;

use proc_macro2::TokenStream;
use quote::quote;

use crate::errors::Errors;
use crate::syntax::block::Block;
use crate::syntax::function::is_impl;

/// Expands the attribute. On errors the `impl` is retained, and its type still counts as a served version.
pub(crate) fn attribute(args: TokenStream, item: &TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let args = args::parse(args, &mut errors);
    if !is_impl(item) {
        check::wrong_item(item, &mut errors);
        return quote!(#item #errors);
    }
    let Some(block) = errors.take(syn::parse2::<Block>(item.clone())) else {
        return quote!(#item #errors);
    };
    match model::read(args, &block, &mut errors) {
        Ok(conversion) => {
            let expansion = expand::expand(&conversion);
            quote!(#item #expansion)
        }
        Err(refused) => {
            let fallback = fallback::expand(&refused);
            quote!(#[allow(dead_code)] #item #fallback #errors)
        }
    }
}
