//! The context of a step in a signature: `cx: &mut Cx<'_, step>`, or `cx: &mut Cx` for short.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{FnArg, GenericArgument, Pat, PatType, PathArguments, PathSegment, Type};

use crate::syntax::function::{Function, behind};

/// Whether the type is `&mut` of a path that ends in the name.
pub(crate) fn is_context(ty: &Type, name: &str) -> bool {
    let Some(reference) = behind(ty).filter(|reference| reference.mutability.is_some()) else { return false };
    last(&reference.elem).is_some_and(|segment| segment.ident == name)
}

/// Whether the type is `&` of a path that ends in the name.
pub(crate) fn is_borrow_of(ty: &Type, name: &str) -> bool {
    let Some(reference) = behind(ty).filter(|reference| reference.mutability.is_none()) else { return false };
    last(&reference.elem).is_some_and(|segment| segment.ident == name)
}

fn last(ty: &Type) -> Option<&PathSegment> {
    match ty {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    }
}

/// The name of the last parameter, the context.
pub(crate) fn name(function: &Function) -> Option<&Ident> {
    match function.sig.inputs.last()? {
        FnArg::Typed(PatType { pat, .. }) => match &**pat {
            Pat::Ident(pat) => Some(&pat.ident),
            _ => None,
        },
        FnArg::Receiver(_) => None,
    }
}

/// Replaces `cx: Cx` and `cx: &Cx` by `cx: &mut Cx`. The error is already reported, so the expansion must not cause a second one.
pub(crate) fn mend(function: &mut Function) -> bool {
    let Some(FnArg::Typed(context)) = function.sig.inputs.last_mut() else { return false };
    if is_context(&context.ty, "Cx") {
        return false;
    }
    let owned = behind(&context.ty).map_or(&*context.ty, |reference| &reference.elem).clone();
    let is_one = last(&owned).is_some_and(|segment| segment.ident == "Cx");
    if is_one {
        *context.ty = syn::parse_quote!(&mut #owned);
    }
    is_one
}

/// Replaces the type of a last parameter `cx: &mut Cx`, which is none of a daemon. The error is already reported, as in [`mend`].
pub(crate) fn replace(function: &mut Function, ty: &Type) {
    if let Some(FnArg::Typed(context)) = function.sig.inputs.last_mut()
        && last(behind(&context.ty).map_or(&*context.ty, |reference| &reference.elem))
            .is_some_and(|it| it.ident == "Cx")
    {
        *context.ty = ty.clone();
    }
}

/// The step that a context names.
pub(crate) fn step(ty: &Type) -> Option<&Type> {
    let PathArguments::AngleBracketed(args) = &last(&behind(ty)?.elem)?.arguments else { return None };
    args.args.iter().find_map(|arg| match arg {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

/// Replaces `cx: &mut Cx` by `cx: &mut Cx<'_, step>`. In a method, also replaces the step of `Cx<'_, step>` by the path of its marker.
pub(crate) fn fill_in(function: &mut Function, step: &impl ToTokens) {
    fill_in_as(function, "Cx", step);
}

/// The same for a context with this name.
pub(crate) fn fill_in_as(function: &mut Function, name: &str, step: &impl ToTokens) {
    let is_method = function.home.is_some();
    let Some(FnArg::Typed(context)) = function.sig.inputs.last_mut() else { return };
    if !is_context(&context.ty, name) {
        return;
    }
    let Type::Reference(reference) = &mut *context.ty else { return };
    let Type::Path(path) = &mut *reference.elem else { return };
    let Some(segment) = path.path.segments.last_mut() else { return };
    let plain =
        |arg: &GenericArgument| matches!(arg, GenericArgument::Type(Type::Path(p)) if p.path.get_ident().is_some());
    let missing = match &segment.arguments {
        PathArguments::None => true,
        PathArguments::AngleBracketed(args) => is_method && args.args.iter().any(plain),
        PathArguments::Parenthesized(_) => false,
    };
    if missing {
        segment.arguments = PathArguments::AngleBracketed(syn::parse_quote!(<'_, #step>));
    }
}
