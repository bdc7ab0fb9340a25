//! The functions of a conversion: `up`, `down`, `up_status` and `down_status`.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{ReturnType, Type};

use crate::errors::Errors;
use crate::syntax::function::{Function, behind};
use crate::syntax::signature::{check_generics, check_qualifiers};
use crate::syntax::suggest;

pub(super) const NAMES: [&str; 4] = ["up", "down", "up_status", "down_status"];

/// Names that people give these functions elsewhere.
const SYNONYMS: [(&str, &str); 8] = [
    ("upgrade", "up"),
    ("to_hub", "up"),
    ("convert_to", "up"),
    ("into_hub", "up"),
    ("downgrade", "down"),
    ("from_hub", "down"),
    ("convert_from", "down"),
    ("to_spoke", "down"),
];

/// The function that an unknown name probably stands for, if that one is missing.
pub(super) fn meant(name: &str, present: &[String]) -> Option<&'static str> {
    let synonym = SYNONYMS.iter().find(|(other, _)| *other == name).map(|(_, ours)| *ours);
    let near = || suggest::nearest(name, &NAMES).filter(|near| near.len().abs_diff(name.len()) < 2);
    synonym.or_else(near).filter(|meant| !present.iter().any(|one| one == meant))
}

/// Checks the signature of a function of the conversion.
pub(super) fn check(function: &Function, errors: &mut Errors) {
    let sig = &function.sig;
    let (name, before) = (sig.ident.to_string(), errors.count());
    let what = format!("`{name}`");
    let part = if name.ends_with("status") { "status" } else { "spec" };
    if let Some(asyncness) = &sig.asyncness {
        let help = "a conversion reads nothing but the object: write a plain `fn`";
        errors.push(asyncness, format_args!("{what} cannot be `async`"), help);
    }
    check_qualifiers(&what, sig, "write a plain `fn`", errors);
    check_generics(&what, sig, errors);
    if let Some(receiver) = sig.receiver() {
        let help = format!("take the {part}: `fn {name}(old: ..) -> ..`");
        errors.push(receiver, format_args!("{what} cannot take `self`"), help);
    } else {
        check_parameter(&what, part, function, errors);
    }
    if errors.count() == before {
        check_output(&what, part, &sig.ident, &sig.output, errors);
    }
}

fn check_parameter(what: &str, part: &str, function: &Function, errors: &mut Errors) {
    let params = function.params();
    match (params.first(), params.get(1)) {
        (None, _) => {
            let help = format!("write `(old: ..)` with the {part} of the version that is converted");
            errors.push(&function.sig.ident, format_args!("{what} takes the {part}"), help);
        }
        (Some(_), Some(second)) => {
            let help = "leave the others out: a conversion depends on nothing else";
            errors.push(second, format_args!("{what} takes the {part} only"), help);
        }
        (Some(first), None) => {
            if let Some(reference) = behind(&first.ty) {
                let ty = reference.elem.to_token_stream().to_string().replace(' ', "");
                let pat = first.pat.to_token_stream();
                errors.push(
                    &first.ty,
                    format_args!("{what} takes the {part} by value"),
                    format_args!("write `{pat}: {ty}`"),
                );
            }
        }
    }
}

fn check_output(what: &str, part: &str, name: &Ident, output: &ReturnType, errors: &mut Errors) {
    let ReturnType::Type(_, ty) = output else {
        let help = format!("write `-> ..` with the {part} of the other version");
        return errors.push(name, format_args!("{what} returns nothing"), help);
    };
    if is_result(ty) {
        let help = format!("return the {part}, with a default where it has no counterpart");
        errors.push(ty, format_args!("{what} cannot fail: one object would fail the list of all"), help);
    }
}

fn is_result(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Result"))
}
