//! The validated review.

use syn::{FnArg, Type};

use super::args::AdmissionArgs;
use super::check;
use super::field;
use super::what::What;
use crate::errors::Errors;
use crate::syntax::context_type::{fill_in_as, is_context};
use crate::syntax::function::Function;
use crate::syntax::marker::Marker;
use crate::syntax::signature::{bind_generics, parse_borrowed};

/// The parsed review, valid or not.
pub(super) struct Draft {
    pub(super) what: What,
    pub(super) args: AdmissionArgs,
    /// The function, with the rest of the type added to a bare `Review`.
    pub(super) function: Function,
    pub(super) marker: Marker,
    pub(super) object: Option<Type>,
    pub(super) dependencies: Vec<Type>,
}

/// A valid review.
pub(super) struct Review {
    pub(super) what: What,
    pub(super) args: AdmissionArgs,
    pub(super) function: Function,
    pub(super) marker: Marker,
    pub(super) object: Type,
    pub(super) takes_old: bool,
    pub(super) dependencies: Vec<Type>,
    pub(super) has_context: bool,
    /// The paths of `field!(..)` in the body.
    pub(super) fields: Vec<String>,
}

pub(super) fn read(
    what: What,
    args: AdmissionArgs,
    mut function: Function,
    errors: &mut Errors,
) -> Result<Review, Box<Draft>> {
    let named = format!("{} `{}`", what.noun(), function.sig.ident);
    check::check_form(&named, &function, errors);
    let object = check::object(what, &named, &function, errors);
    let mut params = function.params().into_iter().skip(1).collect::<Vec<_>>();
    let has_context = match params.last() {
        Some(last) if is_context(&last.ty, "Review") => true,
        Some(last) => check::check_context(&named, last, errors),
        None => false,
    };
    params.truncate(params.len() - usize::from(has_context));
    let takes_old = match (params.first(), &object) {
        (Some(first), Some(object)) => check::is_old(&named, first, object, errors),
        _ => false,
    };
    let dependencies = match object {
        Some(_) => parse_borrowed(&named, &params[usize::from(takes_old)..], errors),
        None => Vec::new(),
    };
    bind_generics(&mut function, None, &args.krate);
    let marker = Marker::of(&function, None);
    if has_context {
        mend(&mut function);
    }
    fill_in_as(&mut function, "Review", &marker);
    let fields = field::find(function.body.stream());
    let draft = Draft { what, args, function, marker, object, dependencies };
    if errors.count() > 0 {
        return Err(Box::new(draft));
    }
    let Draft { what, args, function, marker, object: Some(object), dependencies } = draft else {
        return Err(Box::new(draft));
    };
    Ok(Review { what, args, function, marker, object, takes_old, dependencies, has_context, fields })
}

/// Replaces `cx: Review` and `cx: &Review` by `cx: &mut Review`. The error is already reported.
fn mend(function: &mut Function) {
    let Some(FnArg::Typed(context)) = function.sig.inputs.last_mut() else { return };
    if !is_context(&context.ty, "Review") {
        let owned = match &*context.ty {
            Type::Reference(reference) => (*reference.elem).clone(),
            other => other.clone(),
        };
        *context.ty = syn::parse_quote!(&mut #owned);
    }
}
