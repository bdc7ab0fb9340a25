//! The refusals of arguments and signatures.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{FnArg, Pat, PatType, ReturnType, Safety, Signature, Type};

use super::args::RuleArgs;
use super::form::Form;
use crate::errors::Errors;
use crate::syntax::function::{Function, behind};
use crate::syntax::signature::check_generics;
use crate::syntax::suggest::{list, nearest};

/// The reasons of a rule in a CRD.
const REASONS: [&str; 4] = ["FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate"];
/// The reasons of a rule in a policy.
const POLICY_REASONS: [&str; 4] = ["Invalid", "Forbidden", "Unauthorized", "RequestEntityTooLarge"];

/// A rule must name its kind.
pub(super) fn check_of(args: &RuleArgs, name: &Ident, errors: &mut Errors) {
    if args.of.is_none() && !args.wrong {
        let help = "name the kind: `#[rule(of = GitRepository, at = spec)]`";
        errors.push(name, format_args!("rule `{name}` does not name its kind"), help);
    }
}

/// The function is plain, and the API server only learns whether the rule holds.
pub(super) fn check_shape(what: &str, sig: &Signature, errors: &mut Errors) {
    if let Some(asyncness) = &sig.asyncness {
        errors.push(
            asyncness,
            format_args!("{what} cannot be `async`"),
            "the API server evaluates it: write a plain `fn`",
        );
    }
    if let Safety::Unsafe(_) = &sig.safety {
        errors.push(&sig.safety, format_args!("{what} cannot be `unsafe`"), "write a plain `fn`");
    }
    if let Some(FnArg::Receiver(receiver)) = sig.inputs.first() {
        errors.push(receiver, format_args!("{what} cannot take `self`"), "move it out of the `impl`");
    }
    check_generics(what, sig, errors);
    let is_bool = |ty: &Type| ty.to_token_stream().to_string() == "bool";
    match &sig.output {
        ReturnType::Type(_, ty) if is_bool(ty) => {}
        ReturnType::Type(_, ty) => errors.push(ty, format_args!("{what} returns whether it holds"), "write `-> bool`"),
        ReturnType::Default => {
            errors.push(&sig.ident, format_args!("{what} returns whether it holds"), "write `-> bool`");
        }
    }
}

/// Reads the form from the parameters.
pub(super) fn check_params(what: &str, args: &RuleArgs, function: &Function, errors: &mut Errors) -> Option<Form> {
    let (before, params) = (errors.count(), function.params());
    let form = match params.iter().any(|param| is_request(&param.ty)) {
        true => check_policy(what, args, &params, errors),
        false => check_part(what, args, function, &params, errors),
    };
    for param in &params {
        if !matches!(&*param.pat, Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none())
            && !matches!(&*param.pat, Pat::Wild(_))
        {
            errors.push(&param.pat, format_args!("{what} names its parameters"), "write a name, such as `new`");
        }
    }
    form.filter(|_| errors.count() == before)
}

fn is_request(ty: &Type) -> bool {
    let inner = behind(ty).map_or(ty, |reference| &reference.elem);
    matches!(inner, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Request"))
}

const POLICY: &str = "write `(new: &K, old: Option<&K>, request: &Request)`, with the kind `K`";
const PART: &str = "write `(new: &T)` or `(new: &T, old: &T)` with the type `T` of the field in `at`";

/// A rule with a request: the whole object, the old one, the request.
fn check_policy(what: &str, args: &RuleArgs, params: &[&PatType], errors: &mut Errors) -> Option<Form> {
    let before = errors.count();
    if let Some(first) = args.at.as_ref().and_then(|at| at.first()) {
        errors.push(first, "a rule with a request is about the whole object", "leave out `at`");
    }
    if let Some(first) = args.field.as_ref().and_then(|field| field.first()) {
        errors.push(first, "a rule with a request names no field", "leave out `field`, and name it in the message");
    }
    let wrong = match params {
        [new, old, request] => {
            let fits = [is_borrow(&new.ty), is_option(&old.ty), is_request(&request.ty) && is_borrow(&request.ty)];
            params.iter().zip(fits).find(|(_, fits)| !fits).map(|(param, _)| param.ty.to_token_stream())
        }
        _ => params.iter().find(|param| is_request(&param.ty)).map(|param| param.ty.to_token_stream()),
    };
    if let Some(wrong) = wrong {
        errors.push(wrong, format_args!("{what} takes the object, the old one and the request"), POLICY);
    }
    (errors.count() == before).then_some(Form::Policy)
}

/// A rule about a part of the object.
fn check_part(
    what: &str,
    args: &RuleArgs,
    function: &Function,
    params: &[&PatType],
    errors: &mut Errors,
) -> Option<Form> {
    let name = &function.sig.ident;
    if args.at.is_none() && !args.wrong {
        let help = "write `at = spec` for a part of the object, or take the whole one with `request: &Request`";
        errors.push(name, format_args!("{what} does not say to which part it belongs"), help);
        return None;
    }
    let (new, old) = match params {
        [new] => (new, None),
        [new, old] => (new, Some(old)),
        _ => {
            errors.push(name, format_args!("{what} takes the new value, or the new and the old one"), PART);
            return None;
        }
    };
    let Some(ty) = behind(&new.ty).filter(|reference| reference.mutability.is_none()) else {
        errors.push(&new.ty, format_args!("{what} borrows the value"), PART);
        return None;
    };
    if let Some(old) = old {
        if is_option(&old.ty) {
            let help = "take it as `old: &T`: the rule is then checked on changes only";
            errors.push(&old.ty, "a rule of a CRD has an old value or none", help);
            return None;
        }
        if !is_borrow(&old.ty) {
            errors.push(&old.ty, format_args!("{what} borrows the value"), PART);
            return None;
        }
    }
    Some(Form::Part { ty: ty.elem.clone(), old: old.is_some() })
}

fn is_borrow(ty: &Type) -> bool {
    behind(ty).is_some_and(|reference| reference.mutability.is_none())
}

fn is_option(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Option"))
}

/// A message is one line, and a reason one of those that the API server accepts.
pub(super) fn check_texts(args: &RuleArgs, form: &Form, errors: &mut Errors) {
    if let Some(message) = &args.message {
        let text = message.value();
        if text.trim().is_empty() || text.contains(['\n', '\r']) {
            errors.push(message, "a message is one line of text", "write `message = \"the URL cannot be changed\"`");
        }
    }
    let reasons = match form {
        Form::Part { .. } => &REASONS,
        Form::Policy => &POLICY_REASONS,
    };
    if let Some(reason) = args.reason.as_ref().filter(|reason| !reasons.contains(&reason.value().as_str())) {
        let text = reason.value();
        let help = match nearest(&text, reasons) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("use {}", list(reasons)),
        };
        errors.push(reason, "the API server does not know this reason", help);
    }
}
