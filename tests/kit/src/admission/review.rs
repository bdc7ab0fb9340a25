//! The review that a webhook receives, and its verdict.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::hook::{Hook, Sort};
use super::request::Request;
use super::select::Objects;
use super::version::Shown;
use crate::registry::split;

/// A review with the uid that its response must repeat.
pub(super) struct Review {
    pub(super) body: Value,
    uid: String,
}

/// The response to a review.
#[derive(Clone, Debug)]
pub(super) struct Verdict {
    pub(super) is_allowed: bool,
    /// The `status` of a refusal.
    pub(super) status: Value,
    /// The operations of a JSON patch.
    pub(super) patch: Option<Value>,
    pub(super) warnings: Vec<String>,
}

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
    allowed: bool,
    #[serde(default)]
    status: Value,
    patch: Option<String>,
    patch_type: Option<String>,
    #[serde(default)]
    warnings: Vec<String>,
}

impl Review {
    /// A review of the write in this version of its kind.
    pub(super) fn new(hook: &Hook, request: &Request<'_>, objects: Objects<'_>, shown: &Shown) -> Self {
        let uid = Uuid::new_v4().to_string();
        let mut inner = described(request, objects, shown);
        inner["uid"] = json!(uid);
        let version = format!("admission.k8s.io/{}", hook.review_version());
        Review { body: json!({"kind": "AdmissionReview", "apiVersion": version, "request": inner}), uid }
    }

    /// Returns the request, as match conditions read it.
    pub(super) fn request(&self) -> &Value {
        &self.body["request"]
    }

    /// Reads a response.
    ///
    /// # Errors
    /// What is wrong with the response.
    pub(super) fn verdict(&self, sort: Sort, body: &[u8]) -> Result<Verdict, String> {
        let unread = |error: String| format!("failed to call webhook: {error}");
        let envelope: Envelope = serde_json::from_slice(body)
            .map_err(|error| unread(format!("couldn't get version/kind; json parse error: {error}")))?;
        let expected = self.body["apiVersion"].as_str().unwrap_or_default();
        if envelope.kind != "AdmissionReview" || envelope.api_version != expected {
            let (kind, version) = (&envelope.kind, &envelope.api_version);
            return Err(unread(format!("{version}, Kind={kind} is not the expected {expected}, Kind=AdmissionReview")));
        }
        let response = envelope.response.ok_or_else(|| invalid("webhook response was absent"))?;
        if response.uid != self.uid {
            return Err(invalid(&format!("expected response.uid={:?}, got {:?}", self.uid, response.uid)));
        }
        let patch = patch(sort, response.patch.as_deref(), response.patch_type.as_deref())?;
        let Response { allowed: is_allowed, status, warnings, .. } = response;
        Ok(Verdict {
            is_allowed,
            status,
            patch,
            warnings: warnings.into_iter().filter(|one| !one.is_empty()).collect(),
        })
    }
}

/// Describes a write with its objects in the reviewed version, as reviews and expressions show it.
pub(super) fn described(request: &Request<'_>, objects: Objects<'_>, shown: &Shown) -> Value {
    let (resource, subresource) = request.resource();
    let Shown { kind, new, old } = shown;
    let sent = objects.new.or(objects.old);
    let mut inner = json!({
        "kind": kind_of(new.as_ref().or(old.as_ref())),
        "resource": {"group": kind.group, "version": kind.version, "resource": resource},
        "requestKind": kind_of(sent),
        "requestResource": {"group": request.kind.group, "version": request.kind.version, "resource": resource},
        "operation": request.operation.name(),
        "userInfo": {"username": request.user.name, "groups": request.user.groups},
        "object": new,
        "oldObject": old,
        "dryRun": request.is_dry_run,
        "options": request.options,
    });
    let texts = [
        ("name", request.name.as_str()),
        ("namespace", &request.namespace),
        ("subResource", subresource),
        ("requestSubResource", subresource),
    ];
    for (field, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
        inner[field] = json!(text);
    }
    inner
}

fn invalid(why: &str) -> String {
    format!("received invalid webhook response: {why}")
}

/// Reads the patch of a response; only a mutating webhook may return one.
fn patch(sort: Sort, patch: Option<&str>, kind: Option<&str>) -> Result<Option<Value>, String> {
    let (patch, kind) = (patch.filter(|patch| !patch.is_empty()), kind.filter(|kind| !kind.is_empty()));
    let (patch, kind) = match (sort, patch, kind) {
        (_, None, None) => return Ok(None),
        (Sort::Validating, Some(_), _) => return Err(invalid("validating webhook may not return response.patch")),
        (Sort::Validating, None, _) => return Err(invalid("validating webhook may not return response.patchType")),
        (_, None, Some(_)) => return Err(invalid("webhook returned response.patchType but not response.patch")),
        (_, Some(_), None) => return Err(invalid("webhook returned response.patch but not response.patchType")),
        (_, Some(patch), Some(kind)) => (patch, kind),
    };
    let bytes = BASE64_STANDARD
        .decode(patch)
        .map_err(|error| format!("failed to call webhook: illegal base64 data: {error}"))?;
    let undecodable = |why: String| format!("received undecodable patch in webhook response: {why}");
    let operations: Vec<Value> = serde_json::from_slice(&bytes).map_err(|error| undecodable(error.to_string()))?;
    match operations.is_empty() {
        true => Ok(None),
        false if kind == "JSONPatch" => Ok(Some(operations.into())),
        false => Err(format!("unsupported patch type {kind:?}")),
    }
}

fn kind_of(object: Option<&Value>) -> Value {
    let text = |field: &str| object.and_then(|object| object[field].as_str()).unwrap_or_default();
    let (group, version) = split(text("apiVersion"));
    json!({"group": group, "version": version, "kind": text("kind")})
}
