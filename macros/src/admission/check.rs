//! Checks of the arguments and the signature of a review.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{GenericArgument, PatType, PathArguments, ReturnType, Type};

use super::args::AdmissionArgs;
use super::what::What;
use crate::errors::Errors;
use crate::sub_reconciler::relation::{How, Level, Watch};
use crate::syntax::context_type::{is_borrow_of, is_context};
use crate::syntax::function::{Function, behind};
use crate::syntax::names::{path_text, plain};
use crate::syntax::signature::{check_generics, check_qualifiers};

pub(super) fn check_args(what: What, args: &AdmissionArgs, errors: &mut Errors) {
    args.watches.iter().for_each(|watch| check_watch(watch, errors));
    let deletes = args.on.iter().flatten().find(|word| *word == "delete");
    if let Some(delete) = deletes.filter(|_| what == What::Mutate) {
        let help = "use `#[validate(on(delete))]`, which may refuse the deletion";
        errors.push(delete, "an object that is being deleted cannot be changed", help);
    }
}

/// A review reads an object by its name, from a cache of selected objects.
fn check_watch(watch: &Watch, errors: &mut Errors) {
    let kind = path_text(&watch.kind);
    if matches!(watch.how, How::ByName) {
        let help = format!("write `reads({kind})`, or `watches({kind}, labels = \"app=web\")` to read from a cache");
        errors.push(&watch.kind, "a review cannot watch objects by name: users choose the names", help);
    } else if let Some(index) = watch.indexes.first().or(watch.map.as_ref()) {
        let help = format!("write `watches({kind}, labels = \"..\")` only");
        errors.push(index, "a review reads objects by name: it has no index and no mapping function", help);
    } else if let Some(cache) = watch.cache.as_ref().filter(|cache| cache.level != Level::Full) {
        errors.push(
            &cache.word,
            "a review reads whole objects",
            format_args!("leave `cache` out, or write `reads({kind})`"),
        );
    }
}

/// The form of the function, except for its parameters.
pub(super) fn check_form(what: &str, function: &Function, errors: &mut Errors) {
    let sig = &function.sig;
    check_qualifiers(what, sig, "write a plain `fn` or `async fn`", errors);
    check_generics(what, sig, errors);
    check_name(&sig.ident, errors);
    if let Some(receiver) = sig.receiver() {
        let help = "write a function outside of the `impl`, and take what it needs as parameters";
        errors.push(receiver, format_args!("{what} takes `self`"), help);
    }
    if matches!(sig.output, ReturnType::Default) {
        errors.push(&sig.ident, format_args!("{what} must return a `Result`"), "write `-> Result<(), Denial>`");
    }
}

/// The name of the function becomes a part of a path and of a domain name.
fn check_name(name: &Ident, errors: &mut Errors) {
    let text = plain(name);
    let is_edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    let is_ascii = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !is_ascii || !is_edge(text.chars().next()) || !is_edge(text.chars().last()) || text.len() > 63 {
        let help = "use at most 63 ASCII letters, digits and `_`, with a letter or digit at both ends";
        errors.push(name, format_args!("`{text}` cannot be a part of the name of a webhook"), help);
    }
}

/// The kind, which the first parameter borrows.
pub(super) fn object(what: What, named: &str, function: &Function, errors: &mut Errors) -> Option<Type> {
    let params = function.params();
    let (reference, verb) = match what {
        What::Validate => ("&", "does not change"),
        What::Mutate => ("&mut ", "changes"),
    };
    let Some(first) = params.first().filter(|first| !is_context(&first.ty, "Review")) else {
        let help = format!("the first parameter is the object: `repo: {reference}GitRepository`");
        errors.push(&function.sig.ident, format_args!("{named} needs an object"), help);
        return None;
    };
    let borrowed = behind(&first.ty);
    match borrowed.filter(|borrowed| borrowed.mutability.is_some() == (what == What::Mutate)) {
        Some(borrowed) => Some((*borrowed.elem).clone()),
        None => {
            let ty = borrowed.map_or(&*first.ty, |borrowed| &*borrowed.elem).to_token_stream().to_string();
            let other = match (what, borrowed.is_some()) {
                (What::Validate, true) => ", or use `#[mutate]`",
                (What::Mutate, true) => ", or use `#[validate]`",
                (_, false) => "",
            };
            let help = format!("write `{}: {reference}{}`{other}", first.pat.to_token_stream(), ty.replace(' ', ""));
            errors.push(&first.ty, format_args!("{named} {verb} its object"), help);
            None
        }
    }
}

/// Whether the parameter is the object as it was before: `Option<&K>`. Another kind than that of the object is an error.
pub(super) fn is_old(named: &str, param: &PatType, object: &Type, errors: &mut Errors) -> bool {
    let Type::Path(path) = &*param.ty else { return false };
    let Some(last) = path.path.segments.last().filter(|last| last.ident == "Option") else { return false };
    let PathArguments::AngleBracketed(args) = &last.arguments else { return false };
    let Some(GenericArgument::Type(inner)) = args.args.first() else { return false };
    let text = |ty: &dyn ToTokens| ty.to_token_stream().to_string().replace(' ', "");
    let (wanted, pat) = (text(object), text(&param.pat));
    let is_same = behind(inner).is_some_and(|old| old.mutability.is_none() && text(&old.elem) == wanted);
    if !is_same {
        let headline = format!("{named} gets the former object as `Option<&{wanted}>`");
        errors.push(&param.ty, headline, format_args!("write `{pat}: Option<&{wanted}>`"));
    }
    true
}

/// A context that is not borrowed mutably.
pub(super) fn check_context(named: &str, param: &PatType, errors: &mut Errors) -> bool {
    let owned = behind(&param.ty).map_or(&*param.ty, |reference| &reference.elem);
    let is_one = is_borrow_of(&syn::parse_quote!(&#owned), "Review");
    if is_one {
        let pat = param.pat.to_token_stream();
        errors.push(
            &param.ty,
            format_args!("{named} borrows its context mutably"),
            format_args!("write `{pat}: &mut Review`"),
        );
    }
    is_one
}
