//! Validates values against a structural schema; the errors have the order and the wording of an API server.

mod embedded;
mod format;
mod junctors;
mod list;
mod object;
mod scalar;
#[cfg(test)]
mod tests;

use serde_json::Value;

use super::cause::{Cause, Causes};
use super::equal::is_equal;
use super::structural::{Kind, Rules, Structural};

/// Returns every reason to reject the custom resource `obj`, which must already be pruned and defaulted.
///
/// With `old`, the stored object, unchanged parts are not validated again (validation ratcheting).
///
/// The function does not check:
///
/// * `x-kubernetes-validations`, which are run separately;
/// * the object's own metadata, except for schema restrictions of `name` and `generateName`;
/// * the syntax of labels and annotations in embedded resources.
#[must_use]
pub fn validate(obj: &Value, old: Option<&Value>, s: &Structural) -> Vec<Cause> {
    let mut causes = Vec::new();
    check(obj, old, s, "", &mut causes);
    embedded::check(obj, s, "", &mut causes);
    list::check_unique(obj, old, s, "", &mut causes);
    causes
}

/// Validates a default, which has no path.
pub(super) fn validate_preset(value: &Value, s: &Structural) -> Vec<Cause> {
    validate(value, None, s)
}

fn check(new: &Value, old: Option<&Value>, s: &Structural, at: &str, causes: &mut Causes) {
    if old.is_some_and(|old| is_equal(old, new)) {
        return;
    }
    if new.is_null() {
        if !s.nullable {
            check_type(new, s.kind, s.rules.format.as_deref(), at, causes);
        }
        check_choice(new, &s.rules, at, causes);
        return;
    }
    check_type(new, s.kind, s.rules.format.as_deref(), at, causes);
    check_own(new, s.kind, &s.rules, at, causes);
    if let (Value::Array(items), Some(schema)) = (new, &s.items) {
        list::check_items(items, old, s, schema, at, causes);
    }
    check_whole(new, &s.rules, at, causes);
    if let Value::Object(map) = new {
        object::check_members(map, old, s, at, causes);
    }
}

/// The validations of a value itself, which come before those of its contents.
fn check_own(value: &Value, kind: Kind, rules: &Rules, at: &str, causes: &mut Causes) {
    junctors::check(value, rules, at, causes);
    match value {
        Value::String(text) => {
            scalar::check_text(text, rules, at, causes);
            format::check(text, kind, rules, at, causes);
        }
        Value::Number(number) => scalar::check_number(number, kind, rules, at, causes),
        _ => {}
    }
}

/// The validations that come after the items of a list and before the members of an object.
fn check_whole(value: &Value, rules: &Rules, at: &str, causes: &mut Causes) {
    if let Value::Array(items) = value {
        list::check_count(items.len() as u64, rules, at, causes);
    }
    check_choice(value, rules, at, causes);
}

/// An API server rejects null even if `enum` lists it.
fn check_choice(value: &Value, rules: &Rules, at: &str, causes: &mut Causes) {
    let Some(choice) = &rules.choice else { return };
    if value.is_null() || !choice.iter().any(|one| is_equal(one, value)) {
        let names: Vec<_> = choice.iter().map(plain).collect();
        causes.push(Cause::unsupported(at, value, &names));
    }
}

fn check_type(value: &Value, kind: Kind, format: Option<&str>, at: &str, causes: &mut Causes) {
    let got = type_of(value);
    let fits = match kind {
        Kind::Any => true,
        Kind::IntOrString => matches!(got, "integer" | "string"),
        Kind::Number => matches!(got, "integer" | "number"),
        other => other.name() == got,
    };
    if !fits {
        causes.push(Cause::mistyped(at, got, format_args!("{at} in body must be of type {}: {got:?}", kind.name())));
    } else if let (Kind::Integer, Some(format @ "int64"), Value::Number(number)) = (kind, format, value)
        && number.as_i64().is_none()
        && !scalar::is_exact(number)
    {
        let text = format_args!("{at} in body must be of type {format}: \"float64\"");
        causes.push(Cause::mistyped(at, "float64", text));
    }
}

/// The OpenAPI type of a value; a float with an integral value is an integer.
fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.as_f64().is_some_and(|float| float.fract() != 0.0) => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// An enum value as error messages list it: a string without quotes, other values as JSON.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
