//! What a condition set may not be.

use proc_macro2::Ident;
use syn::{Data, DataEnum, DeriveInput, Fields, Variant};

use crate::errors::Errors;
use crate::syntax::names::{KEPT, camel, is_condition_type, plain};

/// Sets of conditions are bits of a `u64`.
pub(crate) const MOST: usize = 64;

/// Conditions are the variants of an enum.
pub(crate) fn refuse_no_enum(input: &DeriveInput, errors: &mut Errors) {
    let word = match &input.data {
        Data::Union(_) => "union",
        Data::Struct(_) | Data::Enum(_) => "struct",
    };
    let headline = format!("`ConditionSet` can only be derived for an enum, not for a {word}");
    errors.push(&input.ident, headline, "write one variant for each condition");
}

/// A set has one wire form, and so no parameters.
pub(crate) fn check_generics(input: &DeriveInput, errors: &mut Errors) {
    if let Some(param) = input.generics.params.first() {
        errors.push(param, "a condition set cannot be generic", "remove the parameter");
    }
}

/// At least one condition, at most 64.
pub(crate) fn check_count(input: &DeriveInput, data: &DataEnum, errors: &mut Errors) {
    if data.variants.is_empty() {
        let help = "add a variant: `#[condition(positive)] Available`";
        errors.push(&input.ident, "a condition set needs at least one condition", help);
    }
    if let Some(extra) = data.variants.iter().nth(MOST) {
        let headline = format!("a condition set holds at most {MOST} conditions");
        errors.push(&extra.ident, headline, "split the reconciler");
    }
}

pub(crate) fn check_variant(variant: &Variant, errors: &mut Errors) {
    check_name(&variant.ident, errors);
    let name = plain(&variant.ident);
    if !matches!(variant.fields, Fields::Unit) {
        let help = "say it in the message of the condition";
        errors.push(&variant.fields, format_args!("condition `{name}` cannot carry data"), help);
    }
    if let Some((_, value)) = &variant.discriminant {
        let help = "remove it: the order of the variants is their rank";
        errors.push(value, format_args!("condition `{name}` cannot have a number"), help);
    }
}

/// The name goes on the wire as it is, and the framework keeps three of them.
fn check_name(ident: &Ident, errors: &mut Errors) {
    let name = plain(ident);
    if KEPT.contains(&name.as_str()) {
        let help = "remove the variant: the framework sets it from the others";
        errors.push(ident, format_args!("the condition `{name}` is kept by the framework"), help);
    } else if !is_condition_type(&name) {
        let help = match camel(&name) {
            better if is_condition_type(&better) => format!("write `{better}`"),
            _ => "use ASCII letters and digits, the first an upper-case letter".to_owned(),
        };
        errors.push(ident, format_args!("condition type `{name}` is not CamelCase"), help);
    }
}
