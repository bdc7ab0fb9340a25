//! Validation of list items: their values, their number and their uniqueness.

use serde_json::{Map, Value};

use super::super::cause::{Cause, Causes};
use super::super::equal::is_equal;
use super::super::structural::{ListType, Rest, Rules, Structural, join};
use super::check;

pub(super) fn check_items(
    items: &[Value],
    old: Option<&Value>,
    s: &Structural,
    schema: &Structural,
    at: &str,
    causes: &mut Causes,
) {
    for (index, item) in items.iter().enumerate() {
        check(item, old.and_then(|old| counterpart(item, old, s)), schema, &format!("{at}[{index}]"), causes);
    }
}

/// The old item with the same key; only lists of type `map` have one.
fn counterpart<'o>(item: &Value, old: &'o Value, s: &Structural) -> Option<&'o Value> {
    let ListType::Map(keys) = &s.list else { return None };
    let is_same = |other: &&Value| keys.iter().all(|key| other.get(key) == item.get(key));
    old.as_array()?.iter().find(is_same)
}

pub(super) fn check_count(count: u64, rules: &Rules, at: &str, causes: &mut Causes) {
    if let Some(min) = rules.count.min.filter(|min| count < *min) {
        causes.push(Cause::invalid(at, count, format_args!("{at} in body should have at least {min} items")));
    }
    if let Some(max) = rules.count.max.filter(|max| count > *max) {
        causes.push(Cause::too_many(at, count, max));
    }
}

/// Checks all lists of type `set` or `map`, and reports the first duplicate of each item.
pub(super) fn check_unique(new: &Value, old: Option<&Value>, s: &Structural, at: &str, causes: &mut Causes) {
    if old.is_some_and(|old| is_equal(old, new)) {
        return;
    }
    match new {
        Value::Object(map) => check_unique_members(map, old, s, at, causes),
        Value::Array(items) => {
            check_repeats(items, s, at, causes);
            let Some(schema) = &s.items else { return };
            for (index, item) in items.iter().enumerate() {
                let old = old.and_then(|old| counterpart(item, old, s));
                check_unique(item, old, schema, &format!("{at}[{index}]"), causes);
            }
        }
        _ => {}
    }
}

fn check_unique_members(map: &Map<String, Value>, old: Option<&Value>, s: &Structural, at: &str, causes: &mut Causes) {
    for (name, value) in map {
        let schema = match (s.properties.get(name), &s.rest) {
            (Some(schema), _) => schema,
            (None, Rest::Each(schema)) => schema,
            (None, Rest::Nothing | Rest::Anything) => continue,
        };
        check_unique(value, old.and_then(|old| old.get(name)), schema, &join(at, name), causes);
    }
}

fn check_repeats(items: &[Value], s: &Structural, at: &str, causes: &mut Causes) {
    let keys: Vec<Value> = match &s.list {
        ListType::Atomic => return,
        ListType::Set => items.to_vec(),
        ListType::Map(keys) => items.iter().map(|item| key_of(item, keys)).collect(),
    };
    let mut seen: Vec<(&Value, bool)> = Vec::new();
    for (index, key) in keys.iter().enumerate() {
        match seen.iter_mut().find(|(known, _)| is_equal(known, key)) {
            None => seen.push((key, false)),
            Some((_, true)) => {}
            Some((_, is_named)) => {
                *is_named = true;
                causes.push(Cause::duplicate(&format!("{at}[{index}]"), key));
            }
        }
    }
}

fn key_of(item: &Value, keys: &[String]) -> Value {
    keys.iter().filter_map(|key| Some((key.clone(), item.get(key)?.clone()))).collect::<Map<_, _>>().into()
}
