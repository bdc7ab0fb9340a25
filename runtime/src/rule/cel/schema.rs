//! The schemas that a rule reads: that of its part of the CRD, and those of metadata and of the request, which no CRD has.

use std::sync::LazyLock;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{CustomResourceDefinition, JSONSchemaProps};
use serde_json::{Value, json};

use super::error::Problem;

/// The schema of a version of the CRD.
pub(crate) fn part<'d>(
    definition: &'d mut CustomResourceDefinition,
    version: &str,
) -> Result<&'d mut JSONSchemaProps, Problem> {
    let version = definition.spec.versions.iter_mut().find(|known| known.name == version);
    let schema = version.and_then(|version| version.schema.as_mut()?.open_api_v3_schema.as_mut());
    schema
        .ok_or_else(|| Problem::new("the CRD has no schema", "derive `CustomResource` without `schema = \"disabled\"`"))
}

fn parse(schema: Value) -> JSONSchemaProps {
    serde_json::from_value(schema).unwrap_or_default()
}

/// The metadata of an object, in the part that rules can read.
pub(crate) fn metadata() -> JSONSchemaProps {
    let text = || json!({ "type": "string" });
    let texts = || json!({ "type": "object", "additionalProperties": text() });
    parse(json!({
        "type": "object",
        // An API server stores more than this, so that two of them cannot be compared as a whole.
        "x-kubernetes-preserve-unknown-fields": true,
        "properties": {
            "name": nullable(text()),
            "generateName": nullable(text()),
            "namespace": nullable(text()),
            "uid": nullable(text()),
            "resourceVersion": nullable(text()),
            "generation": nullable(json!({ "type": "integer" })),
            "labels": nullable(texts()),
            "annotations": nullable(texts()),
            "finalizers": nullable(json!({ "type": "array", "items": text() })),
            "creationTimestamp": nullable(json!({ "type": "string", "format": "date-time" })),
            "deletionTimestamp": nullable(json!({ "type": "string", "format": "date-time" })),
        }
    }))
}

fn nullable(mut schema: Value) -> Value {
    schema["nullable"] = json!(true);
    schema
}

/// The schema of [`Request`](crate::rule::Request), with the names of the variable `request` of a policy.
pub(crate) fn request() -> &'static JSONSchemaProps {
    static SCHEMA: LazyLock<JSONSchemaProps> = LazyLock::new(|| {
        parse(json!({
            "type": "object",
            "required": ["operation", "user"],
            "properties": {
                "operation": { "type": "string", "enum": ["CREATE", "UPDATE"] },
                "name": { "type": "string" },
                "namespace": { "type": "string" },
                "dryRun": { "type": "boolean" },
                "user": {
                    "type": "object",
                    "properties": {
                        "username": { "type": "string" },
                        "uid": { "type": "string" },
                        "groups": { "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": "set" },
                    }
                }
            }
        }))
    });
    &SCHEMA
}
