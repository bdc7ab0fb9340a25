//! CRD validation errors that were recorded on an API server.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use serde_json::{Value, json};

use crate::crd::prepare;

fn definition() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "errs.crd.dev"},
        "spec": {
            "group": "crd.dev", "scope": "Namespaced", "names": {"plural": "errs", "kind": "Err"},
            "versions": [version("v1", true)],
        },
    })
}

fn version(name: &str, storage: bool) -> Value {
    let spec = json!({"type": "object", "properties": {"a": {"type": "string"}, "l": {"type": "array", "items": {"type": "string"}}}});
    let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}});
    json!({"name": name, "served": true, "storage": storage, "schema": schema})
}

/// The causes after setting these fields, as "field: message".
fn refusals(changes: &[(&str, Value)]) -> Vec<String> {
    let mut crd = definition();
    for (pointer, value) in changes {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        match crd.pointer_mut(parent).unwrap() {
            Value::Array(items) => items.push(value.clone()),
            object => object[key] = value.clone(),
        }
    }
    prepare(&mut crd, None).err().unwrap_or_default().iter().map(ToString::to_string).collect()
}

const LABEL: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic \
    character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is \
    '[a-z]([-a-z0-9]*[a-z0-9])?')";

#[test]
fn a_valid_crd_gets_default_names_and_status() {
    let mut crd = definition();
    assert_eq!(prepare(&mut crd, None).unwrap(), Vec::<String>::new());
    assert_eq!(
        crd["spec"]["names"],
        json!({"plural": "errs", "singular": "err", "kind": "Err", "listKind": "ErrList"})
    );
    assert_eq!(crd["spec"]["conversion"], json!({"strategy": "None"}));
    assert_eq!(
        crd["status"],
        json!({"conditions": null, "acceptedNames": {"plural": "", "kind": ""}, "storedVersions": ["v1"]})
    );
}

#[test]
fn the_name_must_be_plural_dot_group() {
    assert_eq!(
        refusals(&[("/spec/names/plural", json!("Errs"))]),
        [
            r#"metadata.name: Invalid value: "errs.crd.dev": must be spec.names.plural+"."+spec.group"#.to_owned(),
            format!(r#"spec.names.plural: Invalid value: "Errs": {LABEL}"#),
        ]
    );
}

#[test]
fn missing_required_fields_are_reported_in_order() {
    assert_eq!(
        refusals(&[("/spec", json!(null))]),
        [
            r#"metadata.name: Invalid value: "errs.crd.dev": must be spec.names.plural+"."+spec.group"#,
            "spec.group: Required value",
            "spec.scope: Required value",
            "spec.versions: Invalid value: null: must have exactly one version marked as storage version",
            "spec.names.plural: Required value",
            "spec.names.singular: Required value",
            "spec.names.kind: Required value",
            "spec.names.listKind: Required value",
            "status.storedVersions: Invalid value: null: must have at least one stored version",
        ]
    );
}

#[test]
fn exactly_one_version_must_be_the_storage_version() {
    let printed = |name: &str| {
        format!(
            r#"{{"Name":"{name}","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"#
        ) + r#""Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}"#
    };
    assert_eq!(
        refusals(&[("/spec/versions/-", version("v2", true))]),
        [
            format!(
                "spec.versions: Invalid value: [{},{}]: must have exactly one version marked as storage version",
                printed("v1"),
                printed("v2")
            ),
            r#"status.storedVersions: Invalid value: ["v1"]: must have the storage version v2"#.to_owned(),
        ]
    );
}

#[test]
fn errors_in_a_shared_schema_are_reported_once() {
    let bad = json!({"type": "object", "properties": {"x": {}}});
    let place = "/spec/versions/0/schema/openAPIV3Schema";
    let rule = "properties[x].type: Required value: must not be empty for specified object fields";
    assert_eq!(refusals(&[(place, bad.clone())]), [format!("spec.validation.openAPIV3Schema.{rule}")]);
    assert_eq!(
        refusals(&[(place, bad), ("/spec/versions/-", version("v2", false))]),
        [format!("spec.versions[0].schema.openAPIV3Schema.{rule}")]
    );
}

#[test]
fn paths_of_columns_scale_and_selectors_are_checked() {
    let at = |name: &str, value: Value| refusals(&[(&format!("/spec/versions/0/{name}"), value)]);
    assert_eq!(
        at("additionalPrinterColumns", json!([{"name": "x", "type": "bogus", "jsonPath": "spec.a"}])),
        [
            r#"spec.additionalPrinterColumns[0].type: Invalid value: "bogus": must be one of boolean,date,integer,number,string"#,
            r#"spec.additionalPrinterColumns[0].JSONPath: Invalid value: "spec.a": must be a simple json path starting with ."#,
        ]
    );
    assert_eq!(
        at("subresources", json!({"scale": {"specReplicasPath": ".foo"}})),
        [
            r#"spec.subresources.scale.specReplicasPath: Invalid value: ".foo": should be a json path under .spec"#,
            "spec.subresources.scale.statusReplicasPath: Required value",
        ]
    );
    let selectors = [".spec.a", ".spec.a", ".spec.l[0]", ".spec.zz", ".spec", "spec.a"];
    let selectors: Vec<Value> = selectors.iter().map(|path| json!({"jsonPath": path})).collect();
    let found = at("selectableFields", json!(selectors));
    assert_eq!(found.len(), 5);
    assert_eq!(found[0], r#"spec.selectableFields[1].jsonPath: Duplicate value: ".spec.a""#);
    assert!(found[1].ends_with("is an invalid path: array notation is not allowed"), "{}", found[1]);
    assert!(found[2].ends_with("is an invalid path: does not refer to a valid field"), "{}", found[2]);
    assert!(found[3].contains("must point to a field of type string, boolean or integer"), "{}", found[3]);
    assert!(found[4].ends_with("is an invalid path: expected [ or . but got: spec"), "{}", found[4]);
}

#[test]
fn webhook_conversion_needs_an_address_and_review_versions() {
    let review = json!({"clientConfig": {"url": "https://x"}, "conversionReviewVersions": ["v1"]});
    assert_eq!(refusals(&[("/spec/conversion", json!({"strategy": "Webhook", "webhook": review}))]), [""; 0]);
    assert_eq!(
        refusals(&[("/spec/conversion", json!({"strategy": "Webhook"}))]),
        [
            "spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook",
            "spec.conversion.conversionReviewVersions: Required value",
        ]
    );
}

#[test]
fn protected_groups_need_an_approval_annotation() {
    let in_group = |note: Value| {
        refusals(&[
            ("/spec/group", json!("x.k8s.io")),
            ("/metadata/name", json!("errs.x.k8s.io")),
            ("/metadata/annotations", json!({"api-approved.kubernetes.io": note})),
        ])
    };
    assert_eq!(in_group(json!("https://x.y/1")), [""; 0]);
    assert_eq!(in_group(json!("unapproved, a test")), [""; 0]);
    assert_eq!(in_group(json!("bogus")).len(), 1);
}

#[test]
fn scope_and_kind_of_an_established_crd_are_immutable() {
    let mut old = definition();
    prepare(&mut old, None).unwrap();
    let mut new = old.clone();
    new["spec"]["scope"] = json!("Cluster");
    new["spec"]["names"]["kind"] = json!("Other");
    assert!(prepare(&mut new.clone(), Some(&old)).is_ok(), "not yet established");
    old["status"]["conditions"] = json!([{"type": "Established", "status": "True"}]);
    let found: Vec<String> = prepare(&mut new, Some(&old)).unwrap_err().iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        [
            r#"spec.scope: Invalid value: "Cluster": field is immutable"#,
            r#"spec.names.kind: Invalid value: "Other": field is immutable"#,
        ]
    );
}

#[test]
fn stored_versions_must_not_be_removed() {
    let mut old = definition();
    prepare(&mut old, None).unwrap();
    let mut moved = old.clone();
    moved["spec"]["versions"] = json!([version("v1", false), version("v2", true)]);
    prepare(&mut moved, Some(&old)).unwrap();
    assert_eq!(moved["status"]["storedVersions"], json!(["v1", "v2"]));
    let mut dropped = moved.clone();
    dropped["spec"]["versions"] = json!([version("v2", true)]);
    let causes = prepare(&mut dropped, Some(&moved)).unwrap_err();
    assert_eq!(causes[0].field, "status.storedVersions[0]");
}

#[test]
fn unknown_formats_are_stored_with_a_warning() {
    let mut crd = definition();
    let spec = "/spec/versions/0/schema/openAPIV3Schema/properties/spec";
    crd.pointer_mut(spec).unwrap()["properties"]["x"] = json!({"type": "string", "format": "bogus"});
    assert_eq!(prepare(&mut crd, None).unwrap(), [r#"unrecognized format "bogus""#]);
    assert!(prepare(&mut crd.clone(), Some(&crd)).unwrap().is_empty(), "known formats warn once");
}

#[test]
fn an_uncorrelatable_rule_names_its_list() {
    let at = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/l";
    let rule = json!([{"rule": "self == oldSelf"}]);
    let list = json!({"type": "array", "maxItems": 3, "items": {"type": "string", "maxLength": 9, "x-kubernetes-validations": rule}});
    let found = refusals(&[(at, list)]);
    let list = "spec.validation.openAPIV3Schema.properties[spec].properties[l]";
    let why = "oldSelf cannot be used on the uncorrelatable portion of the schema within";
    assert_eq!(
        found,
        [format!("{list}.items.x-kubernetes-validations[0].rule: Invalid value: \"self == oldSelf\": {why} {list}")]
    );
}
