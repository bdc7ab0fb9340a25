//! `#[precondition]` and `#[postcondition]`: steps that only read, before or after the other steps.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::quote;

use super::args::{self, Order, StepArgs};
use super::finish;
use super::observe_attribute::check_harmless;
use super::parts::{Method, Parts};
use crate::errors::{Errors, mistake_at};
use crate::syntax::args::split;
use crate::syntax::function::Function;
use crate::syntax::krate::Krate;
use crate::syntax::signature::parse_function;

/// Expands the attribute. On errors the function is retained and counts as a step.
pub(crate) fn attribute(order: Order, args: TokenStream, item: &TokenStream) -> TokenStream {
    expand(order, args, item, Errors::default())
}

/// Expands the attribute on a method of a reconciler struct.
pub(crate) fn method(order: Order, args: TokenStream, krate: Krate, function: Function, errors: &mut Errors) -> Method {
    let mut found = Errors::default();
    let args = read(order, args, krate, &mut found);
    let method = finish(args, function, &mut found);
    errors.append(found);
    method
}

/// `#[check(before, ..)]`, which has other names now: the function is retained and counts as a step.
pub(crate) fn former_attribute(args: TokenStream, item: &TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let (order, args) = refuse_former(Span::call_site(), args, &mut errors);
    expand(order, args, item, errors)
}

/// The order and the other arguments of `#[check(before, ..)]`, with the error that names the attribute to use.
pub(crate) fn refuse_former(at: Span, args: TokenStream, errors: &mut Errors) -> (Order, TokenStream) {
    let (orders, others): (Vec<_>, Vec<_>) = split(args).into_iter().partition(|arg| former_order(arg).is_some());
    let order = orders.iter().find_map(former_order);
    let (at, help) = match &order {
        Some((order, word)) => (word.span(), format!("`#[check({word}, ..)]` is called `#[{}(..)]` now", order.word())),
        None => (at, "`#[check(..)]` is called `#[precondition(..)]` or `#[postcondition(..)]` now".to_owned()),
    };
    errors.add(mistake_at(at, "unknown attribute `check`", help));
    (order.map_or(Order::Before, |(order, _)| order), quote!(#(#others),*))
}

fn former_order(arg: &TokenStream) -> Option<(Order, Ident)> {
    match arg.clone().into_iter().next()? {
        TokenTree::Ident(word) if word == "before" => Some((Order::Before, word)),
        TokenTree::Ident(word) if word == "after" => Some((Order::After, word)),
        _ => None,
    }
}

fn expand(order: Order, args: TokenStream, item: &TokenStream, mut errors: Errors) -> TokenStream {
    let args = read(order, args, Krate::DEFAULT, &mut errors);
    let Some(function) = parse_function(order.word(), item, &mut errors) else {
        return quote!(#item #errors);
    };
    let Parts { function, marker, impls } = finish(args, function, &mut errors).parts;
    quote!(#function #marker #impls #errors)
}

fn read(order: Order, args: TokenStream, krate: Krate, errors: &mut Errors) -> StepArgs {
    let args = args::parse_ordered(order, args, krate, errors);
    check_harmless(&format!("a {}", order.word()), &args, errors);
    args
}
