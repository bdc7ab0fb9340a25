//! The answers: an `AdmissionReview` with a response, or an HTTP error with a `Status`.

use axum::body::Body;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use http::{Response, StatusCode};
use serde::Serialize;
use serde_json::{Value, json};

use super::json_diff::Step;
use crate::listen::{answer, error};
use crate::pipeline::admission::Cause;
use crate::wiring::KindInfo;

/// What a review found.
#[derive(Debug)]
pub(super) enum Verdict {
    Allowed {
        patch: Vec<Step>,
        warnings: Vec<String>,
    },
    Denied(Refusal),
    /// There is no answer: the failure policy decides.
    Failed {
        code: StatusCode,
        message: String,
    },
}

/// Why a write is refused.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) code: u16,
    pub(super) reason: &'static str,
    pub(super) causes: Vec<Cause>,
    pub(super) warnings: Vec<String>,
}

impl Refusal {
    /// 422 `Invalid`.
    pub(super) fn invalid(causes: Vec<Cause>, warnings: Vec<String>) -> Self {
        Self { code: 422, reason: "Invalid", causes, warnings }
    }

    /// 400 `BadRequest`: the webhook configuration does not fit the program.
    pub(super) fn misdirected(message: String) -> Self {
        let causes = vec![Cause { field: String::new(), message }];
        Self { code: 400, reason: "BadRequest", causes, warnings: Vec::new() }
    }

    /// The `Status` that the user gets.
    fn status(&self, kind: &KindInfo, name: Option<&str>) -> Value {
        let texts: Vec<String> = self.causes.iter().map(ToString::to_string).collect();
        let causes = self.causes.iter().filter(|cause| !cause.field.is_empty());
        let causes = causes.map(
            |Cause { field, message }| json!({ "reason": "FieldValueInvalid", "message": message, "field": field }),
        );
        let resource = &kind.resource;
        json!({
            "status": "Failure",
            "message": texts.join("; "),
            "reason": self.reason,
            "code": self.code,
            "details": {
                "name": name.unwrap_or_default(), "group": resource.group, "kind": resource.kind,
                "causes": causes.collect::<Vec<_>>(),
            },
        })
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Envelope<'a> {
    api_version: &'a str,
    kind: &'a str,
    response: Reply<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Reply<'a> {
    uid: &'a str,
    allowed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch_type: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch: Option<String>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    warnings: &'a [String],
}

/// The response to the request with this uid.
pub(super) fn reply(uid: &str, kind: &KindInfo, name: Option<&str>, verdict: &Verdict) -> Response<Body> {
    let allowed = Reply { uid, allowed: true, status: None, patch_type: None, patch: None, warnings: &[] };
    let response = match verdict {
        Verdict::Failed { code, message } => return error(*code, message),
        Verdict::Denied(refusal) => {
            Reply { allowed: false, status: Some(refusal.status(kind, name)), warnings: &refusal.warnings, ..allowed }
        }
        Verdict::Allowed { patch, warnings } if patch.is_empty() => Reply { warnings, ..allowed },
        Verdict::Allowed { patch, warnings } => match serde_json::to_vec(patch) {
            Ok(patch) => {
                Reply { patch_type: Some("JSONPatch"), patch: Some(BASE64_STANDARD.encode(patch)), warnings, ..allowed }
            }
            Err(failed) => {
                return error(StatusCode::INTERNAL_SERVER_ERROR, &format!("the patch cannot be written: {failed}"));
            }
        },
    };
    answer(StatusCode::OK, &Envelope { api_version: "admission.k8s.io/v1", kind: "AdmissionReview", response })
}
