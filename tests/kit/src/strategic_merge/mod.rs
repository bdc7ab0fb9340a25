//! Strategic merge patch: lists of built-in kinds merge by key or as sets, and directives modify the merge.

#[cfg(test)]
mod law;
mod order;

use serde_json::{Map, Value};

use crate::apply::{Node, golang};
use crate::patch::PatchError;
use order::{Key, sorted};

/// The directive of a map or list item.
const DIRECTIVE: &str = "$patch";
/// The members to retain; all others are removed.
const RETAIN: &str = "$retainKeys";
/// The order of the items of a list: `$setElementOrder/containers`.
const ORDER: &str = "$setElementOrder/";
/// Items to remove from a set: `$deleteFromPrimitiveList/finalizers`.
const DELETE: &str = "$deleteFromPrimitiveList/";

type Result<T> = std::result::Result<T, PatchError>;

/// Applies a strategic merge patch to an object of a built-in kind. On an error the object is unchanged.
///
/// # Errors
/// [`PatchError::Malformed`] if the patch is not an object; [`PatchError::Broken`] if a key is missing or a directive is unknown.
pub(crate) fn strategic_patch(doc: &mut Value, patch: &Value) -> Result<()> {
    let (Value::Object(original), Value::Object(patch)) = (&*doc, patch) else {
        return Err(PatchError::Malformed("a strategic merge patch is an object".to_owned()));
    };
    let text = |name: &str| doc[name].as_str().unwrap_or_default();
    let node = Node::root(text("apiVersion"), text("kind"));
    let merged = merge_map(original.clone(), patch, node)?;
    *doc = Value::Object(merged);
    Ok(())
}

fn merge_map(
    mut original: Map<String, Value>,
    patch: &Map<String, Value>,
    node: Option<Node<'_>>,
) -> Result<Map<String, Value>> {
    match directive(patch)? {
        Some("replace") => return Ok(cleaned_map(patch)),
        Some("delete") => return Ok(Map::new()),
        _ => {}
    }
    if let Some(retained) = patch.get(RETAIN).and_then(Value::as_array) {
        original.retain(|name, _| retained.iter().any(|kept| kept == name));
    }
    let before = original.clone();
    for (list, gone) in named(patch, DELETE) {
        if let Some(Value::Array(items)) = original.get_mut(list) {
            items.retain(|item| !gone.contains(item));
        }
    }
    for (name, value) in patch.iter().filter(|(name, _)| !is_directive(name)) {
        let below = node.and_then(|node| node.member(name));
        match merge(original.remove(name), value, below)? {
            Value::Null => {}
            merged => _ = original.insert(name.clone(), merged),
        }
    }
    for (list, order) in named(patch, ORDER) {
        let Some(Value::Array(items)) = original.get_mut(list) else { continue };
        let key = key_of(node.and_then(|node| node.member(list))).unwrap_or(Key::Value);
        let earlier = before.get(list).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        *items = sorted(std::mem::take(items), order, earlier, &key);
    }
    Ok(original)
}

fn merge(original: Option<Value>, patch: &Value, node: Option<Node<'_>>) -> Result<Value> {
    Ok(match (original, patch) {
        (Some(Value::Object(_)), Value::Object(patch)) if strategies(node).any(|one| one == "replace") => {
            Value::Object(cleaned_map(patch))
        }
        (Some(Value::Object(original)), Value::Object(patch)) => Value::Object(merge_map(original, patch, node)?),
        (Some(Value::Array(original)), Value::Array(patch)) => match key_of(node) {
            Some(Key::Value) => Value::Array(merge_set(&original, patch)),
            Some(Key::Field(key)) => Value::Array(merge_items(&original, patch, &key, node)?),
            None => Value::Array(patch.clone()),
        },
        (_, patch) => cleaned(patch),
    })
}

/// The key that identifies the items of a list; `None` if the list is replaced.
fn key_of(node: Option<Node<'_>>) -> Option<Key> {
    if !strategies(node).any(|one| one == "merge") {
        return None;
    }
    match node?.text("x-kubernetes-patch-merge-key") {
        "" => Some(Key::Value),
        key => Some(Key::Field(key.to_owned())),
    }
}

fn strategies(node: Option<Node<'_>>) -> impl Iterator<Item = &str> {
    node.map(|node| node.text("x-kubernetes-patch-strategy")).unwrap_or_default().split(',')
}

fn merge_set(original: &[Value], patch: &[Value]) -> Vec<Value> {
    let mut merged = original.to_vec();
    for item in patch {
        if !merged.contains(item) {
            merged.push(item.clone());
        }
    }
    sorted(merged, patch, original, &Key::Value)
}

fn merge_items(original: &[Value], patch: &[Value], key: &str, node: Option<Node<'_>>) -> Result<Vec<Value>> {
    let node = node.and_then(Node::item);
    let mut merged = original.to_vec();
    let mut changed = Vec::new();
    let mut is_replaced = false;
    for item in patch {
        let Value::Object(item) = item else {
            return Err(PatchError::Broken(format!(
                "{} is no item of a list that merges by {key}",
                golang::plain(item)
            )));
        };
        let found = item.get(key).and_then(|wanted| merged.iter().position(|one| one.get(key) == Some(wanted)));
        match (directive(item)?, item.contains_key(key), found) {
            (Some("replace"), ..) => is_replaced = true,
            (_, false, _) => {
                let text = golang::plain(&Value::Object(item.clone()));
                return Err(PatchError::Broken(format!("map: {text} does not contain declared merge key: {key}")));
            }
            (Some("delete"), _, at) => _ = at.map(|at| merged.remove(at)),
            (_, _, Some(at)) => {
                merged[at] = merge(Some(merged[at].take()), &Value::Object(item.clone()), node)?;
                changed.push(merged[at].clone());
            }
            (_, _, None) => {
                merged.push(cleaned(&Value::Object(item.clone())));
                changed.extend(merged.last().cloned());
            }
        }
    }
    if is_replaced {
        return Ok(patch.iter().filter(|item| item.get(DIRECTIVE).is_none()).map(cleaned).collect());
    }
    Ok(sorted(merged, &changed, original, &Key::Field(key.to_owned())))
}

/// The directive of a map: `replace`, `delete` or `merge`.
fn directive(patch: &Map<String, Value>) -> Result<Option<&str>> {
    match patch.get(DIRECTIVE) {
        None => Ok(None),
        Some(Value::String(word)) if ["replace", "delete", "merge"].contains(&word.as_str()) => Ok(Some(word)),
        Some(other) => {
            let (word, text) = (golang::plain(other), golang::plain(&Value::Object(patch.clone())));
            Err(PatchError::Broken(format!("unknown patch type: {word} in map: {text}")))
        }
    }
}

fn is_directive(name: &str) -> bool {
    name == DIRECTIVE || name == RETAIN || name.starts_with(ORDER) || name.starts_with(DELETE)
}

/// The lists with this directive, and the value of the directive.
fn named<'a>(patch: &'a Map<String, Value>, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a [Value])> {
    patch.iter().filter_map(move |(name, value)| Some((name.strip_prefix(prefix)?, value.as_array()?.as_slice())))
}

/// A patch value for an absent field: without directives and nulls.
fn cleaned(patch: &Value) -> Value {
    match patch {
        Value::Object(patch) => Value::Object(cleaned_map(patch)),
        Value::Array(items) => {
            let kept = items.iter().filter(|item| item.get(DIRECTIVE).is_none_or(|word| word == "merge"));
            Value::Array(kept.map(cleaned).collect())
        }
        other => other.clone(),
    }
}

fn cleaned_map(patch: &Map<String, Value>) -> Map<String, Value> {
    let kept = patch.iter().filter(|(name, value)| !is_directive(name) && !value.is_null());
    kept.map(|(name, value)| (name.clone(), cleaned(value))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn patched(spec: &Value, patch: &Value) -> Result<Value> {
        let mut pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"finalizers": ["a", "b"]}, "spec": spec});
        strategic_patch(&mut pod, patch)?;
        Ok(pod)
    }

    fn spec(spec: &Value, patch: &Value) -> Value {
        patched(spec, &json!({"spec": patch})).unwrap()["spec"].take()
    }

    #[test]
    fn items_merge_by_key_and_the_rest_stays() {
        let pod =
            json!({"containers": [{"name": "x", "image": "1", "env": [{"name": "A", "value": "1"}]}, {"name": "y"}]});
        let patch =
            json!({"containers": [{"name": "x", "env": [{"name": "B", "value": "2"}]}, {"name": "z", "tty": null}]});
        let env = json!([{"name": "B", "value": "2"}, {"name": "A", "value": "1"}]);
        let x = json!({"name": "x", "image": "1", "env": env});
        assert_eq!(spec(&pod, &patch)["containers"], json!([x, {"name": "z"}, {"name": "y"}]));
    }

    #[test]
    fn directives_delete_replace_retain_and_order() {
        let pod = json!({"containers": [{"name": "x"}, {"name": "y"}], "volumes": [{"name": "v", "emptyDir": {}}]});
        let names = |patch: Value| spec(&pod, &patch)["containers"].clone();
        assert_eq!(names(json!({"containers": [{"name": "x", "$patch": "delete"}]})), json!([{"name": "y"}]));
        assert_eq!(names(json!({"containers": [{"$patch": "replace"}, {"name": "z"}]})), json!([{"name": "z"}]));
        let order = json!({"$setElementOrder/containers": [{"name": "y"}, {"name": "x"}]});
        assert_eq!(names(order), json!([{"name": "y"}, {"name": "x"}]));
        let retain =
            json!({"volumes": [{"name": "v", "$retainKeys": ["name", "hostPath"], "hostPath": {"path": "/"}}]});
        assert_eq!(spec(&pod, &retain)["volumes"], json!([{"name": "v", "hostPath": {"path": "/"}}]));
    }

    #[test]
    fn sets_merge_and_delete_the_listed_items() {
        let meta =
            |patch: Value| patched(&json!({}), &json!({"metadata": patch})).unwrap()["metadata"]["finalizers"].take();
        assert_eq!(meta(json!({"finalizers": ["c", "a"]})), json!(["c", "a", "b"]));
        assert_eq!(meta(json!({"$deleteFromPrimitiveList/finalizers": ["a"]})), json!(["b"]));
    }

    #[test]
    fn an_invalid_patch_changes_nothing() {
        let no_key = json!({"spec": {"containers": [{"image": "i"}]}});
        let why = patched(&json!({"containers": []}), &no_key).unwrap_err().to_string();
        assert_eq!(why, "map: map[image:i] does not contain declared merge key: name");
        let why = patched(&json!({}), &json!({"metadata": {"$patch": "x"}})).unwrap_err().to_string();
        assert_eq!(why, "unknown patch type: x in map: map[$patch:x]");
    }
}
