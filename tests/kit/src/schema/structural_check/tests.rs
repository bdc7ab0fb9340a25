//! Schema errors that were recorded on an API server.

use serde_json::{Value, json};

use super::super::{Structural, fixture};

/// The causes for rejecting the property `x`, with its path shortened to `X`.
fn refusals(x: &Value) -> Vec<(String, String, String)> {
    let causes = Structural::parse(&fixture::with_x(x)).err().unwrap_or_default();
    let prefix = "openAPIV3Schema.properties[spec].properties[x]";
    causes.into_iter().map(|cause| (cause.reason, cause.field.replace(prefix, "X"), cause.message)).collect()
}

#[track_caller]
fn is_refused(x: &Value, expected: &[(&str, &str, &str)]) {
    let owned = expected
        .iter()
        .map(|(reason, field, text)| (format!("FieldValue{reason}"), format!("X{field}"), (*text).to_owned()));
    assert_eq!(refusals(x), owned.collect::<Vec<_>>(), "{x}");
}

#[test]
fn every_node_needs_a_type() {
    let field = "Required value: must not be empty for specified object fields";
    is_refused(&json!({}), &[("Required", ".type", field)]);
    is_refused(
        &json!({"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        &[
            ("Required", ".type", field),
            ("Forbidden", ".anyOf[0].type", "Forbidden: must be empty to be structural"),
            ("Forbidden", ".anyOf[1].type", "Forbidden: must be empty to be structural"),
        ],
    );
    is_refused(&json!({"type": "array"}), &[("Required", ".items", "Required value: must be specified")]);
    let item = "Required value: must not be empty for specified array items";
    is_refused(&json!({"type": "array", "items": {}}), &[("Required", ".items.type", item)]);
    let names =
        r#"Unsupported value: "bogus": supported values: "array", "boolean", "integer", "number", "object", "string""#;
    is_refused(&json!({"type": "bogus"}), &[("NotSupported", ".type", names)]);
    is_refused(&json!({"x-kubernetes-preserve-unknown-fields": true}), &[]);
}

#[test]
fn unsupported_keywords_are_forbidden() {
    is_refused(&json!({"$ref": "#/x"}), &[("Forbidden", ".$ref", "Forbidden: $ref is not supported")]);
    let unique = "Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    is_refused(
        &json!({"type": "array", "uniqueItems": true, "items": {"type": "string"}}),
        &[("Forbidden", ".uniqueItems", unique)],
    );
    let exclusive = "Forbidden: additionalProperties and properties are mutual exclusive";
    let both =
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "string"}});
    is_refused(&both, &[("Forbidden", ".additionalProperties", exclusive)]);
}

#[test]
fn logical_junctors_must_not_define_fields() {
    let empty = "Forbidden: must be empty to be structural";
    is_refused(&json!({"type": "integer", "allOf": [{"type": "integer"}]}), &[("Forbidden", ".allOf[0].type", empty)]);
    let x = json!({"type": "string", "allOf": [{"default": "x"}, {"nullable": true}, {"items": {"minLength": 1}}]});
    is_refused(
        &x,
        &[
            ("Forbidden", ".allOf[0].default", "Forbidden: must be undefined to be structural"),
            ("Forbidden", ".allOf[1].nullable", "Forbidden: must be false to be structural"),
        ],
    );
    is_refused(&json!({"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]}), &[]);
    is_refused(
        &json!({"x-kubernetes-int-or-string": true, "anyOf": [{"type": "string"}, {"type": "integer"}]}),
        &[("Forbidden", ".anyOf[0].type", empty), ("Forbidden", ".anyOf[1].type", empty)],
    );
}

#[test]
fn list_map_keys_must_be_scalar_and_always_present() {
    let list = |keys: Value, item: Value| json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys, "items": item});
    let plain = json!({"type": "object", "properties": {"k": {"type": "string"}}});
    let missing = "Required value: must not be empty if x-kubernetes-list-type is map";
    is_refused(&list(json!([]), plain.clone()), &[("Required", ".x-kubernetes-list-map-keys", missing)]);
    let optional = "Required value: this property is in x-kubernetes-list-map-keys, \
                    so it must have a default or be a required property";
    is_refused(&list(json!(["k"]), plain.clone()), &[("Required", ".items.properties[k].default", optional)]);
    let unknown = r#"Invalid value: ["q"]: entries must all be names of item properties"#;
    is_refused(&list(json!(["q"]), plain), &[("Invalid", ".x-kubernetes-list-map-keys", unknown)]);
    let text = r#"Invalid value: "string": must be object if parent array's x-kubernetes-list-type is map"#;
    is_refused(&list(json!(["k"]), json!({"type": "string"})), &[("Invalid", ".items.type", text)]);
}

#[test]
fn objects_in_a_set_must_be_atomic() {
    let set = |item: Value| json!({"type": "array", "x-kubernetes-list-type": "set", "items": item});
    let text = "Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set";
    is_refused(&set(json!({"type": "object"})), &[("Invalid", ".items.x-kubernetes-map-type", text)]);
    is_refused(&set(json!({"type": "object", "x-kubernetes-map-type": "atomic"})), &[]);
}

#[test]
fn an_invalid_pattern_is_refused() {
    let causes = refusals(&json!({"type": "string", "pattern": "["}));
    assert_eq!(causes.len(), 1);
    assert!(
        causes[0].2.starts_with(r#"Invalid value: "[": must be a valid regular expression, but isn't: "#),
        "{causes:?}"
    );
}

#[test]
fn a_default_with_unknown_fields_is_refused() {
    let x = json!({"type": "object", "default": {"zz": 1}, "properties": {"a": {"type": "integer"}}});
    is_refused(&x, &[("Invalid", ".default", r#"Invalid value: {"zz":1}: must not have unknown fields"#)]);
}

#[test]
fn a_default_must_fit_its_schema() {
    let text = r#"Invalid value: "string":  in body must be of type integer: "string""#;
    is_refused(&json!({"type": "integer", "default": "q"}), &[("TypeInvalid", ".default", text)]);
    let x = json!({"type": "object", "default": {"a": "q"}, "properties": {"a": {"type": "integer"}}});
    let text = r#"Invalid value: "string": a in body must be of type integer: "string""#;
    is_refused(&x, &[("TypeInvalid", ".default.a", text)]);
    let x = json!({"type": "array", "items": {"type": "object"}, "default": ["x"]});
    let text = r#"Invalid value: "string": [0] in body must be of type object: "string""#;
    is_refused(&x, &[("TypeInvalid", ".default.[0]", text)]);
    let x = json!({"type": "object", "required": ["x"], "properties": {"x": {"type": "string"}}, "default": {}});
    is_refused(&x, &[("Required", ".default.x", "Required value")]);
    is_refused(&json!({"type": "object", "default": {}, "properties": {"x": {"type": "integer", "default": 5}}}), &[]);
}

#[test]
fn the_root_must_be_an_object_with_plain_metadata() {
    let refused = |schema: Value| Structural::parse(&schema).unwrap_err()[0].clone();
    let cause = refused(json!({"properties": {"spec": {"type": "object"}}}));
    assert_eq!(
        (cause.field.as_str(), cause.message.as_str()),
        ("openAPIV3Schema.type", "Required value: must not be empty at the root")
    );
    let cause = refused(json!({"type": "string"}));
    assert_eq!(cause.message, r#"Invalid value: "string": must be object at the root"#);
    let cause = refused(
        json!({"type": "object", "properties": {"metadata": {"type": "object", "properties": {"labels": {"type": "object"}}}}}),
    );
    assert_eq!(cause.field, "openAPIV3Schema.properties[metadata]");
    let names = json!({"type": "object", "properties": {"metadata": {"type": "object", "properties": {"name": {"type": "string", "maxLength": 3}}}}});
    assert!(Structural::parse(&names).is_ok());
}
