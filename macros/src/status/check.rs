//! What a status may not hold: fields that the framework keeps, and fields that a fresh object cannot have.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::{Fields, GenericParam, Generics, ItemStruct, Type};

use crate::errors::Errors;
use crate::syntax::function::keyword;
use crate::syntax::names::plain;

/// The fields of the framework, in Rust.
pub(super) const KEPT: [&str; 6] = [
    "observed_generation",
    "conditions",
    "observed_inputs",
    "last_handled_reconcile_at",
    "last_handled_actions",
    "observed_by",
];

/// A status is a struct.
pub(crate) fn refuse_no_struct(item: &TokenStream, error: syn::Error, errors: &mut Errors) {
    match keyword(item) {
        Some(word) if word != "struct" => {
            let headline = format!("`#[status]` goes on a struct, not on `{word}`");
            errors.push(&word, headline, "move it to the struct that `#[kube(status = \"..\")]` names");
        }
        _ => errors.add(error),
    }
}

/// The fields have names.
pub(crate) fn check_fields(item: &ItemStruct, errors: &mut Errors) -> bool {
    if matches!(item.fields, Fields::Unnamed(_)) {
        let help = format!("write `struct {} {{ .. }}`", item.ident);
        errors.push(&item.fields, "a status has fields with names", help);
    }
    !matches!(item.fields, Fields::Unnamed(_))
}

/// One shape for all objects. The names of the parameters that it must not have.
pub(crate) fn refuse_generics(generics: &Generics, errors: &mut Errors) -> Vec<Ident> {
    if let Some(param) = generics.params.first() {
        errors.push(param, "a status cannot be generic", "remove the parameter");
    }
    generics.params.iter().map(name).collect()
}

fn name(param: &GenericParam) -> Ident {
    match param {
        GenericParam::Type(param) => param.ident.clone(),
        GenericParam::Const(param) => param.ident.clone(),
        GenericParam::Lifetime(param) => param.lifetime.ident.clone(),
    }
}

/// Whether the field is the author's to declare.
pub(crate) fn check_not_kept(field: &Ident, errors: &mut Errors) -> bool {
    let name = plain(field);
    let kept = KEPT.contains(&name.as_str());
    if kept {
        let help = "remove the field: `#[status]` adds it";
        errors.push(field, format_args!("`{name}` is kept by the framework"), help);
    }
    !kept
}

/// A field of the author's that is never missing on the wire.
pub(crate) fn refuse_required(field: &Ident, ty: &Type, errors: &mut Errors) {
    let (name, text) = (plain(field), ty.to_token_stream().to_string().replace(' ', ""));
    let help = format!("write `{name}: Option<{text}>`, or put `#[serde(default)]` on it");
    errors.push(ty, format_args!("status field `{name}` is required, but a fresh object has none"), help);
}
