//! `#[claim]`: what prepares an object before its finalizer is stored and before any side effect.

mod check;
mod expand;

use proc_macro2::TokenStream;
use quote::quote;
use syn::Type;

use crate::errors::Errors;
use crate::sub_reconciler::Parts;
use crate::syntax::args::{Keys, parse_args};
use crate::syntax::function::Function;
use crate::syntax::krate::Krate;
use crate::syntax::marker::Marker;
use crate::syntax::shape::{bind_generics, parse_function};

const KEYS: Keys = Keys { known: &["crate"], many: &[] };

/// A claim, right or wrong.
pub(crate) struct Claim {
    pub(crate) krate: Krate,
    pub(crate) function: Function,
    pub(crate) marker: Marker,
    /// `None`: the signature is wrong, which is reported.
    pub(crate) shape: Option<Shape>,
}

/// What the signature says.
pub(crate) struct Shape {
    pub(crate) object: Type,
    pub(crate) dependencies: Vec<Type>,
    pub(crate) output: Type,
}

/// Expands the attribute. Whatever is wrong, the function stays and counts as a claim.
pub(crate) fn attribute(args: TokenStream, item: &TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let krate = parse(args, Krate::DEFAULT, &mut errors);
    let Some(function) = parse_function("claim", item, &mut errors) else {
        return quote!(#item #errors);
    };
    let Parts { function, marker, impls } = expand::expand(&read(krate, function, &mut errors));
    quote!(#function #marker #impls #errors)
}

/// Expands the attribute on a method of a struct that reconciles.
pub(crate) fn method(args: TokenStream, krate: Krate, function: Function, errors: &mut Errors) -> Parts {
    let mut found = Errors::default();
    let krate = parse(args, krate, &mut found);
    let parts = expand::expand(&read(krate, function, &mut found));
    errors.append(found);
    parts
}

fn parse(args: TokenStream, krate: Krate, errors: &mut Errors) -> Krate {
    let given = parse_args(args, &KEYS, errors);
    let last = given.iter().filter_map(|arg| errors.take(arg.value("::evenkeel").and_then(Krate::parse))).last();
    last.unwrap_or(krate)
}

fn read(krate: Krate, mut function: Function, errors: &mut Errors) -> Claim {
    let shape = check::shape(&function, errors);
    bind_generics(&mut function, shape.as_ref().map(|shape| &shape.object), &krate);
    let marker = Marker::of(&function, None);
    Claim { krate, function, marker, shape }
}
