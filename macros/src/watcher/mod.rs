//! `#[watcher]`: a reconciler of one step, which calls a method for each kind of event.
//!
//! The expansion is a `#[reconciler]` on an `impl`, with a step and a cleanup that call the methods of the author.

mod args;
mod check;
mod expand;
mod function;
mod methods;
mod on;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use self::args::WatcherArgs;
use self::methods::Methods;
use crate::errors::Errors;
use crate::reconciler::impl_block;
use crate::syntax::block::{Block, Item};
use crate::syntax::function::is_impl;
use crate::syntax::signature::parse_function;

/// Expands the attribute. On errors the item is retained, so that one mistake causes one error.
pub(crate) fn attribute(args: TokenStream, item: &TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let args = args::parse(args, &mut errors);
    check::check(&args, &mut errors);
    if is_impl(item) {
        return methods_form(&args, item, errors);
    }
    let Some(function) = parse_function("watcher", item, &mut errors) else {
        return quote!(#item #errors);
    };
    function::expand(args, function, errors)
}

/// The form on an `impl`.
fn methods_form(args: &WatcherArgs, item: &TokenStream, mut errors: Errors) -> TokenStream {
    let Some(mut block) = errors.take(syn::parse2::<Block>(item.clone())) else {
        return quote!(#item #errors);
    };
    let ty = block.self_ty.clone();
    match methods::read(args, &mut block, &mut errors) {
        Some(methods) if errors.count() == 0 => expanded(args, block, &methods, errors),
        _ => {
            let args = expand::reconciler_args(args, None, &mut Errors::default());
            let watcher = expand::expand_marker(&args.krate, &ty);
            let refused = impl_block::expand::expand_refused(&args, block);
            quote!(#refused #watcher #errors)
        }
    }
}

/// Expands a block with valid methods.
fn expanded(args: &WatcherArgs, block: Block, methods: &Methods, errors: Errors) -> TokenStream {
    let watcher = expand::expand_marker(&args.krate, &block.self_ty);
    let Block { attrs, inner, token, generics, of_trait, self_ty, items } = block;
    let docs = attrs.iter().filter(|attr| attr.path().is_ident("doc"));
    let docs = quote!(#(#docs)*);
    let of_trait = of_trait.map(|of_trait| quote!(#of_trait for));
    let items = items.into_iter().map(|item| match item {
        Item::Function(function) => function.into_token_stream(),
        Item::Other(tokens) => tokens,
    });
    let items = quote!(#(#inner)* #(#items)*);
    let head = quote!(#(#attrs)* #token #generics #of_trait #self_ty);
    let expansion = expand::expand_block(args, &methods.calls(args), (&head, &docs, &items), errors);
    quote!(#expansion #watcher)
}
