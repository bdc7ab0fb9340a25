//! Checks of signatures that steps, cleanups and reconcilers share.

use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::{FnArg, GenericParam, PatType, Path, Receiver, ReceiverKind, Safety, Signature, Type};

use crate::errors::Errors;
use crate::syntax::function::{Function, behind, keyword};
use crate::syntax::krate::Krate;

/// Parses a function, or reports that `attribute` is on another item.
pub(crate) fn parse_function(attribute: &str, item: &TokenStream, errors: &mut Errors) -> Option<Function> {
    match syn::parse2(item.clone()) {
        Ok(function) => Some(function),
        Err(error) => {
            let a =
                if ["validate", "mutate", "route", "rule"].contains(&attribute) { "a `fn`" } else { "an `async fn`" };
            let or = if ["reconciler", "watcher"].contains(&attribute) { " or an `impl`" } else { "" };
            match keyword(item) {
                Some(word) => errors.push(
                    &word,
                    format_args!("`#[{attribute}]` belongs on {a}{or}, not on `{word}`"),
                    format_args!("move the attribute to a function{or}"),
                ),
                None => errors.add(error),
            }
            None
        }
    }
}

/// The function must be a plain `async fn`. `what` is the subject of the error, such as "step `fetch`".
pub(crate) fn check_plain(what: &str, sig: &Signature, errors: &mut Errors) {
    if sig.asyncness.is_none() {
        errors.push(sig.fn_token, format_args!("{what} must be an `async fn`"), "write `async fn`");
    }
    check_qualifiers(what, sig, "write a plain `async fn`", errors);
}

/// The function must not be `const`, `unsafe`, `extern` or variadic.
pub(crate) fn check_qualifiers(what: &str, sig: &Signature, help: &str, errors: &mut Errors) {
    let odd: [Option<(&dyn ToTokens, &str)>; 4] = [
        sig.constness.as_ref().map(|t| (t as &dyn ToTokens, "const")),
        matches!(sig.safety, Safety::Unsafe(_)).then_some((&sig.safety as &dyn ToTokens, "unsafe")),
        sig.abi.as_ref().map(|t| (t as &dyn ToTokens, "extern")),
        sig.variadic.as_ref().map(|t| (t as &dyn ToTokens, "variadic")),
    ];
    for (token, word) in odd.into_iter().flatten() {
        errors.push(token, format_args!("{what} cannot be `{word}`"), help);
    }
}

/// A reconciler must not be generic.
pub(crate) fn check_generics(what: &str, sig: &Signature, errors: &mut Errors) {
    for param in &sig.generics.params {
        let ident = match param {
            GenericParam::Lifetime(_) => continue,
            GenericParam::Type(param) => &param.ident,
            GenericParam::Const(param) => &param.ident,
        };
        errors.push(ident, format_args!("{what} cannot be generic over `{ident}`"), "use a concrete type");
    }
}

/// The type parameters must have names, since they are part of the type of a step.
pub(crate) fn check_named(what: &str, function: &Function, errors: &mut Errors) -> bool {
    let before = errors.count();
    for param in function.params() {
        let inner = behind(&param.ty).map_or(&*param.ty, |reference| &reference.elem);
        if let Type::ImplTrait(ty) = inner {
            let bounds = ty.bounds.to_token_stream().to_string().replace(' ', "");
            let help = format!("name it: `{}<O: {bounds}>(object: &O, ..)`", function.sig.ident);
            errors.push(ty, format_args!("{what} cannot take `impl {bounds}`"), help);
        }
    }
    errors.count() == before
}

/// Adds the bounds of a step's type parameters: all are `'static`, and that of its object can be reconciled.
pub(crate) fn bind_generics(function: &mut Function, object: Option<&Type>, krate: &Krate) {
    let generics = &mut function.sig.generics;
    let params: Vec<Ident> = generics.type_params().map(|param| param.ident.clone()).collect();
    if !params.is_empty() {
        // The author may have bounds in the other location.
        function.attrs.push(syn::parse_quote!(#[allow(clippy::multiple_bound_locations)]));
    }
    for param in params {
        let bound = match object {
            Some(Type::Path(path)) if path.path.is_ident(&param) => syn::parse_quote!(#param: #krate::Primary),
            _ => syn::parse_quote!(#param: 'static),
        };
        generics.make_where_clause().predicates.push(bound);
    }
}

/// A free function has no `self`. A method must borrow it, since passes for several objects run concurrently.
fn check_receiver(what: &str, function: &Function, errors: &mut Errors) -> bool {
    let (before, sig) = (errors.count(), &function.sig);
    match (&function.home, sig.inputs.first()) {
        (None, Some(FnArg::Receiver(receiver))) => {
            let help = "put `#[reconciler(conditions = ..)]` on the `impl`, or take its dependencies as parameters";
            errors.push(receiver, format_args!("{what} takes `self` outside of a `#[reconciler]` impl"), help);
        }
        (Some(_), Some(FnArg::Receiver(receiver))) if !is_borrow(receiver) => {
            let help = "write `&self`: the passes of many objects share it";
            errors.push(receiver, format_args!("{what} must take `&self`"), help);
        }
        (Some(home), None | Some(FnArg::Typed(_))) => {
            let help = format!("write `&self` first, or move it out of the `impl` of `{}`", home.name);
            errors.push(&sig.ident, format_args!("{what} must take `&self`"), help);
        }
        (None, None | Some(FnArg::Typed(_))) | (Some(_), Some(FnArg::Receiver(_))) => {}
    }
    errors.count() == before
}

fn is_borrow(receiver: &Receiver) -> bool {
    matches!(receiver.kind, ReceiverKind::Reference(_, _, None))
}

/// The type of the object, which the first parameter borrows.
pub(crate) fn parse_object(what: &str, function: &Function, errors: &mut Errors) -> Option<Type> {
    if !check_receiver(what, function, errors) {
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

/// The dependencies, which the parameters between object and context borrow.
pub(crate) fn parse_dependencies(what: &str, function: &Function, errors: &mut Errors) -> Vec<Type> {
    let params = function.params();
    parse_borrowed(what, params.get(1..params.len().saturating_sub(1)).unwrap_or_default(), errors)
}

/// The dependencies, which these parameters borrow.
pub(crate) fn parse_borrowed(what: &str, params: &[&PatType], errors: &mut Errors) -> Vec<Type> {
    let mut found: Vec<Type> = Vec::new();
    for param in params {
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

/// The path as that of an item, so that rustc reports a misspelt step in the same words with and without variables in scope.
pub(crate) fn apart(path: &Path) -> Path {
    let mut path = path.clone();
    if let (1, Some(only)) = (path.segments.len(), path.segments.first_mut()) {
        only.ident.set_span(only.ident.span().resolved_at(Span::mixed_site()));
    }
    path
}
