//! `#[sub_reconciler]`: a step and its declarations.

mod args;
mod check;
mod check_ready;
mod check_relation;
mod expand;
mod expand_keeps;
mod expand_ready;
mod expand_site;
mod fallback;
mod keeps;
mod keeps_former;
mod keeps_policy;
mod keeps_ready;
mod keeps_value;
mod model;
pub(crate) mod observe_attribute;
pub(crate) mod parse_relation;
mod parts;
pub(crate) mod precondition;
pub(crate) mod relation;
mod site;
mod uses;

use proc_macro2::TokenStream;
use quote::quote;

use crate::errors::Errors;
use crate::syntax::function::Function;
use crate::syntax::krate::Krate;
use crate::syntax::signature::parse_function;

use self::args::StepArgs;
pub(crate) use self::args::{Order, is_word};
pub(crate) use self::check_relation::{check_fields, check_selector};
pub(crate) use self::parts::{Method, Parts};

/// Expands the attribute. On errors the function is retained and counts as a step that may do everything.
pub(crate) fn attribute(args: TokenStream, item: &TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let args = args::parse(args, Krate::DEFAULT, &mut errors);
    let Some(function) = parse_function("sub_reconciler", item, &mut errors) else {
        return quote!(#item #errors);
    };
    let Parts { function, marker, impls } = finish(args, function, &mut errors).parts;
    quote!(#function #marker #impls #errors)
}

/// Expands the attribute on a method of a reconciler struct.
pub(crate) fn method(args: TokenStream, krate: Krate, function: Function, errors: &mut Errors) -> Method {
    let mut found = Errors::default();
    let args = args::parse(args, krate, &mut found);
    let method = finish(args, function, &mut found);
    errors.append(found);
    method
}

/// Parses the function and expands it, valid or not.
fn finish(args: StepArgs, function: Function, errors: &mut Errors) -> Method {
    let draft = model::read(args, function, errors);
    let (object, callable) = (draft.object.clone(), draft.callable);
    let parts = match draft.finish(errors) {
        Ok(step) => expand::expand(&step),
        Err(draft) => fallback::expand(&draft, errors),
    };
    Method { parts, object, callable }
}

/// Expands a method of an `impl` that cannot be a reconciler. Its other errors are not reported yet.
pub(crate) fn stray(args: TokenStream, krate: Krate, function: &Function) -> TokenStream {
    fallback::expand_stray(&args::parse(args, krate, &mut Errors::default()), function)
}
