//! `#[cleanup]`: what undoes an external step when its object goes.

mod args;
mod check;
mod expand;
mod model;

use proc_macro2::TokenStream;
use quote::quote;

use crate::errors::Errors;
use crate::syntax::shape::parse_function;

/// Expands the attribute. Whatever is wrong, the function stays, and the step counts as cleaned up.
pub(crate) fn attribute(args: TokenStream, item: &TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let args = args::parse(args, &mut errors);
    let Some(function) = parse_function("cleanup", item, &mut errors) else {
        let poison = expand::expand_poison(&args);
        return quote!(#item #poison #errors);
    };
    match model::read(args, function, &mut errors) {
        Ok(cleanup) => expand::expand(&cleanup),
        Err(rest) => {
            let (args, function) = *rest;
            let poison = (function.sig.receiver().is_none()).then(|| expand::expand_poison(&args));
            quote!(#function #poison #errors)
        }
    }
}
