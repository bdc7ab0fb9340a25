//! The validated cleanup.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Path, PathArguments, Type};

use super::args::CleanupArgs;
use super::check;
use crate::errors::Errors;
use crate::syntax::context_type::{self, fill_in};
use crate::syntax::function::Function;
use crate::syntax::krate::Krate;
use crate::syntax::marker::Marker;
use crate::syntax::reason_literal::{check_reasons, hold};
use crate::syntax::signature::{bind_generics, check_named, parse_dependencies, parse_object};

pub(crate) struct Cleanup {
    pub(crate) krate: Krate,
    /// The step that it undoes.
    pub(crate) of: Path,
    pub(crate) function: Function,
    pub(crate) object: Type,
    pub(crate) dependencies: Vec<Type>,
    pub(crate) marker: Marker,
}

pub(crate) fn read(
    mut args: CleanupArgs,
    mut function: Function,
    errors: &mut Errors,
) -> Result<Cleanup, Box<(CleanupArgs, Function)>> {
    let what = format!("cleanup `{}`", function.sig.ident);
    check::check_of(&args, &function, errors);
    check::check_shape(&what, &function, errors);
    if let Some(context) = context_type::name(&function) {
        check_reasons(&function.body, context, errors);
        function.body = hold(&function.body, context, &args.krate);
    }
    let object = parse_object(&what, &function, errors).filter(|_| check_named(&what, &function, errors));
    if let (Some(step), Some(_)) = (&args.of, &object) {
        let step = step.segments.last().map_or_else(String::new, |segment| segment.ident.to_string());
        check::check_context(&what, &step, &function, errors);
        context_type::mend(&mut function);
    }
    if args.of.is_none() {
        args.of = implied(&function);
    }
    bind_generics(&mut function, object.as_ref(), &args.krate);
    let marker = Marker::of(&function, None);
    let dependencies = parse_dependencies(&what, &function, errors);
    check::check_home(&mut args, &function, &dependencies, errors);
    args.of = args.of.map(|of| marker.share(of));
    match &args.of {
        Some(step) => fill_in(&mut function, &closed(step)),
        None => fill_in(&mut function, &poison(&args.krate)),
    }
    match (&args.of, object) {
        (Some(of), Some(object)) if errors.count() == 0 => {
            Ok(Cleanup { krate: args.krate, of: of.clone(), function, object, dependencies, marker })
        }
        _ => Err(Box::new((args, function))),
    }
}

/// The step with empty type arguments, `fetch<>`. For an unknown step without them rustc also suggests a type parameter, and so reports the
/// same mistake twice.
fn closed(step: &Path) -> Path {
    let mut step = step.clone();
    if let Some(last) = step.segments.last_mut().filter(|last| last.arguments.is_none()) {
        last.arguments = PathArguments::AngleBracketed(syn::parse_quote!(<>));
    }
    step
}

/// The context of a placeholder step, so that the signature is valid.
fn poison(krate: &Krate) -> TokenStream {
    quote!(#krate::ErrorPlaceholder)
}

/// The step in the context of the cleanup. If `of` is missing, this step counts as cleaned up.
fn implied(function: &Function) -> Option<Path> {
    match context_type::step(&function.params().last()?.ty)? {
        Type::Path(path) => Some(path.path.clone()),
        _ => None,
    }
}
