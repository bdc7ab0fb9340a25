//! Request bodies: media types, decoding and strict-decoding errors.

use serde_json::{Value, json};

use crate::api_error::{About, Failure};
use crate::request_context::Call;

use crate::api_error::quoted;
use crate::proto;
use crate::registry::{Kind, plain_texts};
use crate::schema::{self, Cause};
use crate::strategy;
use crate::strict;
use crate::yaml;

const MEDIA: &str = "application/json, application/yaml, application/vnd.kubernetes.protobuf";

/// An object as sent, decoded for its kind.
pub(super) struct Decoded {
    pub(super) object: Value,
    /// Strict-decoding errors: duplicate fields, and unknown fields, which were removed from the object.
    pub(super) complaints: Vec<String>,
}

/// The body as an untyped value, and the strict-decoding errors for duplicate fields.
pub(super) fn body(call: &Call) -> Result<(Value, Vec<String>), Failure> {
    match call.content_type.as_str() {
        "" | "application/json" => json_body(call),
        "application/yaml" => {
            yaml::read(&call.body).map_err(|error| unrecognized(call, &format!("yaml parse error: {error}")))
        }
        "application/vnd.kubernetes.protobuf" => protobuf(call),
        _ => Err(Failure::unsupported_media(MEDIA)),
    }
}

fn protobuf(call: &Call) -> Result<(Value, Vec<String>), Failure> {
    let fix = "with kubectl use `create --dry-run=client -o yaml | kubectl apply -f -`";
    let value = proto::decode(&call.body).map_err(|why| {
        Failure::status(
            415,
            "UnsupportedMediaType",
            format!("evenkeel-testkit does not read this protobuf ({why}); {fix}"),
        )
    })?;
    Ok((value, Vec::new()))
}

fn json_body(call: &Call) -> Result<(Value, Vec<String>), Failure> {
    let read = strict::read(&call.body).map_err(|error| {
        let why = match strict::deepest(&call.body) {
            (_, Some(_)) => "exceeded max depth".to_owned(),
            _ => error.to_string(),
        };
        unrecognized(call, &format!("couldn't get version/kind; json parse error: {why}"))
    })?;
    Ok((read.value, twice(&read.duplicates)))
}

fn unrecognized(call: &Call, why: &str) -> Failure {
    Failure::bad_request(format!(
        "the object provided is unrecognized (must be of type {}): {why} ({})",
        call.kind.kind,
        shown(&call.body)
    ))
}

/// The first bytes of a body: as text if it starts with `{`, otherwise as hexadecimal digits.
fn shown(body: &[u8]) -> String {
    let first = &body[..body.len().min(30)];
    let more = if body.len() > first.len() { " ..." } else { "" };
    match body.first() {
        None => "<empty>".to_owned(),
        Some(b'{') => format!("{}{more}", String::from_utf8_lossy(first)),
        Some(_) => first.iter().map(|byte| format!("{byte:02x}")).collect::<String>() + more,
    }
}

/// The body of a POST or PUT as an object of the kind.
pub(super) fn object(call: &Call) -> Result<Decoded, Failure> {
    let (value, duplicates) = body(call)?;
    let value = match value {
        Value::Null if call.kind.is_builtin() => json!({}),
        value if value.is_object() => value,
        _ => return Err(unrecognized(call, "couldn't get version/kind; json parse error: not an object")),
    };
    let mut decoded = decoded(call, &with_type(call, value)?)?;
    decoded.complaints.splice(0..0, duplicates);
    if call.kind.is_builtin() {
        as_written(&call.body, &mut decoded.complaints);
    }
    Ok(decoded)
}

/// Checks `kind` and `apiVersion`; a built-in kind takes them from the path if they are absent.
fn with_type(call: &Call, mut value: Value) -> Result<Value, Failure> {
    let kind = &call.kind;
    let text = |value: &Value, field: &str| value[field].as_str().unwrap_or_default().to_owned();
    if ["kind", "apiVersion"]
        .into_iter()
        .any(|name| value.get(name).is_some_and(|field| !field.is_string() && !field.is_null()))
    {
        return Err(unrecognized(call, "json parse error: kind and apiVersion are texts"));
    }
    let (sent, version) = (text(&value, "kind"), text(&value, "apiVersion"));
    let expected = kind.api_version();
    if kind.is_builtin() {
        if !sent.is_empty() && sent != kind.kind {
            let mixed = format!("converting (v1.{sent}) to (v1.{}): unknown conversion", kind.kind);
            return Err(unhandled(&sent, &kind.version, kind, &mixed));
        }
        value["kind"] = json!(kind.kind);
        if version.is_empty() {
            value["apiVersion"] = json!(expected);
        }
    } else if sent.is_empty() {
        return Err(unrecognized(call, "Object 'Kind' is missing"));
    }
    if !version.is_empty() && version != expected {
        return Err(mismatch(&version, &expected).warning(undeclared(call, &value)));
    }
    if sent.is_empty() || sent == kind.kind {
        return Ok(value);
    }
    let about = About { group: &kind.group, kind: &sent, name: value["metadata"]["name"].as_str().unwrap_or_default() };
    Err(Failure::invalid(about, &[Cause::invalid("kind", quoted(&sent), format!("must be {}", kind.kind))]))
}

/// Warnings about an object of an unserved version: each of its fields counts as unknown.
pub(super) fn undeclared(call: &Call, value: &Value) -> Vec<String> {
    let is_head = |name: &String| matches!(name.as_str(), "apiVersion" | "kind" | "metadata");
    let names = value.as_object().filter(|_| !call.kind.is_builtin()).into_iter().flat_map(|map| map.keys());
    let complaints = names.filter(|name| !is_head(name)).map(|name| format!("unknown field {name:?}")).collect();
    settle(call, complaints).unwrap_or_default()
}

pub(super) fn mismatch(sent: &str, expected: &str) -> Failure {
    Failure::bad_request(format!(
        "the API version in the data ({sent}) does not match the expected API version ({expected})"
    ))
}

fn unhandled(sent: &str, version: &str, kind: &Kind, why: &str) -> Failure {
    Failure::bad_request(format!("{sent} in version \"{version}\" cannot be handled as a {}: {why}", kind.kind))
}

/// Decodes an object for its kind: rejects wrong types, drops unknown fields and sets defaults.
pub(super) fn decoded(call: &Call, value: &Value) -> Result<Decoded, Failure> {
    let mut decoded = typed(call, value)?;
    if let Some(schema) = &call.lens.schema {
        integral(&mut decoded.value);
        decoded.unknown.extend(schema::prune(&mut decoded.value, schema));
        schema::default(&mut decoded.value, schema);
    } else {
        strategy::defaults(&call.kind, &mut decoded.value);
    }
    let complaints = decoded.unknown.iter().map(|path| format!("unknown field {path:?}")).collect();
    Ok(Decoded { object: decoded.value, complaints })
}

/// Converts floats with an integral value to integers, as Go prints them.
fn integral(value: &mut Value) {
    match value {
        Value::Number(number) => {
            let whole = number.as_f64().filter(|float| number.is_f64() && float.fract() == 0.0 && float.abs() < 9e15);
            if let Some(whole) = whole {
                #[expect(clippy::cast_possible_truncation, reason = "whole and far below the limit")]
                let whole = whole as i64;
                *value = json!(whole);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(integral),
        Value::Object(fields) => fields.values_mut().for_each(integral),
        _ => {}
    }
}

/// Checks that the type of the kind can hold the value, and returns the typed value.
pub(super) fn typed_value(call: &Call, value: &Value) -> Result<Value, Failure> {
    typed(call, value).map(|decoded| decoded.value)
}

fn typed(call: &Call, value: &Value) -> Result<crate::registry::Decoded, Failure> {
    let kind = &call.kind;
    let refuse = |why: String| unhandled(&kind.kind, &kind.version, kind, &why);
    let mut decoded = kind.decode(value).map_err(refuse)?;
    strategy::times(kind, value).map_err(refuse)?;
    if !kind.is_builtin() {
        if let Some(metadata) = decoded.value.get_mut("metadata") {
            plain_texts(metadata, &["labels", "annotations"]);
        }
        typed_metadata(&decoded.value).map_err(refuse)?;
        if let Some(metadata) = decoded.value.get_mut("metadata") {
            decoded.unknown = schema::prune_metadata(metadata, "metadata");
        }
    }
    Ok(decoded)
}

/// Checks that the metadata of a custom object deserializes as `ObjectMeta`.
fn typed_metadata(object: &Value) -> Result<(), String> {
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
    use serde::Deserialize;
    match object.get("metadata") {
        None | Some(Value::Null) => Ok(()),
        Some(metadata) => ObjectMeta::deserialize(metadata).map(drop).map_err(|error| error.to_string()),
    }
}

/// The strict-decoding errors for duplicate fields.
pub(super) fn twice(paths: &[String]) -> Vec<String> {
    paths.iter().map(|path| format!("duplicate field {path:?}")).collect()
}

/// Rejects a patch that changes kind or apiVersion.
pub(super) fn typed_as_before(call: &Call, object: Value) -> Result<Value, Failure> {
    if !object.is_object() {
        return Err(Failure::bad_request("the patch leaves no object"));
    }
    let expected = [("kind", call.kind.kind.clone()), ("apiVersion", call.kind.api_version())];
    for (field, expected) in expected {
        let sent = object[field].as_str().unwrap_or_default();
        if sent != expected {
            let named = if field == "kind" { sent } else { &call.kind.kind };
            let about = About { group: &call.kind.group, kind: named, name: call.name() };
            let cause = Cause::invalid(field, quoted(sent), format!("must be {expected}"));
            let warnings = if field == "apiVersion" { undeclared(call, &object) } else { Vec::new() };
            return Err(Failure::invalid(about, &[cause]).warning(warnings));
        }
    }
    Ok(object)
}

/// Sorts the strict-decoding errors by position. The decoder of built-in kinds reports them in this order; the one of custom kinds
/// reports duplicate fields first, then unknown fields.
fn as_written(body: &[u8], complaints: &mut [String]) {
    if complaints.len() > 1 {
        let fields = strict::fields(body);
        let at = |complaint: &String| fields.iter().position(|field| complaint.ends_with(&format!(" {field:?}")));
        complaints.sort_by_key(at);
    }
}

/// Applies `fieldValidation`: the strict-decoding errors become an error or warnings, or are ignored.
pub(super) fn settle(call: &Call, complaints: Vec<String>) -> Result<Vec<String>, Failure> {
    match call.query.field_validation.as_str() {
        "Strict" if !complaints.is_empty() => Err(refused(call, &complaints)),
        "Ignore" => Ok(Vec::new()),
        _ => Ok(complaints),
    }
}

fn refused(call: &Call, complaints: &[String]) -> Failure {
    let of_yaml =
        if complaints.iter().any(|one| one.starts_with("line ")) { "yaml: unmarshal errors:\n  " } else { "" };
    let message = format!("strict decoding error: {of_yaml}{}", complaints.join(", "));
    if call.method != http::Method::PATCH {
        let kind = &call.kind;
        return unhandled(&kind.kind, &kind.version, kind, &message);
    }
    let about = About { group: "", kind: "", name: "" };
    Failure::invalid(about, &[Cause::invalid("patch", quoted(""), &message)])
}
