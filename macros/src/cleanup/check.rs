//! What a cleanup may not be.

use syn::ReturnType;

use super::args::CleanupArgs;
use crate::errors::Errors;
use crate::syntax::context::is_context;
use crate::syntax::function::Function;
use crate::syntax::shape::check_plain;

/// A cleanup names its step.
pub(crate) fn check_of(args: &CleanupArgs, function: &Function, errors: &mut Errors) {
    if args.of.is_none() && !args.wrong {
        let name = &function.sig.ident;
        let help = "name the step that it undoes: `#[cleanup(of = store)]`";
        errors.push(name, format_args!("cleanup `{name}` does not say of which step"), help);
    }
}

pub(crate) fn check_shape(what: &str, function: &Function, errors: &mut Errors) {
    check_plain(what, &function.sig, errors);
    if let ReturnType::Default = function.sig.output {
        let headline = format!("{what} must return a `Result`");
        errors.push(&function.sig.ident, headline, "write `-> Result<(), E>` with the error of its step");
    }
}

/// A cleanup has the context of its step.
pub(crate) fn check_context(what: &str, step: &str, function: &Function, errors: &mut Errors) {
    let params = function.params();
    let Some(last) = params.last().filter(|_| params.len() > 1) else { return };
    if !is_context(&last.ty, "Cx") {
        let headline = format!("the last parameter of {what} must be the context of its step");
        errors.push(&last.ty, headline, format_args!("write `cx: &mut Cx<'_, {step}>`"));
    }
}
