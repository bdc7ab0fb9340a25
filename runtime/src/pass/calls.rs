//! Calls to the API server on erased kinds: one monomorphisation, one place where errors are classed.

use std::sync::Arc;
use std::time::Duration;

use kube::api::{Api, DeleteParams, DynamicObject, Patch, PatchParams};
use kube::{Client, Error};
use serde_json::Value;

use crate::backend::{ApiError, Target};
use crate::gate::Permit;
use crate::watch::chain;

/// The client of one pass: writes only while its permit holds.
#[derive(Clone)]
pub(super) struct Calls {
    pub(super) client: Client,
    pub(super) permit: Permit,
    /// Field manager of everything that the reconciler writes.
    pub(super) manager: Arc<str>,
}

impl Calls {
    fn api(&self, target: &Target) -> Api<DynamicObject> {
        match &target.namespace {
            Some(namespace) => Api::namespaced_with(self.client.clone(), namespace, &target.kind.resource),
            None => Api::all_with(self.client.clone(), &target.kind.resource),
        }
    }

    /// Reads the object; `None`: it is not there.
    pub(super) async fn get(&self, target: &Target) -> Result<Option<DynamicObject>, ApiError> {
        self.api(target).get_opt(&target.name).await.map_err(classify)
    }

    /// Server-side apply, taking over fields from others.
    pub(super) async fn apply(&self, target: &Target, object: &Value) -> Result<DynamicObject, ApiError> {
        self.may_write()?;
        let params = PatchParams::apply(&self.manager).force();
        self.api(target).patch(&target.name, &params, &Patch::Apply(object)).await.map_err(classify)
    }

    /// Server-side apply of the status, taking over fields from others.
    pub(super) async fn apply_status(&self, target: &Target, object: &Value) -> Result<DynamicObject, ApiError> {
        self.may_write()?;
        let params = PatchParams::apply(&self.manager).force();
        self.api(target).patch_status(&target.name, &params, &Patch::Apply(object)).await.map_err(classify)
    }

    /// Merge patch of the object's metadata.
    pub(super) async fn merge(&self, target: &Target, patch: &Value) -> Result<DynamicObject, ApiError> {
        self.may_write()?;
        let params = PatchParams { field_manager: Some(self.manager.to_string()), ..PatchParams::default() };
        self.api(target).patch(&target.name, &params, &Patch::Merge(patch)).await.map_err(classify)
    }

    /// Deletes the object; one that is not there is fine.
    pub(super) async fn delete(&self, target: &Target) -> Result<(), ApiError> {
        self.may_write()?;
        match self.api(target).delete(&target.name, &DeleteParams::background()).await.map_err(classify) {
            Ok(_) | Err(ApiError::NotFound(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn may_write(&self) -> Result<(), ApiError> {
        if self.permit.is_valid() {
            return Ok(());
        }
        Err(ApiError::Failed("the gate closed during the pass: another replica may be at work".into()))
    }
}

/// Classes an error of the client.
pub(crate) fn classify(error: Error) -> ApiError {
    let Error::Api(status) = error else {
        return ApiError::Failed(format!("no answer from the API server: {}", chain(&error)));
    };
    let text = if status.message.is_empty() { status.reason.clone() } else { status.message.clone() };
    match (status.code, status.reason.as_str()) {
        (409, "AlreadyExists") => ApiError::Failed(text),
        (409, _) => ApiError::Conflict(text),
        (404, _) => ApiError::NotFound(text),
        (401 | 403, _) => ApiError::Forbidden(text),
        (400 | 422, _) => ApiError::Invalid(text),
        (429 | 503, _) => {
            let seconds = status.details.as_ref().map_or(0, |details| details.retry_after_seconds);
            ApiError::Busy((seconds > 0).then(|| Duration::from_secs(u64::from(seconds))), text)
        }
        (code, _) => ApiError::Failed(format!("{code}: {text}")),
    }
}
