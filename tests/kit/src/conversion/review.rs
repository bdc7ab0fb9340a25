//! The review that a conversion webhook receives, and its response.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::api_error::Failure;
use crate::registry::split;
use crate::state::Server;
use crate::webhook_address::Conversion;
use crate::webhook_client;

/// The group of conversion reviews.
const GROUP: &str = "apiextensions.k8s.io";

/// How long an API server waits for a conversion.
const LIMIT: Duration = Duration::from_secs(30);

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Envelope {
    #[serde(default)]
    api_version: String,
    #[serde(default)]
    kind: String,
    response: Option<Response>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    #[serde(default)]
    uid: String,
    #[serde(default)]
    converted_objects: Option<Vec<Value>>,
    #[serde(default)]
    result: Value,
}

/// Calls the webhook with one object, and returns the object in the version `to`. Of the metadata, only labels and annotations can change.
///
/// # Errors
/// 500 with the message of an API server.
pub(super) async fn converted(
    server: &Server,
    conversion: &Conversion,
    object: &Value,
    to: &str,
) -> Result<Value, Failure> {
    let text = |field: &str| object[field].as_str().unwrap_or_default();
    let head = format!("conversion webhook for {}, Kind={}", text("apiVersion"), text("kind"));
    let (uid, version) = (Uuid::new_v4().to_string(), conversion.review_version());
    let mut sent = object.clone();
    // An API server sets the version of an object after its conversion.
    sent["metadata"].as_object_mut().and_then(|metadata| metadata.remove("resourceVersion"));
    let review = json!({"kind": "ConversionReview", "apiVersion": version,
        "request": {"uid": uid, "desiredAPIVersion": to, "objects": [sent]},
        "response": {"uid": "", "convertedObjects": null, "result": {"metadata": {}}}});
    let answered =
        webhook_client::post(server, &conversion.client_config, LIMIT, review.to_string().into_bytes()).await;
    let failed = |why: String| Failure::internal(format!("{head} failed: {why}"));
    let objects = answered.and_then(|body| objects(&version, &uid, &body)).map_err(failed)?;
    let accepted = <[Value; 1]>::try_from(objects)
        .map_err(|objects| format!("returned {} objects, expected 1", objects.len()))
        .and_then(|[converted]| accepted(object, converted, to));
    accepted.map_err(|why| Failure::internal(format!("{head} {why}")))
}

/// Reads the converted objects of a response.
fn objects(version: &str, uid: &str, body: &[u8]) -> Result<Vec<Value>, String> {
    let envelope: Envelope = serde_json::from_slice(body)
        .map_err(|error| format!("couldn't get version/kind; json parse error: {error}"))?;
    if envelope.kind != "ConversionReview" || envelope.api_version != version {
        let (group, found) = split(&envelope.api_version);
        if envelope.kind == "ConversionReview" && matches!(found, "v1" | "v1beta1") && group == GROUP {
            let (_, wanted) = split(version);
            let kind = "ConversionReview";
            return Err(format!("converting ({found}.{kind}) to ({wanted}.{kind}): unknown conversion"));
        }
        let kind = &envelope.kind;
        return Err(format!(
            "expected webhook response of {version}, Kind=ConversionReview, got {group}/{found}, Kind={kind}"
        ));
    }
    let response = envelope.response.ok_or("no response provided")?;
    if response.uid != uid {
        return Err(format!("expected response.uid={uid:?}, got {:?}", response.uid));
    }
    match response.result["status"].as_str().unwrap_or_default() {
        "Success" => Ok(response.converted_objects.unwrap_or_default()),
        status => Err(match response.result["message"].as_str() {
            Some(message) if !message.is_empty() => message.to_owned(),
            _ => format!("response.result.status was '{status}', not 'Success'"),
        }),
    }
}

/// Checks a converted object, and restores the metadata that a conversion cannot change.
fn accepted(original: &Value, mut converted: Value, to: &str) -> Result<Value, String> {
    let text = |object: &Value, field: &str| object[field].as_str().unwrap_or_default().to_owned();
    let version = text(&converted, "apiVersion");
    if version != to {
        return Err(format!(
            "returned invalid object at index 0: invalid groupVersion (expected {to}, received {version})"
        ));
    }
    let (kind, found) = (text(original, "kind"), text(&converted, "kind"));
    if kind != found {
        return Err(format!("returned invalid object at index 0: invalid kind (expected {kind}, received {found})"));
    }
    let (before, after) = (&original["metadata"], &converted["metadata"]);
    if !after.is_object() {
        return Err("returned invalid metadata: missing metadata in converted object".to_owned());
    }
    for (field, name) in [("name", "name"), ("namespace", "namespace"), ("uid", "UID")] {
        let (before, after) = (text(before, field), text(after, field));
        if before != after {
            return Err(format!("returned invalid object: must have the same {name}: {before} != {after}"));
        }
    }
    let metadata = restored(before, after).map_err(|why| format!("returned invalid metadata: {why}"))?;
    converted["metadata"] = metadata.into();
    Ok(converted)
}

/// Returns the original metadata with the labels and annotations of the converted object.
fn restored(original: &Value, converted: &Value) -> Result<Map<String, Value>, String> {
    let mut metadata = original.as_object().cloned().unwrap_or_default();
    for field in ["labels", "annotations"] {
        metadata.remove(field);
        let Some(values) = converted.get(field).filter(|values| !values.is_null()) else { continue };
        let values = values.as_object().ok_or_else(|| {
            format!("metadata.{field} must be an object, but is {} in converted object", kind_of(values))
        })?;
        if let Some((key, value)) = values.iter().find(|(_, value)| !value.is_string()) {
            let kind = kind_of(value);
            return Err(format!("metadata.{field}[{key}] must be a string, but is {kind} in converted object"));
        }
        metadata.insert(field.to_owned(), values.clone().into());
    }
    Ok(metadata)
}

/// The Go type of a decoded value.
fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}
