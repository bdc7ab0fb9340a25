//! What a status may not hold: fields that the framework keeps, and fields that a fresh object cannot have.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Fields, GenericParam, ItemStruct};

use super::model::{Field, Shape};
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

/// One shape for all objects. What goes on without the parameters has no field that needs them: the mistake is told once.
pub(crate) fn refuse_generics(item: &mut ItemStruct, fields: &mut Vec<Field>, errors: &mut Errors) {
    let generics = std::mem::take(&mut item.generics);
    let Some(param) = generics.params.first() else { return };
    errors.push(param, "a status cannot be generic", "remove the parameter");
    let names: Vec<Ident> = generics.params.iter().map(name).collect();
    fields.retain(|field| !mentions(&field.ty.to_token_stream(), &names));
}

fn name(param: &GenericParam) -> Ident {
    match param {
        GenericParam::Type(param) => param.ident.clone(),
        GenericParam::Const(param) => param.ident.clone(),
        GenericParam::Lifetime(param) => param.lifetime.ident.clone(),
    }
}

fn mentions(tokens: &TokenStream, names: &[Ident]) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(ident) => names.contains(&ident),
        TokenTree::Group(group) => mentions(&group.stream(), names),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

pub(crate) fn check_field(field: &Field, errors: &mut Errors) {
    let name = plain(&field.ident);
    if KEPT.contains(&name.as_str()) {
        let help = "remove the field: `#[status]` adds it";
        errors.push(&field.ident, format_args!("`{name}` is kept by the framework"), help);
    } else if field.shape == Shape::Required {
        let ty = field.ty.to_token_stream().to_string().replace(' ', "");
        let help = format!("write `{name}: Option<{ty}>`, or put `#[serde(default)]` on it");
        errors.push(&field.ty, format_args!("status field `{name}` is required, but a fresh object has none"), help);
    }
}
