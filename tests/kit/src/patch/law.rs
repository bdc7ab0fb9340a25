//! Laws of the patches: a difference applied gives the target, and each engine does what its RFC says.

use evenkeel_random_cases::{Choices, each};
use serde_json::{Map, Value, json};

use super::{json_patch, merge_patch};

const CASES: u64 = 500;

fn name(choices: &mut Choices) -> &'static str {
    choices.pick(&["a", "b", "c/d", "e~f", ""])
}

/// A value of at most this depth; with nulls if `null` is true.
fn value(choices: &mut Choices, depth: u32, null: bool) -> Value {
    match choices.range(0..if depth == 0 { 4 } else { 8 }) {
        0 if null => Value::Null,
        0 | 1 => json!(choices.range(0..3)),
        2 => json!(choices.pick(&["x", "y"])),
        3 => json!(choices.chance(0.5)),
        4 => (0..choices.range(0..4)).map(|_| value(choices, depth - 1, null)).collect(),
        _ => object(choices, depth - 1, null),
    }
}

fn object(choices: &mut Choices, depth: u32, null: bool) -> Value {
    let members = 0..choices.range(0..4);
    members.map(|_| (name(choices).to_owned(), value(choices, depth, null))).collect::<Map<_, _>>().into()
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// The operations that make `to` of `from`, each after a test of what it replaces.
fn operations(at: &str, from: &Value, to: &Value) -> Vec<Value> {
    let add = |at: &str, value: &Value| json!({"op": "add", "path": at, "value": value});
    let remove = |at: &str| json!({"op": "remove", "path": at});
    match (from, to) {
        _ if from == to => Vec::new(),
        (Value::Object(old), Value::Object(new)) => {
            let gone = old.keys().filter(|name| !new.contains_key(*name));
            let mut made: Vec<Value> = gone.map(|name| remove(&format!("{at}/{}", escaped(name)))).collect();
            for (name, value) in new {
                let at = format!("{at}/{}", escaped(name));
                made.extend(old.get(name).map_or_else(|| vec![add(&at, value)], |old| operations(&at, old, value)));
            }
            made
        }
        (Value::Array(old), Value::Array(new)) => {
            let cut = (new.len()..old.len()).rev().map(|index| remove(&format!("{at}/{index}")));
            let mut made: Vec<Value> = cut.collect();
            for (index, (old, new)) in old.iter().zip(new).enumerate() {
                made.extend(operations(&format!("{at}/{index}"), old, new));
            }
            made.extend(new.iter().skip(old.len()).map(|value| add(&format!("{at}/-"), value)));
            made
        }
        _ => vec![json!({"op": "test", "path": at, "value": from}), json!({"op": "replace", "path": at, "value": to})],
    }
}

#[test]
fn a_json_patch_of_the_difference_gives_the_target() {
    each(CASES, |choices| {
        let (from, to) = (value(choices, 3, true), value(choices, 3, true));
        let patch = Value::Array(operations("", &from, &to));
        let mut patched = from.clone();
        assert_eq!(json_patch(&mut patched, &patch), Ok(()), "{from} by {patch}");
        assert_eq!(patched, to, "{from} by {patch}");
    });
}

#[test]
fn a_json_patch_that_fails_anywhere_changes_nothing() {
    each(CASES, |choices| {
        let (from, to) = (object(choices, 3, true), object(choices, 3, true));
        let mut operations = operations("", &from, &to);
        let wrong = json!({"op": "test", "path": "/absent/deep", "value": 1});
        operations.insert(choices.range(0..operations.len() + 1), wrong);
        let mut patched = from.clone();
        assert!(json_patch(&mut patched, &Value::Array(operations)).is_err());
        assert_eq!(patched, from);
    });
}

#[test]
fn moving_is_copying_and_removing() {
    each(CASES, |choices| {
        let mut doc = object(choices, 2, true);
        let names: Vec<_> = doc.as_object().unwrap().keys().cloned().collect();
        if names.is_empty() {
            return;
        }
        let from = format!("/{}", escaped(&choices.pick(&names)));
        let mut moved = doc.clone();
        json_patch(&mut moved, &json!([{"op": "move", "from": from, "path": "/new"}])).unwrap();
        let copy = json!([{"op": "copy", "from": from, "path": "/new"}, {"op": "remove", "path": from}]);
        json_patch(&mut doc, &copy).unwrap();
        assert_eq!(moved, doc, "{from}");
    });
}

/// The words of RFC 7386, section 2.
fn merged(target: Value, patch: &Value) -> Value {
    let Value::Object(patch) = patch else { return patch.clone() };
    let mut target = if let Value::Object(target) = target { target } else { Map::new() };
    for (name, value) in patch {
        let old = target.remove(name).unwrap_or_default();
        if !value.is_null() {
            target.insert(name.clone(), merged(old, value));
        }
    }
    target.into()
}

#[test]
fn a_merge_patch_does_what_the_rfc_says() {
    each(CASES, |choices| {
        let (doc, patch) = (value(choices, 3, true), value(choices, 3, true));
        let mut patched = doc.clone();
        merge_patch(&mut patched, &patch);
        assert_eq!(patched, merged(doc.clone(), &patch), "{doc} by {patch}");
        let once = patched.clone();
        merge_patch(&mut patched, &patch);
        assert_eq!(patched, once, "the second time changes more: {doc} by {patch}");
    });
}

/// The merge patch from one value without nulls to another.
fn difference(from: &Value, to: &Value) -> Value {
    let (Value::Object(old), Value::Object(new)) = (from, to) else { return to.clone() };
    let gone = old.keys().filter(|name| !new.contains_key(*name)).map(|name| (name.clone(), Value::Null));
    let changed = new.iter().filter(|(name, value)| old.get(*name) != Some(value));
    gone.chain(
        changed.map(|(name, value)| (name.clone(), difference(&old.get(name).cloned().unwrap_or_default(), value))),
    )
    .collect::<Map<_, _>>()
    .into()
}

#[test]
fn a_merge_patch_of_the_difference_gives_the_target() {
    each(CASES, |choices| {
        let (from, to) = (object(choices, 3, false), object(choices, 3, false));
        let mut patched = from.clone();
        let patch = difference(&from, &to);
        merge_patch(&mut patched, &patch);
        assert_eq!(patched, to, "{from} by {patch}");
    });
}
