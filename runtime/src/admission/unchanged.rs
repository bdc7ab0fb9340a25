//! Whether an update changes metadata and status only, read off the raw objects.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::raw_object::{Name, RawObject};

/// The members of an object, not decoded.
#[derive(Deserialize)]
struct Members<'a>(#[serde(borrow)] BTreeMap<Name<'a>, &'a RawValue>);

/// The items of a list, not decoded.
#[derive(Deserialize)]
struct Items<'a>(#[serde(borrow)] Vec<&'a RawValue>);

/// As deep as serde_json decodes. What is nested more deeply counts as changed.
const DEEPEST: usize = 127;

/// Whether the objects are equal but for metadata and status.
pub(super) fn is_unchanged(old: &RawObject<'_>, new: &RawObject<'_>) -> bool {
    are_equal(&content(old), &content(new), DEEPEST)
}

/// The members of an object that count.
fn content<'o>(object: &'o RawObject<'_>) -> BTreeMap<&'o str, &'o RawValue> {
    let members = object.members().map(|(Name(name), value)| (&**name, value));
    members.filter(|(name, _)| !matches!(*name, "metadata" | "status")).collect()
}

fn are_equal<N: Ord>(old: &BTreeMap<N, &RawValue>, new: &BTreeMap<N, &RawValue>, depth: usize) -> bool {
    let is_equal =
        |((name, old), (other, new)): ((&N, &&RawValue), (&N, &&RawValue))| name == other && is_equal(old, new, depth);
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

    fn unchanged(old: &str, new: &str) -> bool {
        is_unchanged(&serde_json::from_str(old).unwrap(), &serde_json::from_str(new).unwrap())
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
    }

    #[test]
    fn deep_nesting_is_a_change() {
        let deep = format!("{{\"spec\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
        let other = deep.replace('1', "2");
        assert!(unchanged(&deep, &deep) && !unchanged(&deep, &other));
    }
}
