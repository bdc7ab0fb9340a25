//! `#[rule]`: a function about an object that the API server checks, since its body is also read as an expression of CEL.

mod args;
mod check;
mod expand;
mod expression;
mod fallback;
mod form;
mod model;

use proc_macro2::TokenStream;
use quote::quote;

use crate::errors::Errors;
use crate::syntax::signature::parse_function;

/// Expands the attribute. On errors the function is retained, and its type is a list of rules without one.
pub(crate) fn attribute(args: TokenStream, item: &TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let args = args::parse(args, &mut errors);
    let Some(function) = parse_function("rule", item, &mut errors) else { return quote!(#item #errors) };
    match model::read(args, &function, &mut errors) {
        Ok(rule) => expand::expand(&rule, &function),
        Err(refused) => {
            let fallback = fallback::expand(&refused, &function);
            quote!(#fallback #errors)
        }
    }
}
