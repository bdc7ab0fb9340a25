//! Checks of the arguments and the signature of a route.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{GenericArgument, LitStr, Pat, PatType, PathArguments, ReturnType, Type};

use super::args::RouteArgs;
use super::reads;
use crate::errors::Errors;
use crate::syntax::function::{Function, behind};
use crate::syntax::names::path_text;
use crate::syntax::signature::{check_generics, check_qualifiers};
use crate::syntax::suggest;

/// A route has one method, a path and a kind.
pub(super) fn check_args(named: &str, args: &RouteArgs, name: &Ident, errors: &mut Errors) {
    if let [_, second, ..] = &*args.methods {
        let help = "keep one of them, and write another function for the other method";
        errors.push(second, "a route answers one method", help);
    }
    if args.wrong {
        return;
    }
    if args.methods.is_empty() {
        errors.push(
            name,
            format_args!("{named} has no method"),
            "begin with it: `#[route(get, \"/artifact\", of = ..)]`",
        );
    } else if args.path.is_none() {
        errors.push(name, format_args!("{named} has no path"), "write it: `#[route(get, \"/artifact\", of = ..)]`");
    } else if args.of.is_none() {
        let help = "name the kind: `#[route(get, \"/artifact\", of = GitRepository)]`";
        errors.push(name, format_args!("{named} does not name its kind"), help);
    }
}

/// The form of the function, except for its parameters.
pub(super) fn check_form(named: &str, function: &Function, errors: &mut Errors) {
    let sig = &function.sig;
    check_qualifiers(named, sig, "write a plain `fn` or `async fn`", errors);
    check_generics(named, sig, errors);
    if let Some(receiver) = sig.receiver() {
        let help = "write a function outside of the `impl`, and take what it needs as parameters";
        errors.push(receiver, format_args!("{named} takes `self`"), help);
    }
    if matches!(sig.output, ReturnType::Default) {
        errors.push(&sig.ident, format_args!("{named} must return a `Reply`"), "write `-> Reply`");
    }
}

/// The kind, which the first parameter borrows.
pub(super) fn object(named: &str, args: &RouteArgs, function: &Function, errors: &mut Errors) -> Option<Type> {
    let of = args.of.as_ref().map_or_else(|| "GitRepository".to_owned(), path_text);
    let params = function.params();
    let Some(first) = params.first().filter(|first| !is_call(&first.ty)) else {
        let help = format!("the first parameter is the object: `object: &{of}`");
        errors.push(&function.sig.ident, format_args!("{named} needs an object"), help);
        return None;
    };
    let borrowed = behind(&first.ty).filter(|borrowed| borrowed.mutability.is_none());
    let Some(borrowed) = borrowed else {
        let help = format!("write `{}: &{of}`", first.pat.to_token_stream());
        errors.push(&first.ty, format_args!("{named} borrows its object"), help);
        return None;
    };
    let taken = borrowed.elem.to_token_stream().to_string().replace(' ', "");
    if args.of.is_some() && taken != of {
        let help = format!("take `&{of}`, or write `of = {taken}`");
        errors.push(&borrowed.elem, format_args!("{named} is about `{of}`, and takes `{taken}`"), help);
        return None;
    }
    Some((*borrowed.elem).clone())
}

/// Whether the type is that of a request.
pub(super) fn is_call(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Call"))
}

/// A request for the time of the program, which no request is.
pub(super) fn check_lifetime(named: &str, param: &PatType, errors: &mut Errors) {
    let Type::Path(path) = &*param.ty else { return };
    let Some(PathArguments::AngleBracketed(args)) = path.path.segments.last().map(|last| &last.arguments) else {
        return;
    };
    let is_static =
        |arg: &&GenericArgument| matches!(arg, GenericArgument::Lifetime(lifetime) if lifetime.ident == "static");
    if let Some(lifetime) = args.args.iter().find(is_static) {
        let help = format!("write `{}: Call<'_>`", param.pat.to_token_stream());
        errors.push(lifetime, format_args!("{named} has its request for one call"), help);
    }
}

/// A request that is borrowed.
pub(super) fn check_call(named: &str, param: &PatType, errors: &mut Errors) -> bool {
    let is_borrowed = behind(&param.ty).is_some_and(|borrowed| is_call(&borrowed.elem));
    if is_borrowed {
        let help = format!("write `{}: Call<'_>`", param.pat.to_token_stream());
        errors.push(&param.ty, format_args!("{named} takes its request by value"), help);
    }
    is_borrowed
}

/// Each part in braces is read, and only parts of the path are read.
pub(super) fn check_params(
    path: &LitStr,
    params: &[String],
    function: &Function,
    call: Option<&PatType>,
    errors: &mut Errors,
) {
    let Some(call) = call else {
        if let Some(param) = params.first() {
            let help =
                "take the request as the last parameter, `request: Call<'_>`, and read it by `request.param(..)`";
            errors.push(path, format_args!("`{{{param}}}` is not read: the function takes no `Call`"), help);
        }
        return;
    };
    let Pat::Ident(name) = &*call.pat else { return };
    let reads = reads::find(function.body.stream(), &name.ident);
    let known: Vec<&str> = params.iter().map(String::as_str).collect();
    for read in &reads.params {
        if !known.contains(&&*read.value()) {
            let help = match known.is_empty() {
                true => format!("write the part into the path: `\"{}/{{{}}}\"`", path.value(), read.value()),
                false => suggest::help(&read.value(), &known),
            };
            errors.push(read, format_args!("the path has no part `{{{}}}`", read.value()), help);
        }
    }
    let unread = params.iter().find(|param| !reads.params.iter().any(|read| read.value() == **param));
    if let Some(param) = unread.filter(|_| !reads.others && errors.count() == 0) {
        let help = format!("read it by `{}.param(\"{param}\")`, or remove it from the path", name.ident);
        errors.push(path, format_args!("`{{{param}}}` is not read"), help);
    }
}
