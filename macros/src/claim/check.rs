//! What a claim may not be.

use quote::ToTokens;
use syn::{FnArg, ReturnType, Type};

use super::Shape;
use crate::errors::Errors;
use crate::syntax::function::{Function, behind};
use crate::syntax::shape::{check_named, check_plain, parse_dependencies, parse_object};

/// Object, dependencies and result, if all of them are right.
pub(super) fn shape(function: &Function, errors: &mut Errors) -> Option<Shape> {
    let (before, what) = (errors.count(), format!("claim `{}`", function.sig.ident));
    check_plain(&what, &function.sig, errors);
    check_changes(&what, function, errors);
    let output = output(&what, function, errors);
    if errors.count() > before {
        return None;
    }
    let step = as_step(function);
    let object = parse_object(&what, &step, errors).filter(|_| check_named(&what, function, errors));
    let dependencies = parse_dependencies(&what, &step, errors);
    if let (Some(home), Some(param), false) = (&function.home, function.params().get(1), dependencies.is_empty()) {
        let help = format!("make it a field of `{}`", home.name);
        errors.push(param, "a claim of a struct takes the object only", help);
    }
    let (object, output) = object.zip(output).filter(|_| errors.count() == before)?;
    Some(Shape { object, dependencies, output })
}

/// It changes the object: that is what it is for.
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

/// The same function in the shape of a step, whose rules are shared: the object borrowed, a context last.
fn as_step(function: &Function) -> Function {
    let mut sig = function.sig.clone();
    let first = sig.inputs.iter_mut().find_map(|input| match input {
        FnArg::Typed(typed) => Some(typed),
        FnArg::Receiver(_) => None,
    });
    if let Some(Type::Reference(reference)) = first.map(|typed| &mut *typed.ty) {
        reference.mutability = None;
    }
    sig.inputs.push(syn::parse_quote!(_: &mut ()));
    let Function { attrs, vis, body, home, .. } = function;
    Function { attrs: attrs.clone(), vis: vis.clone(), sig, body: body.clone(), home: home.clone() }
}
