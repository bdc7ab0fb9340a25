//! Rules for the shape of a function that steps, cleanups and reconcilers share.

use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::{FnArg, GenericParam, Safety, Signature, Type};

use crate::errors::Errors;
use crate::syntax::function::{Function, behind, keyword};

/// Parses a function, or says that `attribute` stands on something else.
pub(crate) fn parse_function(attribute: &str, item: &TokenStream, errors: &mut Errors) -> Option<Function> {
    match syn::parse2(item.clone()) {
        Ok(function) => Some(function),
        Err(error) => {
            match keyword(item) {
                Some(word) => errors.push(
                    &word,
                    format_args!("`#[{attribute}]` goes on an `async fn`, not on `{word}`"),
                    "move the attribute to a function",
                ),
                None => errors.add(error),
            }
            None
        }
    }
}

/// The function is a plain `async fn`: `what` is "step `fetch`" or its like.
pub(crate) fn check_plain(what: &str, sig: &Signature, errors: &mut Errors) {
    if sig.asyncness.is_none() {
        errors.push(sig.fn_token, format_args!("{what} must be an `async fn`"), "write `async fn`");
    }
    let odd: [Option<(&dyn ToTokens, &str)>; 4] = [
        sig.constness.as_ref().map(|t| (t as &dyn ToTokens, "const")),
        matches!(sig.safety, Safety::Unsafe(_)).then_some((&sig.safety as &dyn ToTokens, "unsafe")),
        sig.abi.as_ref().map(|t| (t as &dyn ToTokens, "extern")),
        sig.variadic.as_ref().map(|t| (t as &dyn ToTokens, "variadic")),
    ];
    for (token, word) in odd.into_iter().flatten() {
        errors.push(token, format_args!("{what} cannot be `{word}`"), "write a plain `async fn`");
    }
    check_generics(what, sig, errors);
}

/// A generic function has no single marker.
fn check_generics(what: &str, sig: &Signature, errors: &mut Errors) {
    for param in &sig.generics.params {
        let ident = match param {
            GenericParam::Lifetime(_) => continue,
            GenericParam::Type(param) => &param.ident,
            GenericParam::Const(param) => &param.ident,
        };
        errors.push(ident, format_args!("{what} cannot be generic over `{ident}`"), "use a concrete type");
    }
}

/// There is no `self`.
pub(crate) fn check_receiver(what: &str, sig: &Signature, errors: &mut Errors) {
    if let Some(FnArg::Receiver(receiver)) = sig.inputs.first() {
        let help = "take what it needs as parameters: `repo: &GitRepository, git: &Git, ..`";
        errors.push(receiver, format_args!("{what} is a free function and has no `self`"), help);
    }
}

/// The type of the object: what the first parameter borrows.
pub(crate) fn parse_object(what: &str, function: &Function, errors: &mut Errors) -> Option<Type> {
    check_receiver(what, &function.sig, errors);
    if function.sig.receiver().is_some() {
        return None;
    }
    let params = function.params();
    let Some(first) = params.first().filter(|_| params.len() > 1) else {
        let help = "the first parameter is the object, the last the context: `repo: &GitRepository, .., cx: &mut ..`";
        errors.push(&function.sig.ident, format_args!("{what} needs an object and a context"), help);
        return None;
    };
    match behind(&first.ty) {
        Some(reference) if reference.mutability.is_none() => Some((*reference.elem).clone()),
        _ => {
            let ty = object_type(&first.ty);
            let help = format!("write `{}: &{ty}`", first.pat.to_token_stream());
            errors.push(&first.ty, format_args!("{what} borrows its object"), help);
            None
        }
    }
}

fn object_type(ty: &Type) -> String {
    let inner = behind(ty).map_or(ty, |reference| &reference.elem);
    inner.to_token_stream().to_string().replace(' ', "")
}

/// What a parameter between object and context borrows: a dependency.
pub(crate) fn parse_dependencies(what: &str, function: &Function, errors: &mut Errors) -> Vec<Type> {
    let params = function.params();
    let inner = params.get(1..params.len().saturating_sub(1)).unwrap_or_default();
    let mut found: Vec<Type> = Vec::new();
    for param in inner {
        let Some(reference) = behind(&param.ty).filter(|reference| reference.mutability.is_none()) else {
            let help = format!("write `&{}`", object_type(&param.ty));
            errors.push(&param.ty, format_args!("{what} borrows its dependencies"), help);
            continue;
        };
        let same =
            |earlier: &Type| earlier.to_token_stream().to_string() == reference.elem.to_token_stream().to_string();
        if found.iter().any(same) {
            let ty = object_type(&reference.elem);
            let help = format!("wrap one of them: `struct Other({ty});`");
            errors.push(&param.ty, format_args!("{what} has two dependencies of the type `{ty}`"), help);
            continue;
        }
        found.push((*reference.elem).clone());
    }
    found
}

/// An identifier that no user writes.
pub(crate) fn hidden(name: &str) -> Ident {
    hidden_at(name, Span::mixed_site())
}

/// An identifier that no user writes, shown at `span`.
pub(crate) fn hidden_at(name: &str, span: Span) -> Ident {
    Ident::new(&format!("__{name}"), span.resolved_at(Span::mixed_site()))
}
