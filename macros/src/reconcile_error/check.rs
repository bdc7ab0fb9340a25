//! Checks of an error with classes.

use proc_macro2::Ident;
use syn::{Data, DeriveInput, Fields, Generics, Member, Type};

use crate::errors::Errors;
use crate::syntax::names::plain;
use crate::syntax::suggest;

/// The classes must be on the variants of an enum.
pub(crate) fn refuse_no_enum(input: &DeriveInput, errors: &mut Errors) {
    let word = match &input.data {
        Data::Union(_) => "union",
        Data::Struct(_) | Data::Enum(_) => "struct",
    };
    let headline = format!("`ReconcileError` can only be derived for an enum, not for a {word}");
    errors.push(&input.ident, headline, "write one variant for each way to fail");
}

/// Every variant must have a class, which determines the framework's reaction.
pub(crate) fn refuse_no_class(variant: &Ident, errors: &mut Errors) {
    let headline = format!("error variant `{}` has no class", plain(variant));
    let help = "`#[class(transient)]` to retry, `#[class(waiting)]`, `#[class(stalled)]` or `#[class(ignored)]`";
    errors.push(variant, headline, help);
}

/// A variant must have only one class.
pub(crate) fn refuse_two_classes(variant: &Ident, second: &Ident, errors: &mut Errors) {
    let headline = format!("error variant `{}` has two classes", plain(variant));
    errors.push(second, headline, "keep one of them");
}

/// A transparent variant takes everything from its field.
pub(crate) fn refuse_own_argument(variant: &Ident, argument: &Ident, errors: &mut Errors) {
    let headline = format!("`{}` is transparent and takes its `{argument}` from its field", plain(variant));
    errors.push(
        argument,
        headline,
        format_args!("leave out `{argument}`, or write a class: `#[class(transient, ..)]`"),
    );
}

/// The field of a transparent variant: the only one. A generic error has none, since the list of its variants is a constant.
pub(crate) fn parse_inner(
    variant: &Ident,
    fields: &Fields,
    generics: &Generics,
    errors: &mut Errors,
) -> Option<(Member, Type)> {
    if !generics.params.is_empty() {
        let headline = format!("`{}` is transparent, but its enum is generic", plain(variant));
        errors.push(variant, headline, "write a class, or leave out the parameters of the enum");
        return None;
    }
    if fields.len() != 1 {
        let headline = format!("`{}` is transparent, but has {} fields", plain(variant), fields.len());
        errors.push(variant, headline, "hold one field, the error whose class it takes");
        return None;
    }
    fields.members().zip(fields.iter().map(|field| field.ty.clone())).next()
}

/// The types that a bare `waiting` may hold. Each names a watched object, and a change of that object triggers a reconcile.
const WATCHED: [&str; 3] = ["Absent", "NotReady", "Unfit"];

/// The field that ends a bare `waiting`: the one with a watched object, or the only one.
pub(crate) fn parse_wake_up(variant: &Ident, fields: &Fields, errors: &mut Errors) -> Option<Type> {
    let watched: Vec<_> = fields.iter().filter(|field| is_watched(&field.ty)).collect();
    match (watched.as_slice(), fields.len()) {
        ([one], _) => Some(one.ty.clone()),
        // This may be an alias of one of these types. The trait bound in the expansion checks it.
        ([], 1) => fields.iter().next().map(|field| field.ty.clone()),
        ([], _) => {
            let help = "hold an `Absent<K>` (`cx.require`) or `Unfit<K>` (`cx.unfit`), or declare `#[class(waiting(poll = \"1m\"))]`";
            errors.push(
                variant,
                format_args!("`{}` waits, but nothing would trigger a reconcile", plain(variant)),
                help,
            );
            None
        }
        ([_, second, ..], _) => {
            let headline = format!("`{}` waits for two objects", plain(variant));
            errors.push(&second.ty, headline, "hold one of them: the first that is missing");
            None
        }
    }
}

/// The field of `poll = self.after` must exist.
pub(crate) fn check_poll(variant: &Ident, fields: &Fields, member: &Member, errors: &mut Errors) -> bool {
    let known: Vec<Member> = fields.members().collect();
    if known.contains(member) {
        return true;
    }
    let text = |member: &Member| match member {
        Member::Named(ident) => plain(ident),
        Member::Unnamed(index) => index.index.to_string(),
    };
    let (word, names) = (text(member), known.iter().map(text).collect::<Vec<_>>());
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let help = match names.as_slice() {
        [] => format!("write `{} {{ {word}: Duration }}`, or `poll = \"1m\"`", plain(variant)),
        names => suggest::help(&word, names),
    };
    errors.push(member, format_args!("`{}` has no field `{word}`", plain(variant)), help);
    false
}

fn is_watched(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    path.path.segments.last().is_some_and(|last| WATCHED.iter().any(|name| last.ident == name))
}
