//! The request of a `ConversionReview`, whose objects are not decoded: one that does not fit its type must not fail the others.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

pub(super) const API_VERSION: &str = "apiextensions.k8s.io/v1";
pub(super) const KIND: &str = "ConversionReview";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Envelope<'a> {
    #[serde(borrow)]
    api_version: Option<Cow<'a, str>>,
    #[serde(borrow)]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    request: Option<Request<'a>>,
}

/// The objects that the API server wants in another version.
#[derive(Deserialize)]
pub(super) struct Request<'a> {
    pub(super) uid: String,
    #[serde(rename = "desiredAPIVersion")]
    pub(super) desired: String,
    #[serde(borrow)]
    pub(super) objects: Vec<&'a RawValue>,
}

/// Reads the request.
///
/// # Errors
/// It is none of `apiextensions.k8s.io/v1`. The message names the fix.
pub(super) fn parse(body: &[u8]) -> Result<Request<'_>, String> {
    let text =
        std::str::from_utf8(body).map_err(|error| format!("the body is not UTF-8: {error}; send a {KIND} as JSON"))?;
    let envelope: Envelope = serde_json::from_str(text).map_err(|error| {
        format!("the body is not a {KIND} as JSON: {error}; only the API server should call this address")
    })?;
    let (version, kind) = (envelope.api_version.unwrap_or_default(), envelope.kind.unwrap_or_default());
    if kind != KIND {
        return Err(format!("the kind of the body is {kind:?}: send a {KIND} of {API_VERSION}"));
    }
    if version != API_VERSION {
        let fix = "set `conversionReviewVersions: [v1]` in the CRD";
        return Err(format!("the apiVersion of the {KIND} is {version:?}, and only {API_VERSION} is answered: {fix}"));
    }
    envelope.request.ok_or_else(|| format!("the {KIND} has no `request`: send one with a request"))
}
