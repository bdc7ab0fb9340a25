//! Sets schema defaults, and drops nulls that the schema does not allow.

use serde_json::{Map, Value};

use super::structural::{Rest, Structural};

/// Defaults an object when it is decoded: [`drop_nulls`], then [`fill`].
///
/// Do not call it for the result of an apply, since validation must see the nulls; call only [`fill`].
pub fn default(obj: &mut Value, s: &Structural) {
    drop_nulls(obj, s);
    fill(obj, s);
}

/// Drops null members whose schema is not nullable and has no default. Null items of lists are not dropped.
pub fn drop_nulls(obj: &mut Value, s: &Structural) {
    match obj {
        Value::Object(map) => drop_members(map, s),
        Value::Array(items) => {
            let Some(schema) = &s.items else { return };
            for item in items {
                drop_nulls(item, schema);
            }
        }
        _ => {}
    }
}

fn drop_members(map: &mut Map<String, Value>, s: &Structural) {
    map.retain(|name, value| match s.member(name) {
        Some(schema) => {
            drop_nulls(value, schema);
            !is_stray_null(value, schema) || schema.default.is_some()
        }
        None => true,
    });
}

/// Sets the default of every field that is absent, or null although its schema is not nullable; outer objects come first.
pub fn fill(obj: &mut Value, s: &Structural) {
    match obj {
        Value::Object(map) => {
            fill_absent(map, s);
            fill_members(map, s);
        }
        Value::Array(items) => {
            let Some(schema) = &s.items else { return };
            for item in items {
                fill_null(item, schema);
                fill(item, schema);
            }
        }
        _ => {}
    }
}

fn fill_absent(map: &mut Map<String, Value>, s: &Structural) {
    for (name, schema) in &s.properties {
        let Some(value) = &schema.default else { continue };
        if map.get(name).is_none_or(|present| is_stray_null(present, schema)) {
            map.insert(name.clone(), value.clone());
        }
    }
}

fn fill_members(map: &mut Map<String, Value>, s: &Structural) {
    for (name, value) in map {
        match (s.properties.get(name), &s.rest) {
            (Some(schema), _) => fill(value, schema),
            (None, Rest::Each(schema)) => {
                fill_null(value, schema);
                fill(value, schema);
            }
            (None, Rest::Nothing | Rest::Anything) => {}
        }
    }
}

fn fill_null(value: &mut Value, schema: &Structural) {
    if let (true, Some(default)) = (is_stray_null(value, schema), &schema.default) {
        *value = default.clone();
    }
}

fn is_stray_null(value: &Value, schema: &Structural) -> bool {
    value.is_null() && !schema.nullable
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::fixture;
    use super::*;

    fn defaulted(mut obj: Value) -> Value {
        default(&mut obj, &fixture::prune());
        obj
    }

    #[test]
    fn defaults_are_set_from_the_outside_in() {
        let expected = json!({"spec": {"dn": "d", "nuld": "d", "obj": {"x": 5}}});
        assert_eq!(defaulted(json!({"spec": {}})), expected);
        assert_eq!(defaulted(json!({})), json!({}), "no default for an absent parent");
    }

    #[test]
    fn nulls_stay_only_in_nullable_fields() {
        let obj =
            json!({"spec": {"a": null, "nul": null, "nuld": null, "dn": null, "obj2": {}, "list": [{"k": "1"}, null]}});
        let expected = json!({"spec": {
            "nul": null, "nuld": null, "dn": "d", "obj": {"x": 5}, "obj2": {"x": 5}, "list": [{"k": "1", "v": "dv"}, null]}});
        assert_eq!(defaulted(obj), expected);
    }

    #[test]
    fn fill_keeps_a_null_without_a_default() {
        let mut obj = json!({"spec": {"a": null, "dn": null}});
        fill(&mut obj, &fixture::prune());
        assert_eq!(obj["spec"]["a"], json!(null));
        assert_eq!(obj["spec"]["dn"], json!("d"));
    }
}
