//! Checks of a cleanup.

use quote::{ToTokens, format_ident};
use syn::{ReturnType, Type};

use super::args::CleanupArgs;
use crate::errors::Errors;
use crate::syntax::context_type::is_context;
use crate::syntax::function::Function;
use crate::syntax::names::plain;
use crate::syntax::signature::check_plain;
use crate::syntax::suggest;

/// A cleanup must name its step.
pub(crate) fn check_of(args: &CleanupArgs, function: &Function, errors: &mut Errors) {
    if args.of.is_none() && !args.wrong {
        let name = &function.sig.ident;
        let help = "name the step that it undoes: `#[cleanup(of = store)]`";
        errors.push(name, format_args!("cleanup `{name}` does not name its step"), help);
    }
}

pub(crate) fn check_shape(what: &str, function: &Function, errors: &mut Errors) {
    check_plain(what, &function.sig, errors);
    if let ReturnType::Default = function.sig.output {
        let headline = format!("{what} must return a `Result`");
        errors.push(&function.sig.ident, headline, "write `-> Result<(), E>` with the error of its step");
    }
}

/// A cleanup must take the context of its step.
pub(crate) fn check_context(what: &str, step: &str, function: &Function, errors: &mut Errors) {
    let params = function.params();
    let Some(last) = params.last().filter(|_| params.len() > 1) else { return };
    if !is_context(&last.ty, "Cx") {
        let headline = format!("the last parameter of {what} must be the context of its step");
        errors.push(&last.ty, headline, format_args!("write `cx: &mut Cx<'_, {step}>`"));
    }
}

/// A method must undo a step of its own `impl` and may use only the fields of its struct. Resolves the step to the path of its marker.
pub(crate) fn check_home(args: &mut CleanupArgs, function: &Function, dependencies: &[Type], errors: &mut Errors) {
    let Some(home) = &function.home else { return };
    if let (Some(param), false) = (function.params().get(1), dependencies.is_empty()) {
        let help = format!("make it a field of `{}`", home.name);
        errors.push(param, "a cleanup of a struct takes the object and the context only", help);
    }
    let Some(of) = args.of.take() else { return };
    let (module, name) = (&home.module, of.to_token_stream().to_string());
    let mut step = of.get_ident().filter(|step| home.steps.contains(step)).cloned();
    if step.is_none() {
        let steps: Vec<String> = home.steps.iter().map(plain).collect();
        let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
        errors.push(&of, format_args!("`{}` has no step `{name}`", home.name), suggest::help(&name, &steps));
        // The nearest step counts as cleaned up, to avoid a second error.
        step = suggest::nearest(&name, &steps).map(|near| format_ident!("{near}"));
    }
    args.of = step.map(|step| syn::parse_quote!(#module::#step));
}
