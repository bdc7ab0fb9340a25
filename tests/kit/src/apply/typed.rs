//! Whether an applied configuration fits its schema at all, before anything is merged.

use std::collections::BTreeSet;

use serde_json::Value;

use super::shape::{Form, Items, Shape};
use crate::schema::{Kind, ListType, Structural};

/// Every misfit of `config`, in the words of an API server: `.spec.bogus: field not declared in schema`.
pub(crate) fn misfits(config: &Value, shape: Shape<'_>) -> Vec<String> {
    let mut found = Vec::new();
    check(config, shape, "", &mut found);
    found
}

fn check(value: &Value, shape: Shape<'_>, at: &str, found: &mut Vec<String>) {
    if value.is_null() {
        return;
    }
    if let Some(text) = shape.schema().and_then(|schema| type_misfit(value, schema)) {
        found.push(format!("{at}: {text}"));
        return;
    }
    match (shape.form(value), value) {
        (Form::Map, Value::Object(map)) => {
            for (name, value) in map {
                let at = format!("{at}.{name}");
                match shape.member(name) {
                    Some((shape, _)) => check(value, shape, &at, found),
                    None => found.push(format!("{at}: field not declared in schema")),
                }
            }
        }
        (Form::List(items), Value::Array(list)) => check_items(list, items, at, found),
        _ => check_whole(value, shape, at, found),
    }
}

fn check_items(list: &[Value], items: Items<'_>, at: &str, found: &mut Vec<String>) {
    let mut seen = BTreeSet::new();
    for (index, item) in list.iter().enumerate() {
        match items.element(item) {
            Ok(element) => {
                let inner = format!("{at}{element}");
                check(item, items.shape(), &inner, found);
                if let Some(duplicate) = seen.replace(element) {
                    found.push(format!("{at}: duplicate entries for key {duplicate}"));
                }
            }
            Err(text) => found.push(format!("{at}: element {index}: {text}")),
        }
    }
}

/// Atomic maps and lists are still typed all the way down.
fn check_whole(value: &Value, shape: Shape<'_>, at: &str, found: &mut Vec<String>) {
    let Some(schema) = shape.schema() else { return };
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                let at = format!("{at}.{name}");
                match shape.member(name) {
                    Some((shape, _)) => check(value, shape, &at, found),
                    None => found.push(format!("{at}: field not declared in schema")),
                }
            }
        }
        Value::Array(list) if schema.list == ListType::Atomic => {
            for (index, item) in list.iter().enumerate() {
                check(item, shape.step(&super::element::Element::Index(0)).0, &format!("{at}[{index}]"), found);
            }
        }
        _ => {}
    }
}

fn type_misfit(value: &Value, schema: &Structural) -> Option<String> {
    let got = go_type(value);
    match (schema.kind, value) {
        (Kind::Object, Value::Object(_))
        | (Kind::Array, Value::Array(_))
        | (Kind::Text, Value::String(_))
        | (Kind::Boolean, Value::Bool(_))
        | (Kind::Integer | Kind::Number, Value::Number(_))
        | (Kind::IntOrString | Kind::Any, _) => None,
        (Kind::Object, _) => Some(format!("expected map, got {got}")),
        (Kind::Array, _) => Some(format!("expected list, got {got}")),
        (Kind::Text, _) => Some(format!("expected string, got {got}")),
        (Kind::Boolean, _) => Some(format!("expected boolean, got {got}")),
        (Kind::Integer | Kind::Number, _) => Some(format!("expected numeric (int or float), got {got}")),
    }
}

/// The name of a JSON value's type in an API server's messages.
fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "nil",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}
