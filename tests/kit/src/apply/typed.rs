//! Validates the types and field names of an applied configuration before it is merged.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::golang;
use super::shape::{Form, Items, Shape};
use crate::schema::{Kind, Structural};

/// Checks the types of an object.
///
/// # Errors
/// Returns the type errors as one text.
pub(crate) fn check(object: &Value, shape: Shape<'_>) -> Result<(), String> {
    match misfits(object, shape).as_slice() {
        [] => Ok(()),
        [only] => Err(only.clone()),
        several => Err(format!("errors:\n  {}", several.join("\n  "))),
    }
}

/// The type errors of `config` in the wording of an API server, such as `.spec.bogus: field not declared in schema`. For each map and
/// list, the check stops at the first member or item without a valid path element.
pub(crate) fn misfits(config: &Value, shape: Shape<'_>) -> Vec<String> {
    let mut found = Vec::new();
    walk(config, shape, "", &mut found);
    found
}

fn walk(value: &Value, shape: Shape<'_>, at: &str, found: &mut Vec<String>) {
    let is_untyped = shape.schema().is_some_and(|schema| schema.kind == Kind::IntOrString);
    if value.is_null() || is_untyped {
        return;
    }
    if let Some(text) = shape.schema().and_then(|schema| type_misfit(value, schema)) {
        found.push(format!("{at}: {text}"));
        return;
    }
    match (shape.form(value), value) {
        (Form::List(items), Value::Array(list)) => check_items(list, items, at, found),
        // Values in atomic maps and lists are checked too.
        (_, Value::Object(map)) => check_members(map, shape, at, found),
        (_, Value::Array(list)) => {
            let Some(shape) = shape.any_item() else { return };
            for (index, item) in list.iter().enumerate() {
                walk(item, shape, &format!("{at}[{index}]"), found);
            }
        }
        _ => {}
    }
}

fn check_members(map: &Map<String, Value>, shape: Shape<'_>, at: &str, found: &mut Vec<String>) {
    for (name, value) in map {
        let at = format!("{at}.{name}");
        let Some((shape, _)) = shape.member(name) else {
            found.push(format!("{at}: field not declared in schema"));
            return;
        };
        walk(value, shape, &at, found);
    }
}

fn check_items(list: &[Value], items: Items<'_>, at: &str, found: &mut Vec<String>) {
    let mut seen = BTreeSet::new();
    for (index, item) in list.iter().enumerate() {
        match items.element(item) {
            Ok(element) if seen.contains(&element) => {
                found.push(format!("{at}: duplicate entries for key {element}"));
                return;
            }
            Ok(element) => {
                walk(item, items.shape(), &format!("{at}{element}"), found);
                seen.insert(element);
            }
            Err(text) => {
                found.push(format!("{at}: element {index}: {text}"));
                return;
            }
        }
    }
}

fn type_misfit(value: &Value, schema: &Structural) -> Option<String> {
    match (schema.kind, value) {
        (Kind::Object, Value::Object(_))
        | (Kind::Array, Value::Array(_))
        | (Kind::Text, Value::String(_))
        | (Kind::Boolean, Value::Bool(_))
        | (Kind::Integer | Kind::Number, Value::Number(_))
        | (Kind::IntOrString | Kind::Any, _) => None,
        (Kind::Object, _) => Some(format!("expected map, got &{{{}}}", golang::plain(value))),
        (Kind::Array, _) => Some(format!("expected list, got &{{{}}}", golang::plain(value))),
        (Kind::Boolean, _) => Some(format!("expected boolean, got &{{{}}}", golang::plain(value))),
        (Kind::Text, _) => {
            Some(format!("expected string, got &value.valueUnstructured{{Value:{}}}", golang::syntax(value)))
        }
        (Kind::Integer | Kind::Number, _) => {
            Some(format!("expected numeric (int or float), got {}", golang::type_name(value)))
        }
    }
}
