//! Removes paths from an object.

use serde_json::{Map, Value};

use super::path_element::Element;
use super::set::Set;
use super::shape::{Form, Items, Shape};

/// Removes the members of `set` from `value`. A collection that loses all its members becomes null, which validation then rejects. An API
/// server does the same for a configuration that names a parent but releases all its fields.
pub(crate) fn without(value: &Value, set: &Set, shape: Shape<'_>) -> Value {
    match (shape.form(value), value) {
        (Form::Map, Value::Object(map)) => map_without(map, set, shape),
        (Form::List(items), Value::Array(list)) => list_without(list, set, items),
        _ => value.clone(),
    }
}

fn map_without(map: &Map<String, Value>, set: &Set, shape: Shape<'_>) -> Value {
    let mut left = Map::new();
    for (name, value) in map {
        let element = Element::field(name);
        if !set.has(&element) {
            left.insert(name.clone(), below_without(value, set, &element, shape.stored_member(name).0));
        }
    }
    if left.is_empty() { Value::Null } else { left.into() }
}

fn list_without(list: &[Value], set: &Set, items: Items<'_>) -> Value {
    let mut left = Vec::new();
    for item in list {
        match items.element(item) {
            Ok(element) if set.has(&element) => {}
            Ok(element) => left.push(below_without(item, set, &element, items.shape())),
            Err(_) => left.push(item.clone()),
        }
    }
    if left.is_empty() { Value::Null } else { left.into() }
}

fn below_without(value: &Value, set: &Set, element: &Element, shape: Shape<'_>) -> Value {
    set.below(element).map_or_else(|| value.clone(), |below| without(value, below, shape))
}
