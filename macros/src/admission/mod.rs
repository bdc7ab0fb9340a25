//! `#[validate]` and `#[mutate]`: functions that review writes before the API server stores them, and the paths of `field!`.

mod args;
mod check;
mod expand;
mod fallback;
pub(crate) mod field;
mod model;
mod what;

use proc_macro2::TokenStream;
use quote::quote;

pub(crate) use self::expand::expand_dependencies;
pub(crate) use self::what::What;
use crate::errors::Errors;
use crate::syntax::signature::parse_function;

/// Expands the attribute. On errors the function is retained and still counts as one that reviews writes.
pub(crate) fn attribute(what: What, args: TokenStream, item: &TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let args = args::parse(args, &mut errors);
    check::check_args(what, &args, &mut errors);
    let Some(function) = parse_function(what.word(), item, &mut errors) else {
        return quote!(#item #errors);
    };
    let expansion = match model::read(what, args, function, &mut errors) {
        Ok(review) => expand::expand(&review),
        Err(draft) => fallback::expand(&draft),
    };
    quote!(#expansion #errors)
}
