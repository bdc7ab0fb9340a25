//! The bridge to darling, which fills the structs of plain arguments: names, flags, values, lists of names.
//!
//! The words stay ours: unknown and repeated names never get to darling, and each value is read by a function of ours.

use darling::ast::NestedMeta;
use darling::{Error, FromMeta};
use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::Meta;

use super::args::{Arg, Keys, parse_args};
use super::krate::Krate;
use crate::errors::Errors;

/// Fills a struct with the arguments. An argument with an error counts as not given.
pub(crate) fn read<A: FromMeta + Default>(tokens: TokenStream, keys: &Keys, errors: &mut Errors) -> A {
    fill(parse_args(tokens, keys, errors), errors)
}

/// An attribute that has no other argument than `crate`.
#[derive(Default, FromMeta)]
#[darling(default)]
struct KrateArgs {
    #[darling(rename = "crate")]
    krate: Krate,
}

/// The arguments of an attribute that has only `crate`.
pub(crate) fn read_krate(tokens: TokenStream, errors: &mut Errors) -> Krate {
    read::<KrateArgs>(tokens, &Keys { known: &["crate"], many: &[] }, errors).krate
}

/// Fills a struct with parsed arguments.
pub(crate) fn fill<A: FromMeta + Default>(args: Vec<Arg>, errors: &mut Errors) -> A {
    let mut metas: Vec<NestedMeta> = args.into_iter().map(|arg| NestedMeta::Meta(arg.into_meta())).collect();
    // One at a time, since darling returns nothing if one of them is wrong.
    metas.retain(|meta| match A::from_list(std::slice::from_ref(meta)) {
        Ok(_) => true,
        Err(error) => {
            land(error).into_iter().for_each(|error| errors.add(error));
            false
        }
    });
    A::from_list(&metas).unwrap_or_default()
}

/// The struct of a nested list: `suspend(field = spec.suspend)`.
pub(crate) fn nested<A: FromMeta + Default>(
    arg: &Arg,
    example: &str,
    keys: &Keys,
    check: impl FnOnce(&A, &mut Errors),
) -> syn::Result<A> {
    let mut errors = Errors::default();
    let filled: A = read(arg.list(example)?, keys, &mut errors);
    if errors.count() == 0 {
        check(&filled, &mut errors);
    }
    errors.into_result().map(|()| filled)
}

/// The value of one argument.
pub(crate) fn value<T>(meta: &Meta, read: impl FnOnce(&Arg) -> syn::Result<T>) -> darling::Result<T> {
    read(&Arg::of(meta)).map_err(carry)
}

/// The value of one argument that may be missing.
pub(crate) fn some<T>(meta: &Meta, read: impl FnOnce(&Arg) -> syn::Result<T>) -> darling::Result<Option<T>> {
    value(meta, read).map(Some)
}

/// A mere word.
pub(crate) fn flag(meta: &Meta) -> darling::Result<bool> {
    value(meta, Arg::word).map(|()| true)
}

impl FromMeta for Krate {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        value(meta, |arg| Self::parse(arg.value("::evenkeel")?))
    }
}

/// An error of ours in one of darling's. That has a single span, so the last token follows as an error without words.
fn carry(error: syn::Error) -> Error {
    let carried = error.into_iter().flat_map(|error| {
        let end = error.to_compile_error().into_iter().last().map_or_else(Span::call_site, |token| token.span());
        [Error::custom(&error).with_span(&error.span()), Error::custom("").with_span(&end)]
    });
    Error::multiple(carried.collect())
}

fn land(error: Error) -> Vec<syn::Error> {
    let all: Vec<Error> = error.flatten().into_iter().collect();
    let landed = all.chunks(2).map(|pair| {
        let start = pair[0].span();
        let end = pair.last().map_or(start, Error::span);
        let (start, end) = (quote_spanned!(start=> _), quote_spanned!(end=> _));
        syn::Error::new_spanned(quote::quote!(#start #end), syn::Error::from(pair[0].clone()))
    });
    landed.collect()
}
