//! Validation of the members of objects.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::super::cause::{Cause, Causes};
use super::super::structural::{Logic, Rest, Rules, Structural, join};
use super::{check, junctors};

pub(super) fn check_members(
    map: &Map<String, Value>,
    old: Option<&Value>,
    s: &Structural,
    at: &str,
    causes: &mut Causes,
) {
    if !is_sized(map.len() as u64, &s.rules, at, causes) {
        return;
    }
    let old_member = |name: &str| old.and_then(|old| old.get(name));
    if let Rest::Each(schema) = &s.rest {
        for (name, value) in map {
            check(value, old_member(name), schema, &join(at, name), causes);
        }
    }
    for (name, schema) in &s.properties {
        if let Some(value) = map.get(name) {
            check(value, old_member(name), schema, &join(at, name), causes);
        }
    }
    let has_default = |name: &str| s.properties.get(name).is_some_and(|schema| schema.default.is_some());
    check_required(map, &s.rules, has_default, at, causes);
}

/// Validates the members of an object against a branch of `allOf`, `anyOf`, `oneOf` or `not`.
pub(super) fn check_logic_members(map: &Map<String, Value>, branch: &Logic, at: &str, causes: &mut Causes) {
    if !is_sized(map.len() as u64, &branch.rules, at, causes) {
        return;
    }
    for (name, value) in map {
        if let Some(inner) = inner(&branch.properties, branch.rest.as_deref(), name) {
            junctors::check_branch(value, inner, &join(at, name), causes);
        }
    }
    check_required(map, &branch.rules, |_| false, at, causes);
}

fn inner<'b>(properties: &'b BTreeMap<String, Logic>, rest: Option<&'b Logic>, name: &str) -> Option<&'b Logic> {
    properties.get(name).or(rest)
}

fn check_required(
    map: &Map<String, Value>,
    rules: &Rules,
    has_default: impl Fn(&str) -> bool,
    at: &str,
    causes: &mut Causes,
) {
    for name in rules.required.iter().filter(|name| !map.contains_key(*name) && !has_default(name)) {
        causes.push(Cause::required(&join(at, name), ""));
    }
}

fn is_sized(size: u64, rules: &Rules, at: &str, causes: &mut Causes) -> bool {
    if let Some(min) = rules.size.min.filter(|min| size < *min) {
        causes.push(Cause::invalid(at, size, format_args!("{at} in body should have at least {min} properties")));
        return false;
    }
    if let Some(max) = rules.size.max.filter(|max| size > *max) {
        causes.push(Cause::too_many(at, size, max));
        return false;
    }
    true
}
