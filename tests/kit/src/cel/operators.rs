//! The operators and the functions of the language.

use std::cmp::Ordering;
use std::sync::Arc;

use kube_cel::cel::objects::{Key, Map};
use kube_cel::cel::{ExecutionError, ResolveResult, Value as Cel};

use super::hidden_names::{MAP_INSERT, SORT_BY};
use super::list::{as_key, equal, items, joined};
use super::optional::{held, made};

/// The names of types, which are values in CEL; here they are represented by their names.
const TYPES: [&str; 10] = ["bool", "bytes", "double", "int", "list", "map", "null_type", "string", "type", "uint"];

/// The type with this name.
pub(super) fn type_named(name: &str) -> Option<Cel> {
    TYPES.contains(&name).then(|| name.into())
}

/// Evaluates a function of one value; `None` for a library function.
pub(super) fn unary(name: &str, value: &Cel) -> Option<ResolveResult> {
    let refused = Err(ExecutionError::NoSuchOverload);
    Some(match (name, value) {
        ("!_", Cel::Bool(truth)) => Ok(Cel::Bool(!truth)),
        ("-_", Cel::Int(number)) => {
            number.checked_neg().map(Cel::Int).ok_or(ExecutionError::Overflow("minus", Cel::Int(0), value.clone()))
        }
        ("-_", Cel::Float(number)) => Ok(Cel::Float(-number)),
        ("!_" | "-_", _) => refused,
        ("dyn", _) => Ok(value.clone()),
        ("size", _) => size(value).map(|size| Cel::Int(size as i64)).ok_or(ExecutionError::NoSuchOverload),
        _ => return None,
    })
}

/// The number of characters, bytes, items or members; `None` for a scalar.
pub(super) fn size(value: &Cel) -> Option<usize> {
    match value {
        Cel::String(text) => Some(text.chars().count()),
        Cel::Bytes(bytes) => Some(bytes.len()),
        Cel::Map(map) => Some(map.map.len()),
        other => items(other).map(|items| items.len()),
    }
}

/// Evaluates an operator or function of two values; `None` for a library function.
pub(super) fn binary(name: &str, a: &Cel, b: &Cel) -> Option<ResolveResult> {
    Some(match (name, a, b) {
        ("_==_", ..) => Ok(Cel::Bool(equal(a, b))),
        ("_!=_", ..) => Ok(Cel::Bool(!equal(a, b))),
        ("_<_", ..) => ordered(a, b, Ordering::is_lt),
        ("_<=_", ..) => ordered(a, b, Ordering::is_le),
        ("_>_", ..) => ordered(a, b, Ordering::is_gt),
        ("_>=_", ..) => ordered(a, b, Ordering::is_ge),
        ("_-_", ..) => a.clone() - b.clone(),
        ("_*_", ..) => a.clone() * b.clone(),
        ("_/_", ..) => a.clone() / b.clone(),
        ("_%_", ..) => a.clone() % b.clone(),
        ("_[_]", ..) => index(a, b),
        ("_[?_]" | "_?._", ..) => Ok(made(held(a).unwrap_or(Some(a)).and_then(|a| element(a, b)))),
        ("@in", ..) => within(a, b),
        ("contains", Cel::String(text), Cel::String(part)) => Ok(Cel::Bool(text.contains(part.as_str()))),
        ("startsWith", Cel::String(text), Cel::String(part)) => Ok(Cel::Bool(text.starts_with(part.as_str()))),
        ("endsWith", Cel::String(text), Cel::String(part)) => Ok(Cel::Bool(text.ends_with(part.as_str()))),
        (SORT_BY, ..) => sorted(a, b),
        _ => return None,
    })
}

fn compared(a: &Cel, b: &Cel) -> Option<Ordering> {
    match (a, b) {
        (Cel::Bytes(a), Cel::Bytes(b)) => Some(a.cmp(b)),
        _ => a.partial_cmp(b),
    }
}

fn ordered(a: &Cel, b: &Cel, is_so: fn(Ordering) -> bool) -> ResolveResult {
    match (compared(a, b), a, b) {
        (Some(order), ..) => Ok(Cel::Bool(is_so(order))),
        // Comparisons with NaN are false.
        (None, Cel::Float(_), _) | (None, _, Cel::Float(_)) => Ok(Cel::Bool(false)),
        _ => Err(ExecutionError::NoSuchOverload),
    }
}

/// Adds two values.
pub(super) fn sum(values: Vec<Cel>) -> ResolveResult {
    let Ok([a, b]) = <[Cel; 2]>::try_from(values) else { return Err(ExecutionError::NoSuchOverload) };
    match (a, b) {
        // The list is extended in place if it is not shared.
        (Cel::List(mut left), right) => {
            let right = items(&right).ok_or(ExecutionError::NoSuchOverload)?;
            Arc::make_mut(&mut left).extend(right.iter().cloned());
            Ok(Cel::List(left))
        }
        (Cel::Bytes(mut left), Cel::Bytes(right)) => {
            Arc::make_mut(&mut left).extend_from_slice(&right);
            Ok(Cel::Bytes(left))
        }
        (a @ Cel::Opaque(_), b) => joined(&a, &b).ok_or(ExecutionError::NoSuchOverload),
        (a, b) => a + b,
    }
}

/// Converts the value to the key of a new entry.
///
/// # Errors
/// If the value can't be a key.
pub(super) fn key(value: &Cel) -> Result<Key, ExecutionError> {
    as_key(value).ok_or_else(|| ExecutionError::UnsupportedKeyType(value.clone()))
}

/// The member of a map.
pub(super) fn member(value: &Cel, key: &Key) -> Option<Cel> {
    match value {
        Cel::Map(map) => map.get(key).cloned(),
        _ => None,
    }
}

/// The integral value of a number of any type.
fn whole(value: &Cel) -> Option<i64> {
    match value {
        Cel::Int(number) => Some(*number),
        Cel::UInt(number) => i64::try_from(*number).ok(),
        #[expect(clippy::cast_possible_truncation, reason = "whole")]
        Cel::Float(number) if number.fract() == 0.0 => Some(*number as i64),
        _ => None,
    }
}

/// The item or member at an index, if it exists.
fn element(value: &Cel, at: &Cel) -> Option<Cel> {
    if let Some(items) = items(value) {
        return whole(at).and_then(|at| usize::try_from(at).ok()).and_then(|at| items.get(at)).cloned();
    }
    let key = as_key(at).or_else(|| whole(at).map(Key::Int))?;
    member(value, &key)
}

fn index(value: &Cel, at: &Cel) -> ResolveResult {
    if let Some(held) = held(value) {
        return Ok(made(held.and_then(|value| element(value, at))));
    }
    element(value, at).ok_or_else(|| match (value, at) {
        (Cel::Map(_), Cel::String(name)) => ExecutionError::no_such_key(name),
        (Cel::Map(_), _) => ExecutionError::no_such_key(&whole(at).map_or_else(String::new, |at| at.to_string())),
        _ if items(value).is_some() => ExecutionError::IndexOutOfBounds(at.clone()),
        _ => ExecutionError::NoSuchOverload,
    })
}

fn within(value: &Cel, container: &Cel) -> ResolveResult {
    match (items(container), container) {
        (Some(items), _) => Ok(Cel::Bool(items.iter().any(|item| equal(item, value)))),
        (None, Cel::Map(_)) => Ok(Cel::Bool(element(container, value).is_some())),
        _ => Err(ExecutionError::NoSuchOverload),
    }
}

/// Adds entries to a map: a key and a value, or another map. It fails if a key already exists.
pub(super) fn inserted(mut values: Vec<Cel>) -> ResolveResult {
    let more = values.split_off(1.min(values.len()));
    let Some(Cel::Map(Map { mut map })) = values.pop() else { return Err(ExecutionError::NoSuchOverload) };
    let entries = match more.as_slice() {
        [name, value] => vec![(key(name)?, value.clone())],
        [Cel::Map(more)] => more.map.iter().map(|(key, value)| (key.clone(), value.clone())).collect(),
        _ => return Err(ExecutionError::NoSuchOverload),
    };
    let known = Arc::make_mut(&mut map);
    for (key, value) in entries {
        if known.contains_key(&key) {
            return Err(ExecutionError::function_error(MAP_INSERT, format!("insert failed: key {key} already exists")));
        }
        known.insert(key, value);
    }
    Ok(Cel::Map(Map { map }))
}

/// Sorts the list by the keys of its items.
fn sorted(list: &Cel, keys: &Cel) -> ResolveResult {
    let (Some(list), Some(keys)) = (items(list), items(keys)) else { return Err(ExecutionError::NoSuchOverload) };
    let mut pairs: Vec<(&Cel, &Cel)> = keys.iter().zip(list.iter()).collect();
    if pairs.iter().any(|(key, _)| compared(key, pairs[0].0).is_none()) {
        return Err(ExecutionError::function_error(SORT_BY, "list elements must have the same type"));
    }
    pairs.sort_by(|(a, _), (b, _)| compared(a, b).unwrap_or(Ordering::Equal));
    Ok(Cel::List(Arc::new(pairs.into_iter().map(|(_, item)| item.clone()).collect())))
}
