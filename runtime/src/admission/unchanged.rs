//! Whether an update changes metadata and status only, read off the raw objects.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// The members of an object, not decoded.
#[derive(Deserialize)]
struct Members<'a>(#[serde(borrow)] BTreeMap<Name<'a>, &'a RawValue>);

/// The name of a member, borrowed if it has no escapes.
#[derive(Deserialize, PartialEq, Eq, PartialOrd, Ord)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// The items of a list, not decoded.
#[derive(Deserialize)]
struct Items<'a>(#[serde(borrow)] Vec<&'a RawValue>);

/// As deep as serde_json decodes. What is nested more deeply counts as changed.
const DEEPEST: usize = 127;

/// Whether the objects are equal but for metadata and status. What is not an object is changed.
pub(super) fn is_unchanged(old: &RawValue, new: &RawValue) -> bool {
    match (content(old), content(new)) {
        (Some(old), Some(new)) => are_equal(&old, &new, DEEPEST),
        _ => false,
    }
}

/// The members of an object that count.
fn content(object: &RawValue) -> Option<BTreeMap<Name<'_>, &RawValue>> {
    let Members(mut members) = serde_json::from_str(object.get()).ok()?;
    members.retain(|Name(name), _| name != "metadata" && name != "status");
    Some(members)
}

fn are_equal(old: &BTreeMap<Name<'_>, &RawValue>, new: &BTreeMap<Name<'_>, &RawValue>, depth: usize) -> bool {
    let is_equal =
        |((name, old), (other, new)): ((_, &&RawValue), (_, &&RawValue))| name == other && is_equal(old, new, depth);
    old.len() == new.len() && old.iter().zip(new).all(is_equal)
}

/// The API server writes both objects in the same form, so equal texts are the usual case. Only what differs is decoded.
fn is_equal(old: &RawValue, new: &RawValue, depth: usize) -> bool {
    if old.get() == new.get() {
        return true;
    }
    let (Some(depth), true) = (depth.checked_sub(1), old.get().as_bytes()[0] == new.get().as_bytes()[0]) else {
        return false;
    };
    let (old, new) = (old.get(), new.get());
    match old.as_bytes()[0] {
        b'{' => match (serde_json::from_str(old), serde_json::from_str(new)) {
            (Ok(Members(old)), Ok(Members(new))) => are_equal(&old, &new, depth),
            _ => false,
        },
        b'[' => match (serde_json::from_str(old), serde_json::from_str(new)) {
            (Ok(Items(old)), Ok(Items(new))) => {
                old.len() == new.len() && old.iter().zip(&new).all(|(old, new)| is_equal(old, new, depth))
            }
            _ => false,
        },
        // The same string with other escapes, or the same number in another spelling.
        _ => match (serde_json::from_str::<Value>(old), serde_json::from_str::<Value>(new)) {
            (Ok(old), Ok(new)) => old == new,
            _ => false,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    fn unchanged(old: &str, new: &str) -> bool {
        is_unchanged(&raw(old), &raw(new))
    }

    #[test]
    fn metadata_and_status_do_not_count() {
        assert!(unchanged(
            r#"{"spec":{"a":1},"metadata":{"x":1}}"#,
            r#"{"metadata":{},"status":{"y":2},"spec":{"a":1}}"#
        ));
        assert!(unchanged(r#"{"spec":{"a":1,"b":[ 2 ]}}"#, r#"{"spec":{ "b": [2], "a": 1}}"#));
        assert!(
            unchanged(r#"{"spec":"\u0061"}"#, r#"{"spec":"a"}"#) && unchanged(r#"{"spec":1e1}"#, r#"{"spec":10.0}"#)
        );
    }

    #[test]
    fn all_else_counts() {
        assert!(!unchanged(r#"{"spec":{"a":1}}"#, r#"{"spec":{"a":2}}"#));
        assert!(!unchanged(r#"{"spec":{"a":1}}"#, r#"{"spec":{"a":1},"data":{}}"#));
        assert!(!unchanged(r#"{"data":{"a":"1"}}"#, r#"{"data":{"a":"2"}}"#));
        assert!(!unchanged(r#"{"spec":[{"a":1},2]}"#, r#"{"spec":[{"a":1},3]}"#));
        assert!(!unchanged(r#"{"spec":[1]}"#, r#"{"spec":[1,1]}"#) && !unchanged(r#"{"spec":{}}"#, r#"{"spec":[]}"#));
        assert!(!unchanged("[]", "[]") && !unchanged("3", "3"));
    }

    #[test]
    fn deep_nesting_is_a_change() {
        let deep = format!("{{\"spec\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
        let other = deep.replace('1', "2");
        assert!(unchanged(&deep, &deep) && !unchanged(&deep, &other));
    }
}
