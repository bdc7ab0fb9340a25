//! `#[sub_reconciler]`: a step, and what it declares.

mod args;
mod check;
mod expand;
mod fallback;
mod model;

use proc_macro2::TokenStream;
use quote::quote;

use crate::errors::Errors;
use crate::syntax::shape::parse_function;

/// Expands the attribute. Whatever is wrong, the function stays and counts as a step that may do everything.
pub(crate) fn attribute(args: TokenStream, item: &TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let args = args::parse(args, &mut errors);
    let Some(function) = parse_function("sub_reconciler", item, &mut errors) else {
        return quote!(#item #errors);
    };
    let draft = model::read(args, function, &mut errors);
    match draft.finish(&errors) {
        Ok(step) => expand::expand(&step),
        Err(draft) => {
            let expansion = fallback::expand(&draft, &mut errors);
            quote!(#expansion #errors)
        }
    }
}
