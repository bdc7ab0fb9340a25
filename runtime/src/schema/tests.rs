//! Tables of matching and mismatching fields: the type's field, the CRD's field, and the report.

use serde_json::{Value, json};

use super::*;

fn rooted(field: &str, properties: &Value) -> Value {
    json!({ "type": "object", "properties": { field: { "type": "object", "properties": properties } } })
}

/// The report for a field `x` of the status.
fn written(ours: &Value, theirs: &Value) -> String {
    let (ours, theirs) = (rooted("status", &json!({ "x": ours })), rooted("status", &json!({ "x": theirs })));
    listed(&misfits(&ours, &theirs, &|_| true))
}

fn object(properties: &Value) -> Value {
    json!({ "type": "object", "properties": properties })
}

fn map(values: &Value) -> Value {
    json!({ "type": "object", "additionalProperties": values })
}

fn list(items: &Value) -> Value {
    json!({ "type": "array", "items": items })
}

fn keyed(keys: &[&str]) -> Value {
    json!({ "type": "array", "items": object(&json!({ "type": text(), "a": text() })),
        "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys })
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn words(values: &[&str]) -> Value {
    json!({ "type": "string", "enum": values })
}

fn check_fits(cases: impl IntoIterator<Item = (Value, Value)>) {
    for (ours, theirs) in cases {
        assert_eq!(written(&ours, &theirs), "", "{ours} in {theirs}");
    }
}

/// Schemas that a server or another generator writes in a different form or with additions.
#[test]
fn an_equivalent_crd_schema_fits() {
    let int_or_string = json!({ "x-kubernetes-int-or-string": true });
    let optional = |schema: Value| json!({ "anyOf": [schema, { "enum": [null], "nullable": true }] });
    let variants =
        json!([{ "type": "string", "enum": ["a"], "description": "A." }, { "type": "string", "const": "b" }]);
    check_fits([
        (text(), text()),
        (text(), json!({ "type": "string", "description": "d", "default": "x", "title": "X" })),
        (text(), json!({ "type": "string", "format": "date-time" })),
        (text(), json!({ "type": "string", "minLength": 1, "maxLength": 9, "pattern": "^a" })),
        (text(), json!({ "type": "string", "x-kubernetes-validations": [{ "rule": "self != ''" }] })),
        (text(), json!({ "type": "string", "enum": ["a", "b"] })),
        (text(), json!({ "type": "string", "nullable": true })),
        (json!({ "type": "string", "nullable": true }), text()),
        (
            json!({ "type": "integer", "format": "uint32", "minimum": 0 }),
            json!({ "type": "integer", "format": "int64" }),
        ),
        (json!({ "type": "integer" }), json!({ "type": "number" })),
        (json!({ "type": ["string", "null"] }), text()),
        (int_or_string.clone(), json!({ "anyOf": [{ "type": "integer" }, { "type": "string" }] })),
        (int_or_string.clone(), text()),
        (int_or_string.clone(), optional(int_or_string.clone())),
        (json!({ "format": "int-or-string", "oneOf": [{ "type": "integer" }, { "type": "string" }] }), int_or_string),
        (words(&["a"]), words(&["b", "a"])),
        (words(&["a", "b"]), json!({ "oneOf": variants })),
        (json!({ "oneOf": variants }), words(&["a", "b"])),
        (optional(words(&["a"])), words(&["a"])),
        (words(&["a"]), text()),
        // OpenAPI v2 omits keywords that it does not support.
        (json!({ "type": "string", "nullable": true }), json!({})),
    ]);
}

/// The same for objects, maps and lists.
#[test]
fn an_equivalent_field_description_fits() {
    let open = json!({ "x-kubernetes-preserve-unknown-fields": true });
    let tagged = json!({ "type": "object", "properties": { "a": text(), "b": text() },
        "oneOf": [{ "required": ["a"] }, { "required": ["b"] }] });
    check_fits([
        (object(&json!({ "a": text() })), object(&json!({ "a": text(), "b": text() }))),
        (object(&json!({ "a": text() })), open.clone()),
        (object(&json!({ "a": text() })), json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true })),
        (object(&json!({ "a": text() })), map(&text())),
        (object(&json!({ "a": text() })), json!({ "type": "object", "additionalProperties": true })),
        (
            object(&json!({ "a": text() })),
            json!({ "type": "object", "properties": { "a": text() }, "required": ["a"] }),
        ),
        (
            json!({ "type": "object", "properties": { "a": text() }, "required": ["a"] }),
            object(&json!({ "a": text() })),
        ),
        (
            object(&json!({ "kind": text(), "metadata": { "type": "object" } })),
            json!({ "type": "object", "x-kubernetes-embedded-resource": true, "properties": {} }),
        ),
        (tagged.clone(), tagged),
        (map(&text()), map(&text())),
        (map(&text()), open.clone()),
        (open.clone(), open),
        (list(&text()), list(&text())),
        (list(&text()), json!({ "type": "array", "items": text(), "x-kubernetes-list-type": "set", "maxItems": 3 })),
        (keyed(&["type"]), keyed(&["type"])),
        (list(&text()), json!({ "type": "array" })),
        // OpenAPI v2 omits keywords that it does not support.
        (object(&json!({ "a": text() })), json!({})),
    ]);
}

#[test]
fn rejected_and_pruned_fields_are_listed_by_path() {
    let nullable = json!({ "type": "string", "nullable": true });
    let requires = json!({ "type": "object", "properties": { "a": text() }, "required": ["a", "b"] });
    let open = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    let a = object(&json!({ "a": text() }));
    let cases = [
        (text(), json!({ "type": "integer" }), ".status.x has the type integer instead of string"),
        (json!({ "type": "integer" }), text(), ".status.x has the type string instead of integer"),
        (json!({ "type": "number" }), json!({ "type": "integer" }), ".status.x has the type integer instead of number"),
        (json!({ "type": "boolean" }), text(), ".status.x has the type string instead of boolean"),
        (list(&text()), text(), ".status.x has the type string instead of array"),
        (a.clone(), list(&text()), ".status.x has the type array instead of object"),
        (
            json!({ "x-kubernetes-int-or-string": true }),
            json!({ "type": "boolean" }),
            ".status.x has the type boolean instead of integer or string",
        ),
        (words(&["a", "c"]), words(&["a", "b"]), ".status.x does not allow \"c\""),
        (words(&["a", "c", "d"]), json!({ "oneOf": [{ "enum": ["a"] }] }), ".status.x does not allow \"c\", \"d\""),
        (a.clone(), object(&json!({ "b": text() })), ".status.x.a is missing"),
        (object(&json!({ "a": a.clone() })), object(&json!({ "a": object(&json!({})) })), ".status.x.a.a is missing"),
        (object(&json!({ "a": nullable })), a.clone(), ".status.x.a does not allow null"),
        (a.clone(), requires, ".status.x requires b, which the program does not have"),
        (map(&text()), a.clone(), ".status.x does not keep unknown fields"),
        (map(&text()), map(&json!({ "type": "integer" })), ".status.x.* has the type integer instead of string"),
        (map(&a), map(&object(&json!({}))), ".status.x.*.a is missing"),
        (open, a.clone(), ".status.x does not keep unknown fields"),
        (list(&a), list(&object(&json!({}))), ".status.x[*].a is missing"),
        (list(&text()), list(&json!({ "type": "integer" })), ".status.x[*] has the type integer instead of string"),
        (keyed(&["type"]), keyed(&["a"]), ".status.x is not a list map with the keys type"),
        (
            keyed(&["type"]),
            list(&object(&json!({ "type": text(), "a": text() }))),
            ".status.x is not a list map with the keys type",
        ),
    ];
    for (ours, theirs, wanted) in cases {
        assert_eq!(written(&ours, &theirs), wanted, "{ours} in {theirs}");
    }
}

/// The report for a spec.
fn read(ours: &Value, theirs: &Value) -> String {
    let rooted = |spec: &Value| json!({ "type": "object", "properties": { "spec": spec } });
    listed(&misfits(&rooted(ours), &rooted(theirs), &|_| true))
}

#[test]
fn only_required_spec_fields_must_exist() {
    let spec = |required: &[&str]| {
        json!({ "type": "object", "required": required, "properties": {
            "size": { "type": "integer" }, "deep": { "type": "object", "properties": { "a": text() }, "required": ["a"] } } })
    };
    let sized = |type_: &str| json!({ "type": "object", "properties": { "size": { "type": type_ } } });
    let open = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    let cases = [
        (spec(&["size", "deep"]), spec(&["size"]), ""),
        (spec(&["size", "deep"]), open, ""),
        (spec(&["size", "deep"]), json!({ "x-kubernetes-preserve-unknown-fields": true }), ""),
        (spec(&["size"]), json!({}), ""),
        (spec(&["size"]), sized("integer"), ""),
        (spec(&["size"]), sized("number"), ""),
        (spec(&[]), sized("string"), ""),
        (spec(&["size"]), sized("string"), ".spec.size has the type string instead of integer"),
        (spec(&["size", "deep"]), sized("integer"), ".spec.deep is missing"),
        (
            spec(&["deep"]),
            json!({ "type": "object", "properties": { "deep": object(&json!({})) } }),
            ".spec.deep.a is missing",
        ),
        (spec(&["size"]), list(&text()), ".spec has the type array instead of object"),
    ];
    for (ours, theirs, wanted) in cases {
        assert_eq!(read(&ours, &theirs), wanted, "{ours} in {theirs}");
    }
    let bare = object(&json!({ "status": object(&json!({})) }));
    let found = misfits(&json!({ "type": "object", "properties": { "spec": spec(&["size"]) } }), &bare, &|_| true);
    assert_eq!(listed(&found), ".spec is missing");
}

#[test]
fn a_missing_status_is_reported_once() {
    let ours = rooted("status", &json!({ "a": text(), "b": text() }));
    assert_eq!(listed(&misfits(&ours, &rooted("spec", &json!({})), &|_| true)), ".status is missing");
    let open = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    assert_eq!(misfits(&ours, &open, &|_| true), []);
}

#[test]
fn fields_that_are_not_written_may_be_missing() {
    let (ours, theirs) =
        (rooted("status", &json!({ "a": text(), "b": text() })), rooted("status", &json!({ "b": text() })));
    assert_eq!(misfits(&ours, &theirs, &|field| field != "a"), []);
    assert_eq!(listed(&misfits(&ours, &theirs, &|_| true)), ".status.a is missing");
}

#[test]
fn at_most_five_misfits_are_listed() {
    let fields: Value = (0..8).map(|n| (format!("f{n}"), text())).collect::<serde_json::Map<_, _>>().into();
    let found = misfits(&rooted("status", &fields), &rooted("status", &json!({})), &|_| true);
    assert!(listed(&found).ends_with(".status.f4 is missing, and 3 more"), "{}", listed(&found));
}

#[test]
fn a_top_level_null_in_status_is_never_sent() {
    let status = |field: Value| rooted("status", &json!({ "x": field }));
    let found = misfits(&status(json!({ "type": "string", "nullable": true })), &status(text()), &|_| true);
    assert_eq!(found, []);
}

#[test]
fn the_field_of_a_rejected_apply_is_parsed() {
    let text = "500: failed to create typed patch object (a/w; x.dev/v1, Kind=W): .status.list[0].y: field not declared in schema";
    assert_eq!(undeclared(text), Some(".status.list[0].y"));
    assert_eq!(undeclared("status.phase: Unsupported value"), None);
}
