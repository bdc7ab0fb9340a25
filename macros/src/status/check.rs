//! Checks of the fields of a status: the framework's fields are reserved, and a new object must be able to omit the others.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::{Fields, GenericParam, Generics, ItemStruct, Type};

use crate::errors::Errors;
use crate::syntax::function::keyword;
use crate::syntax::names::plain;

/// The Rust names of the framework's fields.
pub(super) const KEPT: [&str; 6] = [
    "observed_generation",
    "conditions",
    "observed_inputs",
    "last_handled_reconcile_at",
    "last_handled_actions",
    "observed_by",
];

/// A status must be a struct.
pub(crate) fn refuse_no_struct(item: &TokenStream, error: syn::Error, errors: &mut Errors) {
    match keyword(item) {
        Some(word) if word != "struct" => {
            let headline = format!("`#[status]` belongs on a struct, not on `{word}`");
            errors.push(&word, headline, "move it to the struct that `#[kube(status = \"..\")]` names");
        }
        _ => errors.add(error),
    }
}

/// The fields must have names.
pub(crate) fn check_fields(item: &ItemStruct, errors: &mut Errors) -> bool {
    if matches!(item.fields, Fields::Unnamed(_)) {
        let help = format!("write `struct {} {{ .. }}`", item.ident);
        errors.push(&item.fields, "a status has fields with names", help);
    }
    !matches!(item.fields, Fields::Unnamed(_))
}

/// A status must not be generic, since all objects have the same schema. Returns the names of the parameters.
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

/// Whether the field is not one of the framework's.
pub(crate) fn check_not_kept(field: &Ident, dependents: bool, errors: &mut Errors) -> bool {
    let name = plain(field);
    let kept = KEPT.contains(&name.as_str()) || dependents && name == "dependents";
    if kept {
        let help = "remove the field: `#[status]` adds it";
        errors.push(field, format_args!("`{name}` is managed by the framework"), help);
    }
    !kept
}

/// Rejects an author's field that is always required in JSON.
pub(crate) fn refuse_required(field: &Ident, ty: &Type, errors: &mut Errors) {
    let (name, text) = (plain(field), ty.to_token_stream().to_string().replace(' ', ""));
    let help = format!("write `{name}: Option<{text}>`, or put `#[serde(default)]` on it");
    errors.push(ty, format_args!("status field `{name}` is required, but a new object does not have it"), help);
}
