//! The validated route.

use proc_macro2::Ident;
use syn::{LitStr, Type};

use super::args::RouteArgs;
use super::{check, path};
use crate::errors::Errors;
use crate::syntax::function::Function;
use crate::syntax::marker::Marker;
use crate::syntax::signature::parse_borrowed;

/// The parsed route, valid or not.
pub(super) struct Draft {
    pub(super) args: RouteArgs,
    pub(super) function: Function,
    pub(super) marker: Marker,
    pub(super) object: Option<Type>,
    pub(super) dependencies: Vec<Type>,
}

/// A valid route.
pub(super) struct Route {
    pub(super) args: RouteArgs,
    pub(super) method: Ident,
    pub(super) path: LitStr,
    pub(super) function: Function,
    pub(super) marker: Marker,
    pub(super) object: Type,
    pub(super) dependencies: Vec<Type>,
    pub(super) has_call: bool,
}

pub(super) fn read(args: RouteArgs, function: Function, errors: &mut Errors) -> Result<Route, Box<Draft>> {
    let named = format!("route `{}`", function.sig.ident);
    check::check_args(&named, &args, &function.sig.ident, errors);
    check::check_form(&named, &function, errors);
    let object = check::object(&named, &args, &function, errors);
    let mut params = function.params().into_iter().skip(1).collect::<Vec<_>>();
    let call = params.last().copied().filter(|last| check::is_call(&last.ty));
    if let Some(call) = call {
        check::check_lifetime(&named, call, errors);
    }
    let is_borrowed = call.is_none() && params.last().is_some_and(|last| check::check_call(&named, last, errors));
    params.truncate(params.len() - usize::from(call.is_some() || is_borrowed));
    let dependencies = match object {
        Some(_) => parse_borrowed(&named, &params, errors),
        None => Vec::new(),
    };
    if let Some(path) = &args.path {
        let before = errors.count();
        let params = path::params(path, errors);
        if errors.count() == before && !is_borrowed {
            check::check_params(path, &params, &function, call, errors);
        }
    }
    let (marker, has_call) = (Marker::of(&function, None), call.is_some());
    let draft = Draft { args, function, marker, object, dependencies };
    match (draft, errors.count()) {
        (Draft { mut args, function, marker, object: Some(object), dependencies }, 0) if args.path.is_some() => {
            match (args.methods.pop(), args.path.take()) {
                (Some(method), Some(path)) => {
                    Ok(Route { args, method, path, function, marker, object, dependencies, has_call })
                }
                // `check_args` has reported both.
                (_, path) => {
                    args.path = path;
                    Err(Box::new(Draft { args, function, marker, object: Some(object), dependencies }))
                }
            }
        }
        (draft, _) => Err(Box::new(draft)),
    }
}
