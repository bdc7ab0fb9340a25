//! The request of an `AdmissionReview`, whose objects are not decoded: one that does not fit its type must not lose the request.

use std::borrow::Cow;

use k8s_openapi::api::authentication::v1::UserInfo;
use serde::Deserialize;

use super::raw_object::RawObject;
use crate::wiring::KindInfo;
use crate::wiring::admission::Operation;

const API_VERSION: &str = "admission.k8s.io/v1";
const KIND: &str = "AdmissionReview";

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

/// One write that the API server asks about.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Request<'a> {
    pub(super) uid: String,
    #[serde(borrow)]
    pub(super) kind: RequestKind<'a>,
    pub(super) sub_resource: Option<String>,
    pub(super) name: Option<String>,
    pub(super) namespace: Option<String>,
    #[serde(borrow)]
    pub(super) operation: Cow<'a, str>,
    #[serde(default)]
    pub(super) user_info: UserInfo,
    #[serde(borrow)]
    pub(super) object: Option<RawObject<'a>>,
    #[serde(borrow)]
    pub(super) old_object: Option<RawObject<'a>>,
    pub(super) dry_run: Option<bool>,
}

/// The kind of the objects, to which the API server has converted them.
#[derive(Deserialize)]
pub(super) struct RequestKind<'a> {
    #[serde(borrow, default)]
    group: Cow<'a, str>,
    #[serde(borrow)]
    version: Cow<'a, str>,
    #[serde(borrow)]
    kind: Cow<'a, str>,
}

impl RequestKind<'_> {
    /// Whether it is the kind, in this version.
    pub(super) fn is(&self, kind: &KindInfo) -> bool {
        let resource = &kind.resource;
        self.kind == resource.kind && self.group == resource.group && self.version == resource.version
    }

    /// `GitRepository of source.evenkeel.dev/v1`.
    pub(super) fn text(&self) -> String {
        let slash = if self.group.is_empty() { "" } else { "/" };
        format!("{} of {}{slash}{}", self.kind, self.group, self.version)
    }
}

impl Request<'_> {
    /// The operation; `None`: it has no object.
    pub(super) fn operation(&self) -> Option<Operation> {
        [Operation::Create, Operation::Update, Operation::Delete].into_iter().find(|one| one.as_str() == self.operation)
    }

    /// `team-a/web`, or what is known of it.
    pub(super) fn object_name(&self) -> String {
        let name = self.name.as_deref().filter(|name| !name.is_empty()).unwrap_or("(generated name)");
        self.namespace.iter().fold(name.to_owned(), |name, namespace| format!("{namespace}/{name}"))
    }
}

/// Reads the request.
///
/// # Errors
/// It is none of `admission.k8s.io/v1`. The message names the fix.
pub(super) fn parse(body: &[u8]) -> Result<Request<'_>, String> {
    let text =
        std::str::from_utf8(body).map_err(|error| format!("the body is not UTF-8: {error}; send an {KIND} as JSON"))?;
    let envelope: Envelope = serde_json::from_str(text).map_err(|error| {
        format!("the body is not an {KIND} as JSON: {error}; only the API server should call this address")
    })?;
    let (version, kind) = (envelope.api_version.unwrap_or_default(), envelope.kind.unwrap_or_default());
    if kind != KIND {
        return Err(format!("the kind of the body is {kind:?}: send an {KIND} of {API_VERSION}"));
    }
    if version != API_VERSION {
        let fix = "set `admissionReviewVersions: [v1]` in the webhook configuration";
        return Err(format!("the apiVersion of the {KIND} is {version:?}, and only {API_VERSION} is answered: {fix}"));
    }
    envelope.request.ok_or_else(|| format!("the {KIND} has no `request`: send one with a request"))
}
