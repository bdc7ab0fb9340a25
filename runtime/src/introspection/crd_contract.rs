//! The part of the contract about CRDs: the fields of each version, and the changes that break objects or clients.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A CRD: its scope, and the fields of its versions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CrdContract {
    /// `Namespaced` or `Cluster`.
    pub scope: String,
    /// The fields of spec and status by their path, such as `spec.rules[].host`, for each served version.
    pub versions: BTreeMap<String, BTreeMap<String, FieldContract>>,
}

/// A field of a CRD. For the status, only its type is recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FieldContract {
    /// The type: `string`, `object`, `int-or-string`, or `any`.
    #[serde(rename = "type")]
    pub type_: String,
    /// Whether an object must have the field. A field with a default is not required.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// Whether the field may be null.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub nullable: bool,
    /// The default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// The only values that are accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<BTreeSet<String>>,
    /// The limits, such as `maxLength` and `pattern`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub limits: BTreeMap<String, Value>,
    /// The CEL rules.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub rules: BTreeSet<String>,
    /// `allOf`, `anyOf`, `oneOf` and `not`, as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alternatives: Option<String>,
}

/// The fields by their path.
type Fields = BTreeMap<String, FieldContract>;

impl CrdContract {
    /// The contracts of the CRDs by their names.
    #[cfg(feature = "operator")]
    pub(crate) fn all(definitions: &[CustomResourceDefinition]) -> BTreeMap<String, Self> {
        let name = |definition: &CustomResourceDefinition| definition.metadata.name.clone().unwrap_or_default();
        definitions.iter().map(|definition| (name(definition), Self::of(definition))).collect()
    }

    fn of(definition: &CustomResourceDefinition) -> Self {
        let served = definition.spec.versions.iter().filter(|version| version.served);
        let versions = served.map(|version| {
            let schema = version.schema.as_ref().and_then(|schema| schema.open_api_v3_schema.as_ref());
            let mut fields = Fields::new();
            for (name, field) in schema.and_then(|schema| schema.properties.as_ref()).into_iter().flatten() {
                let is_required = schema.is_some_and(|schema| requires(schema, name));
                if name == "spec" || name == "status" {
                    collect(name.clone(), field, is_required && name == "spec", &mut fields);
                }
            }
            (version.name.clone(), fields)
        });
        Self { scope: definition.spec.scope.clone(), versions: versions.collect() }
    }
}

/// Whether an object of the schema must have the field.
fn requires(schema: &JSONSchemaProps, field: &str) -> bool {
    schema.required.iter().flatten().any(|name| name == field)
}

/// The status fields whose content belongs to the framework: no other program relies on what is in them.
const INTERNAL: [&str; 2] = ["status.observedInputs", "status.observedBy"];

/// Adds the field and those below it.
fn collect(path: String, schema: &JSONSchemaProps, required: bool, fields: &mut Fields) {
    if INTERNAL.contains(&&*path) {
        fields.insert(path, FieldContract { type_: type_of(schema), ..FieldContract::default() });
        return;
    }
    for (name, field) in schema.properties.iter().flatten() {
        collect(format!("{path}.{name}"), field, requires(schema, name), fields);
    }
    if let Some(JSONSchemaPropsOrArray::Schema(item)) = &schema.items {
        collect(format!("{path}[]"), item, false, fields);
    }
    if let Some(JSONSchemaPropsOrBool::Schema(value)) = &schema.additional_properties {
        collect(format!("{path}{{}}"), value, false, fields);
    }
    let field = match is_status(&path) {
        true => FieldContract { type_: type_of(schema), ..FieldContract::default() },
        false => field(schema, required),
    };
    fields.insert(path, field);
}

fn is_status(path: &str) -> bool {
    path == "status" || path.starts_with("status.")
}

fn type_of(schema: &JSONSchemaProps) -> String {
    match &schema.type_ {
        _ if schema.x_kubernetes_int_or_string == Some(true) => "int-or-string".to_owned(),
        _ if schema.x_kubernetes_preserve_unknown_fields == Some(true) => "any".to_owned(),
        Some(type_) => type_.clone(),
        None => "any".to_owned(),
    }
}

fn field(schema: &JSONSchemaProps, required: bool) -> FieldContract {
    let combined = (&schema.all_of, &schema.any_of, &schema.one_of, &schema.not);
    let is_combined = schema.all_of.is_some() || schema.any_of.is_some() || schema.one_of.is_some();
    let alternatives = (is_combined || schema.not.is_some()).then(|| serde_json::to_string(&combined).ok()).flatten();
    let default = schema.default.as_ref().map(|default| default.0.clone());
    let values = schema.enum_.as_ref().map(|values| values.iter().map(|value| value.0.to_string()).collect());
    let rules = schema.x_kubernetes_validations.iter().flatten().map(|rule| rule.rule.clone()).collect();
    FieldContract {
        type_: type_of(schema),
        required: required && default.is_none(),
        nullable: schema.nullable == Some(true),
        default,
        values,
        limits: limits(schema),
        rules,
        alternatives,
    }
}

fn limits(schema: &JSONSchemaProps) -> BTreeMap<String, Value> {
    let numbers = [
        ("maxLength", schema.max_length.map(Value::from)),
        ("minLength", schema.min_length.map(Value::from)),
        ("maxItems", schema.max_items.map(Value::from)),
        ("minItems", schema.min_items.map(Value::from)),
        ("maxProperties", schema.max_properties.map(Value::from)),
        ("minProperties", schema.min_properties.map(Value::from)),
        ("maximum", schema.maximum.map(Value::from)),
        ("minimum", schema.minimum.map(Value::from)),
        ("multipleOf", schema.multiple_of.map(Value::from)),
        ("exclusiveMaximum", schema.exclusive_maximum.filter(|is| *is).map(Value::from)),
        ("exclusiveMinimum", schema.exclusive_minimum.filter(|is| *is).map(Value::from)),
        ("uniqueItems", schema.unique_items.filter(|is| *is).map(Value::from)),
        ("pattern", schema.pattern.clone().map(Value::from)),
        ("format", schema.format.clone().map(Value::from)),
    ];
    numbers.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}
