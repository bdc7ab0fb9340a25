//! Checks of a condition set.

use proc_macro2::Ident;
use syn::{Data, DataEnum, DeriveInput, Fields, Variant};

use super::args::{Polarity, ReasonArgs, SummaryArgs};
use crate::errors::Errors;
use crate::syntax::names::{KEPT, camel, is_condition_type, is_reason, plain};
use crate::syntax::suggest;

/// The parts of a condition that the checks use.
pub(crate) struct Declared<'a> {
    pub(crate) name: &'a str,
    pub(crate) polarity: Polarity,
}

impl Declared<'_> {
    /// Whether success makes it True.
    fn is_positive(&self) -> bool {
        self.polarity == Polarity::Positive
    }
}

/// The maximum number of conditions: a set is the bits of a `u64`.
pub(crate) const MOST: usize = 64;

/// Conditions must be the variants of an enum.
pub(crate) fn refuse_no_enum(input: &DeriveInput, errors: &mut Errors) {
    let word = match &input.data {
        Data::Union(_) => "union",
        Data::Struct(_) | Data::Enum(_) => "struct",
    };
    let headline = format!("`ConditionSet` can only be derived for an enum, not for a {word}");
    errors.push(&input.ident, headline, "write one variant for each condition");
}

/// A set must not be generic, since its JSON form is fixed.
pub(crate) fn check_generics(input: &DeriveInput, errors: &mut Errors) {
    if let Some(param) = input.generics.params.first() {
        errors.push(param, "a condition set cannot be generic", "remove the parameter");
    }
}

/// A set has at least one and at most 64 conditions.
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
        let help = "put the data into the message of the condition";
        errors.push(&variant.fields, format_args!("condition `{name}` cannot carry data"), help);
    }
    if let Some((_, value)) = &variant.discriminant {
        let help = "remove it: the order of the variants is their rank";
        errors.push(value, format_args!("condition `{name}` cannot have a number"), help);
    }
}

/// The name is used unchanged in JSON, and must not be one of the framework's three conditions.
fn check_name(ident: &Ident, errors: &mut Errors) {
    let name = plain(ident);
    if KEPT.contains(&name.as_str()) {
        let help = "remove it: the framework sets it from the others";
        errors.push(ident, format_args!("the condition `{name}` is managed by the framework"), help);
    } else if !is_condition_type(&name) {
        let help = match camel(&name) {
            better if name.is_ascii() && is_condition_type(&better) => format!("write `{better}`"),
            _ => "use ASCII letters and digits, the first an upper-case letter".to_owned(),
        };
        errors.push(ident, format_args!("condition type `{name}` is not CamelCase"), help);
    }
}

/// At least one condition must be positive: otherwise no condition can show success, and Ready would never be set.
pub(crate) fn check_positive(input: &DeriveInput, conditions: &[Declared<'_>], errors: &mut Errors) {
    if errors.count() == 0 && !conditions.iter().any(Declared::is_positive) {
        let help = "add one that is True when the work is done: `#[condition(positive)] Available`";
        errors.push(&input.ident, "no condition of this set is positive", help);
    }
}

/// A reason must be a valid word and must not be repeated.
pub(crate) fn check_reasons(reasons: &[ReasonArgs], errors: &mut Errors) {
    for (i, ReasonArgs { name, .. }) in reasons.iter().enumerate() {
        let text = plain(name);
        if !is_reason(&text) {
            let help = "write a word of ASCII letters and digits, such as `NewRevision`";
            errors.push(name, format_args!("Kubernetes rejects the reason `{text}`"), help);
        } else if reasons[..i].iter().any(|earlier| plain(&earlier.name) == text) {
            errors.push(name, format_args!("the reason `{text}` is listed twice"), "remove one of them");
        }
    }
}

/// A further summary must have a name of its own and refer to existing conditions.
pub(crate) fn check_summaries(summaries: &[SummaryArgs], conditions: &[Declared<'_>], errors: &mut Errors) {
    for (i, summary) in summaries.iter().enumerate() {
        let target = plain(&summary.target);
        let before = errors.count();
        check_name(&summary.target, errors);
        if conditions.iter().any(|condition| condition.name == target) {
            let help = "rename the summary, or remove the variant";
            errors.push(&summary.target, format_args!("`{target}` is a condition of the set itself"), help);
        } else if summaries[..i].iter().any(|earlier| plain(&earlier.target) == target) {
            errors.push(&summary.target, format_args!("the summary `{target}` is given twice"), "keep one of them");
        }
        check_members(&summary.members, conditions, errors);
        let positive = |member: &Ident| conditions.iter().any(|c| c.name == plain(member) && c.is_positive());
        if errors.count() == before && !summary.members.iter().any(positive) {
            let headline = format!("the summary `{target}` has no positive condition");
            let one = conditions.iter().find(|c| c.is_positive()).map_or("..", |c| c.name);
            let members: Vec<String> = summary.members.iter().map(plain).collect();
            let help = format!("write `summary({target}({}, {one}))`", members.join(", "));
            errors.push(&summary.target, headline, help);
        }
    }
}

fn check_members(members: &[Ident], conditions: &[Declared<'_>], errors: &mut Errors) {
    let names: Vec<&str> = conditions.iter().map(|condition| condition.name).collect();
    for (i, member) in members.iter().enumerate() {
        let name = plain(member);
        if !names.contains(&name.as_str()) {
            errors.push(member, format_args!("no condition `{name}` in this set"), suggest::help(&name, &names));
        } else if members[..i].iter().any(|earlier| plain(earlier) == name) {
            errors.push(member, format_args!("the condition `{name}` is summed up twice"), "remove one of them");
        }
    }
}
