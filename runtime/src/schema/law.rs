//! Laws of the comparison, tried on schemas by chance: each fits itself, and fits still where the CRD has more; each loss is found.

use evenkeel_random_cases::{Choices, each};
use serde_json::{Map, Value, json};

use super::misfits;

const CASES: u64 = 400;

fn schema(choices: &mut Choices, depth: u32) -> Value {
    let mut schema = match choices.range(0..if depth == 0 { 6 } else { 10 }) {
        0 => json!({ "type": "string" }),
        1 => json!({ "type": "integer", "format": "int32" }),
        2 => json!({ "type": "boolean" }),
        3 => json!({ "type": "string", "enum": ["a", "b"] }),
        4 => json!({ "x-kubernetes-int-or-string": true }),
        5 => json!({ "x-kubernetes-preserve-unknown-fields": true }),
        6 => json!({ "type": "array", "items": schema(choices, depth - 1) }),
        7 => json!({ "type": "object", "additionalProperties": schema(choices, depth - 1) }),
        _ => object(choices, depth - 1),
    };
    if choices.chance(0.3) {
        schema["nullable"] = json!(true);
    }
    schema
}

fn object(choices: &mut Choices, depth: u32) -> Value {
    let fields: Map<String, Value> =
        (0..choices.range(1..4)).map(|n| (format!("f{n}"), schema(choices, depth))).collect();
    let required: Vec<String> = fields.keys().filter(|_| choices.chance(0.4)).cloned().collect();
    json!({ "type": "object", "properties": fields, "required": required })
}

fn rooted(choices: &mut Choices) -> Value {
    let (spec, status) = (object(choices, 3), object(choices, 3));
    json!({ "type": "object", "properties": { "spec": spec, "status": status } })
}

/// What a server, or a later version of the type, has more.
fn grown(choices: &mut Choices, schema: &Value) -> Value {
    let mut grown = schema.clone();
    let Some(node) = grown.as_object_mut() else { return grown };
    for child in ["items", "additionalProperties"] {
        if let Some(child) = node.get_mut(child) {
            *child = self::grown(choices, child);
        }
    }
    if let Some(fields) = node.get_mut("properties").and_then(Value::as_object_mut) {
        fields.values_mut().for_each(|field| *field = self::grown(choices, field));
        if choices.chance(0.3) {
            fields.insert("more".into(), schema_of_more(choices));
        }
    }
    if node.get("enum").is_some() && choices.chance(0.5) {
        node["enum"] = json!(["b", "c", "a"]);
    }
    for (name, value) in
        [("description", json!("d")), ("title", json!("t")), ("default", json!(null)), ("nullable", json!(true))]
    {
        if choices.chance(0.2) {
            node.insert(name.into(), value);
        }
    }
    grown
}

fn schema_of_more(choices: &mut Choices) -> Value {
    schema(choices, 1)
}

/// The pointers to all fields of the status that it names.
fn fields(schema: &Value, at: &str, into: &mut Vec<String>) {
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let at = format!("{at}/properties/{name}");
        fields(field, &at, into);
        into.push(at);
    }
}

#[test]
fn a_schema_always_fits_itself() {
    each(CASES, |choices| {
        let schema = rooted(choices);
        assert_eq!(misfits(&schema, &schema, &|_| true), [], "{schema:#}");
    });
}

#[test]
fn a_schema_that_has_more_fits() {
    each(CASES, |choices| {
        let schema = rooted(choices);
        let more = grown(choices, &schema);
        assert_eq!(misfits(&schema, &more, &|_| true), [], "{schema:#} in {more:#}");
    });
}

#[test]
fn each_field_that_a_status_loses_is_reported_with_its_path() {
    each(CASES, |choices| {
        let schema = rooted(choices);
        let mut all = Vec::new();
        fields(&schema["properties"]["status"], "/properties/status", &mut all);
        let lost = &all[choices.range(0..all.len())];
        let (parent, name) = lost.rsplit_once('/').unwrap();
        let mut less = schema.clone();
        less.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(name).unwrap();
        let path = lost.replace("/properties/", ".");
        let found = misfits(&schema, &less, &|_| true);
        assert!(found.iter().any(|misfit| misfit.path == path), "{path}: {found:?}");
    });
}
