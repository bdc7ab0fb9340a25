//! Checks of a reconciler: its signature, and the methods that it calls.

use proc_macro2::Ident;
use syn::{Pat, Type};

use super::args::ReconcilerArgs;
use super::pipeline::{Callee, FREE_STATEMENT, Pipeline};
use crate::errors::Errors;
use crate::syntax::context_type::is_context;
use crate::syntax::function::Function;
use crate::syntax::names::plain;
use crate::syntax::signature::{check_generics, check_plain};
use crate::syntax::suggest;

/// Only a struct has a module of markers.
pub(crate) fn check_module(args: &ReconcilerArgs, errors: &mut Errors) {
    if let Some(module) = &args.module {
        let help = "leave it out: the types are generated next to the functions";
        errors.push(module, "`mod` is for a reconciler that is an `impl`", help);
    }
}

/// A reconciler must have a condition set.
pub(crate) fn check_conditions(what: &str, args: &ReconcilerArgs, function: &Function, errors: &mut Errors) {
    if args.conditions.is_none() && !args.has_conditions {
        let name = function.home.as_ref().map_or(&function.sig.ident, |home| &home.name);
        let help = "write `#[reconciler(conditions = RepoCondition)]`";
        errors.push(name, format_args!("{what} has no conditions"), help);
    }
}

pub(crate) fn check_function(what: &str, function: &Function, errors: &mut Errors) {
    check_plain(what, &function.sig, errors);
    check_generics(what, &function.sig, errors);
    if matches!(function.sig.output, syn::ReturnType::Default) {
        errors.push(&function.sig.ident, format_args!("{what} must return a `PassResult`"), "write `-> PassResult`");
    }
}

/// The last parameter must be the context of the pass.
pub(crate) fn check_context(what: &str, function: &Function, errors: &mut Errors) -> Option<Ident> {
    let params = function.params();
    let last = params.last().filter(|_| params.len() > 1)?;
    if !is_context(&last.ty, "Pass") {
        let headline = format!("the last parameter of {what} must be the context of the pass");
        errors.push(&last.ty, headline, "write `cx: &mut Pass<'_>`");
        return None;
    }
    named(&last.pat, errors)
}

/// A method must take its dependencies from its struct.
pub(crate) fn check_fields(function: &Function, dependencies: &[Type], errors: &mut Errors) {
    let (Some(home), params) = (&function.home, function.params()) else { return };
    if let (Some(param), false) = (params.get(1), dependencies.is_empty()) {
        let help = format!("make it a field of `{}`", home.name);
        errors.push(param, "the pipeline of a struct takes the object and the context only", help);
    }
}

/// `self.step(..)` must be a step of the same `impl`.
pub(crate) fn check_methods(function: &Function, pipeline: &Pipeline, errors: &mut Errors) {
    for call in pipeline.calls() {
        let Callee::Method(method) = &call.callee else { continue };
        let name = &method.name;
        let Some(home) = &function.home else {
            errors.push(&method.receiver, FREE_STATEMENT, "a free function has no `self`: call a function");
            continue;
        };
        if !home.steps.contains(name) {
            let steps: Vec<String> = home.steps.iter().map(plain).collect();
            let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
            let help = match suggest::nearest(&plain(name), &steps) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "mark it in this `impl` with `#[sub_reconciler(sets(..))]`".to_owned(),
            };
            errors.push(name, format_args!("`{}` has no step `{name}`", home.name), help);
        }
    }
}

/// The name of a parameter that the pipeline passes on. It must have one.
pub(crate) fn named(pattern: &Pat, errors: &mut Errors) -> Option<Ident> {
    match pattern {
        Pat::Ident(ident) if ident.by_ref.is_none() && ident.subpat.is_none() => Some(ident.ident.clone()),
        other => {
            errors.push(other, "a parameter of a reconciler has a plain name", "write a name without a pattern");
            None
        }
    }
}
