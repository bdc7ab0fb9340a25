//! The JSON patch of a mutation: what differs between the typed object before and after, replayed onto the raw object.
//!
//! The raw object may have members that the type does not have, and lack members that the type fills with defaults. Neither is changed.

use serde::Serialize;
use serde_json::{Map, Value};

/// One operation of a JSON patch (RFC 6902).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "op", rename_all = "lowercase")]
pub(super) enum Step {
    /// Sets a member, or inserts an item.
    Add {
        path: String,
        value: Value,
    },
    /// Sets an item of a list.
    Replace {
        path: String,
        value: Value,
    },
    Remove {
        path: String,
    },
}

/// A patch, and how many lists it replaces as a whole: what the type does not know inside of their items is lost.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Patch {
    pub(super) steps: Vec<Step>,
    pub(super) replaced_lists: u64,
}

impl Patch {
    /// The patch that makes the same change to `raw` as was made to `before`.
    pub(super) fn of(before: &Value, after: &Value, raw: &Value) -> Self {
        let mut patch = Self::default();
        if let (Value::Object(before), Value::Object(after)) = (before, after) {
            patch.object("", before, after, raw.as_object());
        }
        patch
    }

    /// `raw`: `None` if there is no object at the path yet.
    fn object(
        &mut self,
        path: &str,
        before: &Map<String, Value>,
        after: &Map<String, Value>,
        raw: Option<&Map<String, Value>>,
    ) {
        let start = self.steps.len();
        if raw.is_none() {
            self.steps.push(Step::Add { path: path.to_owned(), value: Value::Object(Map::new()) });
        }
        for (name, value) in after {
            let old = before.get(name);
            if old != Some(value) {
                let known = raw.and_then(|raw| raw.get(name));
                self.value(Place::Member(member(path, name)), old, value, known);
            }
        }
        for name in before.keys().filter(|name| !after.contains_key(*name)) {
            if raw.is_some_and(|raw| raw.contains_key(name)) {
                self.steps.push(Step::Remove { path: member(path, name) });
            }
        }
        // An object that would get no members is not made.
        if raw.is_none() && self.steps.len() == start + 1 {
            self.steps.truncate(start);
        }
    }

    /// A member or an item that has changed from `old`; `None`: it is new.
    fn value(&mut self, place: Place, old: Option<&Value>, new: &Value, raw: Option<&Value>) {
        match (old, new, raw) {
            (None, Value::Object(new), Some(Value::Object(raw))) => {
                self.object(place.path(), &Map::new(), new, Some(raw));
            }
            (Some(Value::Object(old)), Value::Object(new), Some(Value::Object(raw))) => {
                self.object(place.path(), old, new, Some(raw));
            }
            (Some(Value::Object(old)), Value::Object(new), _) if matches!(place, Place::Member(_)) => {
                self.object(place.path(), old, new, None);
            }
            (Some(Value::Array(old)), Value::Array(new), Some(Value::Array(raw))) => {
                if raw.len() == old.len() && new.len() >= old.len() && !has_moved(old, new) {
                    self.items(place.path(), old, new, raw);
                } else {
                    self.replaced_lists += 1;
                    self.steps.push(place.set(new_list(new)));
                }
            }
            _ => self.steps.push(place.set(new.clone())),
        }
    }

    /// A list that has as many items as before, or more at its end.
    fn items(&mut self, path: &str, old: &[Value], new: &[Value], raw: &[Value]) {
        for (at, ((old, new), raw)) in old.iter().zip(new).zip(raw).enumerate() {
            if old != new {
                self.value(Place::Item(format!("{path}/{at}")), Some(old), new, Some(raw));
            }
        }
        for value in &new[old.len()..] {
            self.steps.push(Step::Add { path: format!("{path}/-"), value: value.clone() });
        }
    }
}

/// Where a value is.
enum Place {
    Member(String),
    Item(String),
}

impl Place {
    fn path(&self) -> &str {
        match self {
            Self::Member(path) | Self::Item(path) => path,
        }
    }

    /// The operation that sets the value here. Adding an item would insert it.
    fn set(self, value: Value) -> Step {
        match self {
            Self::Member(path) => Step::Add { path, value },
            Self::Item(path) => Step::Replace { path, value },
        }
    }
}

fn new_list(items: &[Value]) -> Value {
    Value::Array(items.to_vec())
}

/// Whether an object or a list is at another place than before. Its unknown members must not end up in the item that is there now.
fn has_moved(old: &[Value], new: &[Value]) -> bool {
    let changed = old.iter().zip(new).filter(|(old, new)| old != new && (old.is_object() || old.is_array()));
    changed.into_iter().any(|(old, _)| new.contains(old))
}

/// The JSON pointer of a member.
fn member(path: &str, name: &str) -> String {
    match name.contains(['~', '/']) {
        true => format!("{path}/{}", name.replace('~', "~0").replace('/', "~1")),
        false => format!("{path}/{name}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn steps(before: &Value, after: &Value, raw: &Value) -> (Value, u64) {
        let patch = Patch::of(before, after, raw);
        (json!(patch.steps), patch.replaced_lists)
    }

    #[test]
    fn only_what_changed_reaches_the_patch() {
        let before = json!({ "spec": { "size": 1, "mode": "default" } });
        let after = json!({ "spec": { "size": 2, "mode": "default" } });
        let raw = json!({ "spec": { "size": 1, "unknown": true } });
        assert_eq!(steps(&before, &after, &raw), (json!([{ "op": "add", "path": "/spec/size", "value": 2 }]), 0));
        assert_eq!(steps(&before, &before, &raw), (json!([]), 0));
    }

    #[test]
    fn parents_are_made_first() {
        let before = json!({ "metadata": {}, "spec": { "login": { "user": "a" } } });
        let after = json!({ "metadata": { "annotations": { "a.b/c~d": "x" } }, "spec": { "login": { "user": "b" } } });
        let made = json!([
            { "op": "add", "path": "/metadata/annotations", "value": { "a.b/c~d": "x" } },
            { "op": "add", "path": "/spec", "value": {} },
            { "op": "add", "path": "/spec/login", "value": {} },
            { "op": "add", "path": "/spec/login/user", "value": "b" },
        ]);
        assert_eq!(steps(&before, &after, &json!({ "metadata": {} })), (made, 0));
        // What the type did not show is there already.
        let raw = json!({ "metadata": { "annotations": { "stripped": "y" } }, "spec": { "login": { "user": "a" } } });
        let added = json!([
            { "op": "add", "path": "/metadata/annotations/a.b~1c~0d", "value": "x" },
            { "op": "add", "path": "/spec/login/user", "value": "b" },
        ]);
        assert_eq!(steps(&before, &after, &raw), (added, 0));
    }

    #[test]
    fn what_is_removed_is_removed_only_where_it_is() {
        let before = json!({ "spec": { "a": 1, "b": { "c": 2 } } });
        let after = json!({ "spec": { "b": {} } });
        let removed = json!([{ "op": "remove", "path": "/spec/b/c" }, { "op": "remove", "path": "/spec/a" }]);
        assert_eq!(steps(&before, &after, &json!({ "spec": { "a": 1, "b": { "c": 2, "d": 3 } } })), (removed, 0));
        assert_eq!(steps(&before, &after, &json!({ "spec": {} })), (json!([]), 0));
        assert_eq!(steps(&before, &after, &json!({})), (json!([]), 0));
    }

    #[test]
    fn lists_are_compared_item_by_item() {
        let before = json!({ "items": [{ "n": 1 }, { "n": 2 }], "texts": ["a", "b"] });
        let after = json!({ "items": [{ "n": 1 }, { "n": 3 }, { "n": 4 }], "texts": ["b", "b"] });
        let raw = json!({ "items": [{ "n": 1 }, { "n": 2, "unknown": 0 }], "texts": ["a", "b"] });
        let patch = json!([
            { "op": "add", "path": "/items/1/n", "value": 3 },
            { "op": "add", "path": "/items/-", "value": { "n": 4 } },
            { "op": "replace", "path": "/texts/0", "value": "b" },
        ]);
        assert_eq!(steps(&before, &after, &raw), (patch, 0));
    }

    #[test]
    fn a_list_with_removed_or_moved_items_is_replaced_and_counted() {
        let before = json!({ "items": [{ "n": 1 }, { "n": 2 }] });
        let raw = json!({ "items": [{ "n": 1, "unknown": 0 }, { "n": 2 }] });
        for list in [json!([{ "n": 2 }]), json!([{ "n": 2 }, { "n": 1 }]), json!([{ "n": 0 }, { "n": 1 }, { "n": 2 }])]
        {
            let after = json!({ "items": list });
            assert_eq!(steps(&before, &after, &raw), (json!([{ "op": "add", "path": "/items", "value": list }]), 1));
        }
        // The type shows fewer items than there are.
        let after = json!({ "items": [{ "n": 1 }, { "n": 3 }] });
        let raw = json!({ "items": [{ "n": 1 }, null, { "n": 2 }] });
        assert_eq!(steps(&before, &after, &raw).1, 1);
    }

    #[test]
    fn an_item_of_another_type_is_replaced() {
        let (before, after) = (json!({ "a": [{ "n": 1 }] }), json!({ "a": [{ "n": 2 }] }));
        let patch = json!([{ "op": "replace", "path": "/a/0", "value": { "n": 2 } }]);
        assert_eq!(steps(&before, &after, &json!({ "a": ["short form"] })), (patch, 0));
        let (before, after) = (json!({ "a": [[1], [2]] }), json!({ "a": [[1], []] }));
        let patch = json!([{ "op": "replace", "path": "/a/1", "value": [] }]);
        assert_eq!(steps(&before, &after, &json!({ "a": [[1], [2]] })), (patch, 1));
    }
}
