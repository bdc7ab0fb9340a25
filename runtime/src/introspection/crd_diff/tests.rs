//! Each change of a schema has its level, and names the field with its former and its new value.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::{Value, json};

use super::super::api_diff::Semver;
use super::*;

/// The CRDs of a program whose kind has this spec.
fn crds(spec: &Value) -> Crds {
    let schema = json!({
        "type": "object",
        "required": ["spec"],
        "properties": { "spec": spec, "status": { "type": "object", "properties": { "url": { "type": "string", "maxLength": 9 } } } },
    });
    let definition: CustomResourceDefinition = serde_json::from_value(json!({
        "metadata": { "name": "things.example.com" },
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": { "kind": "Thing", "plural": "things" },
            "versions": [{ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema } }],
        },
    }))
    .unwrap();
    CrdContract::all(&[definition])
}

/// A spec with one field besides an unchanged one.
fn with(field: &Value) -> Crds {
    crds(&json!({ "type": "object", "properties": { "same": { "type": "string" }, "name": field } }))
}

/// The level and the text of the only change.
fn only(before: &Crds, after: &Crds) -> (Semver, String) {
    let changes = compare(before, after);
    assert_eq!(changes.len(), 1, "{changes:?}");
    assert_eq!(changes[0].fix.is_empty(), changes[0].semver == Semver::Minor, "{changes:?}");
    (changes[0].semver, changes[0].to_string())
}

/// The level of the change from the first field to the second one, and of the way back.
fn both(before: &Value, after: &Value) -> (Semver, Semver) {
    let level = |before: &Value, after: &Value| only(&with(before), &with(after)).0;
    (level(before, after), level(after, before))
}

#[test]
fn the_same_schema_has_no_changes() {
    let schema = with(&json!({ "type": "string", "maxLength": 3, "enum": ["a"], "default": "a" }));
    assert_eq!(compare(&schema, &schema), []);
}

#[test]
fn a_removed_field_is_major_and_is_named_once() {
    let (without, object) = (
        crds(&json!({ "type": "object", "properties": { "same": { "type": "string" } } })),
        with(&json!({ "type": "object", "properties": { "inner": { "type": "string" } } })),
    );
    let what = "removed: field spec.name of things.example.com/v1".to_owned();
    assert_eq!(only(&object, &without), (Semver::Major, what));
    let what = "added: field spec.name of things.example.com/v1".to_owned();
    assert_eq!(only(&without, &object), (Semver::Minor, what));
}

#[test]
fn a_change_names_the_field_with_its_former_and_its_new_value() {
    let (before, after) = (with(&json!({ "type": "string" })), with(&json!({ "type": "integer" })));
    let what = "changed: field spec.name of things.example.com/v1, type: string -> integer".to_owned();
    assert_eq!(only(&before, &after), (Semver::Major, what));
    let limit = |limit: u32| with(&json!({ "type": "string", "maxLength": limit }));
    let what = "changed: field spec.name of things.example.com/v1, maxLength: 64 -> 32".to_owned();
    assert_eq!(only(&limit(64), &limit(32)), (Semver::Major, what));
}

#[test]
fn what_accepts_less_is_major_and_what_accepts_more_is_minor() {
    let text = |more: Value| {
        let mut field = json!({ "type": "string" });
        field.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        field
    };
    let free = text(json!({}));
    for narrower in [
        json!({ "maxLength": 3 }),
        json!({ "minLength": 3 }),
        json!({ "enum": ["a", "b"] }),
        json!({ "pattern": "^a" }),
        json!({ "x-kubernetes-validations": [{ "rule": "self != 'b'" }] }),
        json!({ "anyOf": [{ "minLength": 1 }] }),
    ] {
        assert_eq!(both(&free, &text(narrower.clone())), (Semver::Major, Semver::Minor), "{narrower}");
    }
    let minimum = |minimum: u32| json!({ "type": "integer", "minimum": minimum });
    assert_eq!(both(&minimum(1), &minimum(2)), (Semver::Major, Semver::Minor));
    let values = |values: &[&str]| text(json!({ "enum": values }));
    assert_eq!(both(&values(&["a", "b"]), &values(&["a"])), (Semver::Major, Semver::Minor));
    assert_eq!(both(&text(json!({ "nullable": true })), &free), (Semver::Major, Semver::Minor));
    let patterns = both(&text(json!({ "pattern": "^a" })), &text(json!({ "pattern": "^b" })));
    assert_eq!(patterns, (Semver::Major, Semver::Major), "no program can decide which of them accepts less");
}

#[test]
fn a_required_field_is_major_unless_it_has_a_default() {
    let spec = |required: &[&str], field: &Value| {
        crds(&json!({ "type": "object", "required": required, "properties": { "name": field } }))
    };
    let (plain, default) = (json!({ "type": "string" }), json!({ "type": "string", "default": "a" }));
    assert_eq!(only(&spec(&[], &plain), &spec(&["name"], &plain)).0, Semver::Major);
    assert_eq!(only(&spec(&["name"], &plain), &spec(&[], &plain)).0, Semver::Minor);
    assert_eq!(compare(&spec(&[], &default), &spec(&["name"], &default)), []);
    let none = crds(&json!({ "type": "object", "properties": {} }));
    let what = "added: field spec.name of things.example.com/v1, which is required".to_owned();
    assert_eq!(only(&none, &spec(&["name"], &plain)), (Semver::Major, what));
}

#[test]
fn another_default_is_major_and_a_new_one_is_minor() {
    let default = |default: &str| with(&json!({ "type": "string", "default": default }));
    let what = "changed: field spec.name of things.example.com/v1, default: \"a\" -> \"b\"".to_owned();
    assert_eq!(only(&default("a"), &default("b")), (Semver::Major, what));
    assert_eq!(only(&with(&json!({ "type": "string" })), &default("a")).0, Semver::Minor);
}

#[test]
fn a_removed_version_and_another_scope_are_major() {
    let before = with(&json!({ "type": "string" }));
    let mut after = before.clone();
    let crd = after.get_mut("things.example.com").unwrap();
    let fields = crd.versions.remove("v1").unwrap();
    crd.versions.insert("v2".to_owned(), fields);
    let changes: Vec<_> = compare(&before, &after).iter().map(ToString::to_string).collect();
    let wanted = ["removed: version v1 of CRD things.example.com", "added: version v2 of CRD things.example.com"];
    assert_eq!(changes, wanted);
    let mut after = before.clone();
    after.get_mut("things.example.com").unwrap().scope = "Cluster".to_owned();
    let what = "changed: scope of CRD things.example.com: Namespaced -> Cluster".to_owned();
    assert_eq!(only(&before, &after), (Semver::Major, what));
    assert_eq!(only(&before, &Crds::new()), (Semver::Major, "removed: CRD things.example.com".to_owned()));
}

#[test]
fn of_a_status_only_fields_and_types_count() {
    let before = with(&json!({ "type": "string" }));
    let status = &before["things.example.com"].versions["v1"]["status.url"];
    assert_eq!(*status, FieldContract { type_: "string".to_owned(), ..FieldContract::default() });
}
