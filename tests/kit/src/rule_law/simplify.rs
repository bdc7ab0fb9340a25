//! Simplifies a case with different results: removes what does not matter to them.

use serde_json::Value;

use super::case::{Case, Difference};
use super::subject::Subject;

/// The case with as few members and items as possible that still has two results.
pub(super) fn simplest(subject: &Subject<'_>, case: Case) -> Difference {
    let mut case = case;
    while let Some(simpler) = simpler(subject, &case) {
        case = simpler;
    }
    let [rust, cel] = subject.compare(&case).err().unwrap_or_default();
    Difference { case, rust, cel }
}

/// The first smaller case with two results.
fn simpler(subject: &Subject<'_>, case: &Case) -> Option<Case> {
    let of_both = parts(&case.new).into_iter().map(|at| (at, true, true));
    let of_new = parts(&case.new).into_iter().map(|at| (at, true, false));
    let of_old = case.old.iter().flat_map(parts).map(|at| (at, false, true));
    of_both.chain(of_new).chain(of_old).find_map(|(at, in_new, in_old)| {
        let (mut new, mut old) = (case.new.clone(), case.old.clone());
        if in_new {
            remove(&mut new, &at);
        }
        if let (true, Some(old)) = (in_old, &mut old) {
            remove(old, &at);
        }
        let simpler = Case {
            new: subject.stored(new).ok()?,
            old: old.map(|old| subject.stored(old)).transpose().ok()?,
            request: case.request.clone(),
        };
        let is_smaller = size(&simpler) < size(case);
        (is_smaller && subject.compare(&simpler).is_err()).then_some(simpler)
    })
}

fn size(case: &Case) -> usize {
    case.new.to_string().len() + case.old.as_ref().map_or(0, |old| old.to_string().len())
}

/// The JSON pointers to all members and items, outer ones first.
fn parts(value: &Value) -> Vec<String> {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(map) => {
            map.iter().map(|(name, value)| (name.replace('~', "~0").replace('/', "~1"), value)).collect()
        }
        Value::Array(items) => items.iter().enumerate().map(|(at, value)| (at.to_string(), value)).collect(),
        _ => Vec::new(),
    };
    let mut all: Vec<String> = children.iter().map(|(name, _)| format!("/{name}")).collect();
    for (name, value) in children {
        all.extend(parts(value).into_iter().map(|rest| format!("/{name}{rest}")));
    }
    all
}

fn remove(value: &mut Value, pointer: &str) {
    let Some((parent, last)) = pointer.rsplit_once('/') else { return };
    match value.pointer_mut(parent) {
        Some(Value::Object(map)) => {
            map.remove(&last.replace("~1", "/").replace("~0", "~"));
        }
        Some(Value::Array(items)) => {
            if let Some(at) = last.parse().ok().filter(|at| *at < items.len()) {
                items.remove(at);
            }
        }
        _ => {}
    }
}
