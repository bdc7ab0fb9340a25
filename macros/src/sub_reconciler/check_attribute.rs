//! `#[check]`: a step that only reads, before or after the other steps.

use proc_macro2::TokenStream;
use quote::quote;

use super::args::{self, StepArgs};
use super::finish;
use super::observe_attribute::check_harmless;
use super::parts::{Method, Parts};
use crate::errors::Errors;
use crate::syntax::function::Function;
use crate::syntax::krate::Krate;
use crate::syntax::signature::parse_function;

/// Expands the attribute. On errors the function is retained and counts as a step.
pub(crate) fn attribute(args: TokenStream, item: &TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let args = args::parse_check(args, Krate::DEFAULT, &mut errors);
    let Some(function) = parse_function("check", item, &mut errors) else {
        return quote!(#item #errors);
    };
    check(&args, &function, &mut errors);
    let Parts { function, marker, impls } = finish(args, function, &mut errors).parts;
    quote!(#function #marker #impls #errors)
}

/// Expands the attribute on a method of a reconciler struct.
pub(crate) fn method(args: TokenStream, krate: Krate, function: Function, errors: &mut Errors) -> Method {
    let mut found = Errors::default();
    let args = args::parse_check(args, krate, &mut found);
    check(&args, &function, &mut found);
    let method = finish(args, function, &mut found);
    errors.append(found);
    method
}

fn check(args: &StepArgs, function: &Function, errors: &mut Errors) {
    let readable = errors.count() == 0;
    check_harmless("a check", args, errors);
    if args.when.is_none() && readable {
        let name = &function.sig.ident;
        let help = "write `#[check(before, ..)]` or `#[check(after, ..)]`";
        errors.push(name, format_args!("check `{name}` does not say when it runs"), help);
    }
}
