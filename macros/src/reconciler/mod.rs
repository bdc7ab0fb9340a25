//! `#[reconciler]`: a pipeline of steps, in ordinary Rust.

pub(crate) mod args;
mod bare_status;
mod check;
mod check_argument;
mod depend;
mod expand;
mod fallback;
pub(crate) mod impl_block;
mod model;
mod pipeline;
mod policy;
mod suspend;
mod time;
mod triggers;

use proc_macro2::TokenStream;
use quote::quote;

use crate::errors::Errors;
use crate::syntax::function::is_impl;
use crate::syntax::signature::parse_function;

/// Expands the attribute. On errors function and reconciler are retained, so that one mistake causes one error.
pub(crate) fn attribute(args: TokenStream, item: &TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let args = args::parse(args, &mut errors);
    if is_impl(item) {
        return impl_block::expand(args, item, errors);
    }
    check::check_module(&args, &mut errors);
    let Some(function) = parse_function("reconciler", item, &mut errors) else {
        return quote!(#item #errors);
    };
    let draft = model::read(args, function, &mut errors);
    let expansion = match draft.finish() {
        Ok(reconciler) => expand::expand(&reconciler),
        Err(draft) => fallback::expand(&draft),
    };
    quote!(#expansion #errors)
}
