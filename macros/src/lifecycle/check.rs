//! Checks of a claim, a hook or a daemon.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{FnArg, ReturnType, Type};

use super::model::{Shape, What};
use crate::errors::Errors;
use crate::syntax::context_type::is_borrow_of;
use crate::syntax::function::{Function, behind};
use crate::syntax::signature::{check_named, check_plain, parse_dependencies, parse_object};

/// The object, the dependencies and the result, if all of them are valid.
pub(super) fn shape(kind: What, function: &Function, errors: &mut Errors) -> Option<Shape> {
    let (before, what) = (errors.count(), format!("{} `{}`", kind.word(), function.sig.ident));
    check_plain(&what, &function.sig, errors);
    if kind == What::Claim {
        check_changes(&what, function, errors);
    }
    if kind == What::Daemon {
        check_handle(&what, function, errors);
    }
    let output = output(&what, function, errors);
    if errors.count() > before {
        return None;
    }
    let step = as_step(kind, function);
    let object = parse_object(&what, &step, errors).filter(|_| check_named(&what, function, errors));
    let dependencies = parse_dependencies(&what, &step, errors);
    if let (Some(home), Some(param), false) = (&function.home, function.params().get(1), dependencies.is_empty()) {
        let help = format!("make it a field of `{}`", home.name);
        let (word, more) = (kind.word(), if kind == What::Daemon { " and its `Daemon`" } else { "" });
        errors.push(param, format_args!("a {word} of a struct takes the object{more} only"), help);
    }
    let (object, output) = object.zip(output).filter(|_| errors.count() == before)?;
    Some(Shape { object, dependencies, output })
}

/// A daemon takes the `Daemon` by which it requests a reconcile.
fn check_handle(what: &str, function: &Function, errors: &mut Errors) {
    let params = function.params();
    let last = params.last().filter(|_| params.len() > 1);
    if !last.is_some_and(|last| is_borrow_of(&last.ty, "Daemon")) {
        let help = "write `daemon: &Daemon` as the last parameter";
        let headline = format!("{what} takes the object first and a `&Daemon` last");
        match last {
            Some(last) => errors.push(&last.ty, headline, help),
            None => errors.push(&function.sig.ident, headline, help),
        }
    }
}

/// Rejects an argument of a step, since a claim or a hook has no context.
pub(super) fn refuse_step_word(kind: What, word: &Ident, errors: &mut Errors) {
    let headline = format!("a {} cannot declare `{word}`: it has no context and sets no condition", kind.word());
    errors.push(word, headline, "drop it; only a step of the pipeline can declare it");
}

/// A hook must declare when it runs.
pub(super) fn refuse_never(function: &Function, errors: &mut Errors) {
    let name = &function.sig.ident;
    let help = "`#[hook(before_steps)]`; or `read`, `after_steps`, `before_delete`, `after_delete`";
    errors.push(name, format_args!("hook `{name}` does not declare when it runs"), help);
}

/// A claim must borrow the object mutably, since its purpose is to change it.
fn check_changes(what: &str, function: &Function, errors: &mut Errors) {
    let params = function.params();
    let Some(first) = params.first() else {
        let help = "the first parameter is the object: `repo: &mut GitRepository`";
        return errors.push(&function.sig.ident, format_args!("{what} needs an object"), help);
    };
    if behind(&first.ty).is_none_or(|reference| reference.mutability.is_none()) {
        let ty = behind(&first.ty).map_or(&*first.ty, |reference| &*reference.elem).to_token_stream();
        let help = format!("write `{}: &mut {}`", first.pat.to_token_stream(), ty.to_string().replace(' ', ""));
        errors.push(&first.ty, format_args!("{what} changes its object"), help);
    }
}

fn output(what: &str, function: &Function, errors: &mut Errors) -> Option<Type> {
    match &function.sig.output {
        ReturnType::Type(_, ty) => Some((**ty).clone()),
        ReturnType::Default => {
            let help = "write `-> Result<(), E>`, where `E` derives `ReconcileError`";
            errors.push(&function.sig.ident, format_args!("{what} must return a `Result`"), help);
            None
        }
    }
}

/// The same function in the form of a step, to reuse the checks of steps: the object borrowed, a context last. A daemon has that form.
fn as_step(kind: What, function: &Function) -> Function {
    let mut sig = function.sig.clone();
    let first = sig.inputs.iter_mut().find_map(|input| match input {
        FnArg::Typed(typed) => Some(typed),
        FnArg::Receiver(_) => None,
    });
    if let (What::Claim, Some(Type::Reference(reference))) = (kind, first.map(|typed| &mut *typed.ty)) {
        reference.mutability = None;
    }
    if kind != What::Daemon {
        sig.inputs.push(syn::parse_quote!(_: &mut ()));
    }
    let Function { attrs, vis, body, home, .. } = function;
    Function { attrs: attrs.clone(), vis: vis.clone(), sig, body: body.clone(), home: home.clone(), called: None }
}
