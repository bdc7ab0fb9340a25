//! Prunes fields that a structural schema does not declare.

use serde_json::{Map, Value};

use super::metadata::prune_metadata;
use super::structural::{Rest, Structural, join};

/// Prunes undeclared fields from the custom resource `obj` and returns their paths.
///
/// The paths (`spec.list[0].zzz`) are sorted; those in the metadata of embedded resources come last.
///
/// `apiVersion`, `kind` and `metadata` of the object itself are not pruned: see [`prune_metadata`](super::prune_metadata).
pub fn prune(obj: &mut Value, s: &Structural) -> Vec<String> {
    let mut pruned = Pruned::default();
    if let Value::Object(map) = obj {
        prune_members(map, s, "", Names::Resource, &mut pruned);
    }
    pruned.unknown.sort();
    pruned.unknown.append(&mut pruned.embedded);
    pruned.unknown
}

/// Like [`prune`], for a value that is not a whole resource, such as a default.
pub(super) fn prune_plain(value: &mut Value, s: &Structural) -> Vec<String> {
    let mut pruned = Pruned::default();
    prune_value(value, s, "", &mut pruned);
    pruned.unknown.append(&mut pruned.embedded);
    pruned.unknown
}

#[derive(Default)]
struct Pruned {
    unknown: Vec<String>,
    embedded: Vec<String>,
}

/// Whether an object is a whole resource, whose three head fields are implicitly declared.
#[derive(Clone, Copy, PartialEq)]
enum Names {
    Plain,
    Resource,
}

impl Names {
    fn of(s: &Structural) -> Self {
        if s.embedded { Self::Resource } else { Self::Plain }
    }

    fn is_head(self, name: &str) -> bool {
        self == Self::Resource && matches!(name, "apiVersion" | "kind" | "metadata")
    }
}

fn prune_value(value: &mut Value, s: &Structural, at: &str, pruned: &mut Pruned) {
    match value {
        Value::Object(map) => {
            if s.embedded
                && let Some(metadata) = map.get_mut("metadata")
            {
                pruned.embedded.append(&mut prune_metadata(metadata, &join(at, "metadata")));
            }
            prune_members(map, s, at, Names::of(s), pruned);
        }
        Value::Array(items) => prune_items(items, s, at, pruned),
        _ => {}
    }
}

fn prune_members(map: &mut Map<String, Value>, s: &Structural, at: &str, names: Names, pruned: &mut Pruned) {
    let keeps_unknown = s.preserve || matches!(s.rest, Rest::Anything);
    map.retain(|name, value| {
        if names.is_head(name) {
            return true;
        }
        if let Some(schema) = s.member(name) {
            prune_value(value, schema, &join(at, name), pruned);
            return true;
        }
        if !keeps_unknown {
            pruned.unknown.push(join(at, name));
        }
        keeps_unknown
    });
}

fn prune_items(items: &mut [Value], s: &Structural, at: &str, pruned: &mut Pruned) {
    let Some(schema) = &s.items else { return };
    for (index, item) in items.iter_mut().enumerate() {
        prune_value(item, schema, &format!("{at}[{index}]"), pruned);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::fixture;
    use super::*;

    #[test]
    fn unknown_fields_are_pruned_at_every_depth() {
        let mut obj = json!({"apiVersion": "crd.dev/v1", "kind": "Prune", "metadata": {"name": "a", "bogus": 1}, "spec": {
            "a": "x", "bogus": 1, "list": [{"k": "1", "zzz": 1}],
            "free": {"u": {"v": 1}, "known": {"y": "1", "z": 2}}, "ios": 5,
            "emb": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "q", "bogus": 1}, "data": {"x": 1}},
            "map": {"k": {"m": "1", "n": "2"}}}, "extra": 1});
        let unknown = prune(&mut obj, &fixture::prune());
        assert_eq!(
            unknown,
            ["extra", "spec.bogus", "spec.free.known.z", "spec.list[0].zzz", "spec.map.k.n", "spec.emb.metadata.bogus"]
        );
        assert_eq!(
            obj,
            json!({"apiVersion": "crd.dev/v1", "kind": "Prune", "metadata": {"name": "a", "bogus": 1}, "spec": {
                "a": "x", "list": [{"k": "1"}], "free": {"u": {"v": 1}, "known": {"y": "1"}}, "ios": 5,
                "emb": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "q"}, "data": {"x": 1}},
                "map": {"k": {"m": "1"}}}})
        );
    }

    #[test]
    fn nothing_is_pruned_where_the_root_preserves_unknown_fields() {
        let mut obj = json!({"spec": {"m": {"a": 1}}, "extra": [1, {"b": 2}]});
        let before = obj.clone();
        assert!(prune(&mut obj, &fixture::free()).is_empty());
        assert_eq!(obj, before);
    }
}
