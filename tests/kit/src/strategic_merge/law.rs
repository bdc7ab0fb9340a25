//! Laws of strategic merge patches: the patch that kubectl makes of a difference gives the target.

use evenkeel_random_cases::{Choices, each};
use serde_json::{Map, Value, json};

use super::strategic_patch;

const CASES: u64 = 500;

fn some(choices: &mut Choices, names: &[&'static str]) -> Vec<&'static str> {
    let mut names: Vec<_> = names.iter().copied().filter(|_| choices.chance(0.5)).collect();
    choices.shuffle(&mut names);
    names
}

fn word(choices: &mut Choices) -> Value {
    json!(choices.pick(&["1", "2", "3"]))
}

/// Only members that are there and hold something: an emptied list is not a list that is gone.
fn full(members: Value) -> Value {
    let Value::Object(members) = members else { return members };
    let hollow = [json!({}), json!([]), Value::Null];
    members.into_iter().filter(|(_, value)| !hollow.contains(value)).collect::<Map<_, _>>().into()
}

fn items(choices: &mut Choices, names: &[&'static str], mut item: impl FnMut(&mut Choices, &str) -> Value) -> Value {
    some(choices, names).into_iter().map(|name| full(item(choices, name))).collect()
}

fn container(choices: &mut Choices, name: &str) -> Value {
    let env = items(choices, &["A", "B", "C"], |choices, name| json!({"name": name, "value": word(choices)}));
    let args: Value = some(choices, &["x", "y"]).into();
    json!({"name": name, "image": word(choices), "env": env, "args": args})
}

fn pod(choices: &mut Choices) -> Value {
    let labels =
        some(choices, &["a", "b"]).into_iter().map(|name| (name.to_owned(), word(choices))).collect::<Map<_, _>>();
    let finalizers: Value = some(choices, &["f/a", "f/b", "f/c"]).into();
    let containers = items(choices, &["c1", "c2", "c3"], container);
    let node = if choices.chance(0.5) { word(choices) } else { Value::Null };
    let spec = full(json!({"containers": containers, "nodeName": node}));
    let metadata = full(json!({"labels": labels, "finalizers": finalizers}));
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
}

/// How the list of this name merges.
enum Way {
    Keyed,
    Set,
    Whole,
}

fn way(list: &str) -> Way {
    match list {
        "containers" | "env" => Way::Keyed,
        "finalizers" => Way::Set,
        _ => Way::Whole,
    }
}

/// The patch from one map to another.
fn difference(from: &Map<String, Value>, to: &Map<String, Value>) -> Map<String, Value> {
    let gone = from.keys().filter(|name| !to.contains_key(*name)).map(|name| (name.clone(), Value::Null));
    let mut patch: Map<String, Value> = gone.collect();
    for (name, new) in to.iter().filter(|(name, new)| from.get(*name) != Some(new)) {
        match (from.get(name), new) {
            (Some(Value::Object(old)), Value::Object(new)) => {
                patch.insert(name.clone(), difference(old, new).into());
            }
            (Some(Value::Array(old)), Value::Array(new)) => list(&mut patch, name, old, new),
            _ => _ = patch.insert(name.clone(), new.clone()),
        }
    }
    patch
}

fn list(patch: &mut Map<String, Value>, name: &str, old: &[Value], new: &[Value]) {
    let order = format!("$setElementOrder/{name}");
    match way(name) {
        Way::Whole => _ = patch.insert(name.to_owned(), new.into()),
        Way::Set => {
            let not_in = |these: &[Value], those: &[Value]| -> Value {
                these.iter().filter(|one| !those.contains(one)).cloned().collect()
            };
            patch.insert(format!("$deleteFromPrimitiveList/{name}"), not_in(old, new));
            patch.insert(name.to_owned(), not_in(new, old));
            patch.insert(order, new.into());
        }
        Way::Keyed => {
            patch.insert(name.to_owned(), changed(old, new).into());
            patch.insert(order, new.iter().map(|item| json!({"name": item["name"]})).collect());
        }
    }
}

fn changed(old: &[Value], new: &[Value]) -> Vec<Value> {
    let named = |items: &[Value], name: &Value| items.iter().find(|item| item["name"] == *name).cloned();
    let mut made = Vec::new();
    for item in new {
        match named(old, &item["name"]) {
            None => made.push(item.clone()),
            Some(before) if before == *item => {}
            Some(before) => {
                let mut change = difference(before.as_object().unwrap(), item.as_object().unwrap());
                change.insert("name".to_owned(), item["name"].clone());
                made.push(change.into());
            }
        }
    }
    let gone = old.iter().filter(|item| named(new, &item["name"]).is_none());
    made.extend(gone.map(|item| json!({"name": item["name"], "$patch": "delete"})));
    made
}

#[test]
fn a_patch_of_the_difference_gives_the_target() {
    each(CASES, |choices| {
        let (from, to) = (pod(choices), pod(choices));
        let patch = Value::Object(difference(from.as_object().unwrap(), to.as_object().unwrap()));
        let mut patched = from.clone();
        assert_eq!(strategic_patch(&mut patched, &patch), Ok(()), "{from} by {patch}");
        assert_eq!(patched, to, "{from} by {patch}");
    });
}

#[test]
fn an_empty_patch_changes_nothing_and_a_whole_one_replaces() {
    each(CASES, |choices| {
        let (from, to) = (pod(choices), pod(choices));
        let mut patched = from.clone();
        strategic_patch(&mut patched, &json!({})).unwrap();
        assert_eq!(patched, from);
        let mut whole = to.clone();
        whole["$patch"] = json!("replace");
        strategic_patch(&mut patched, &whole).unwrap();
        assert_eq!(patched, to);
    });
}
