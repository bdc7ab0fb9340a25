//! Detects with one read that the object of a pass was deleted: a write may end with 404 for other reasons.

use kube::api::DynamicObject;

use super::calls::Calls;
use super::identity::{Identity, Unwritten};
use crate::api::ApiError;

/// Reads the live object.
///
/// # Errors
/// [`Unwritten::Gone`] if it does not exist or was recreated; [`Unwritten::Failed`] if it could not be read.
pub(in crate::pass) async fn live(calls: &Calls, identity: &Identity) -> Result<DynamicObject, Unwritten> {
    let found = calls.get(&identity.target).await.map_err(Unwritten::Failed)?;
    found.filter(|found| found.metadata.uid.as_deref() == Some(&*identity.uid)).ok_or(Unwritten::Gone)
}

/// Converts the error of a write. After a 404 it reads the object to find out whether it still exists.
pub(in crate::pass) async fn after(calls: &Calls, identity: &Identity, error: ApiError) -> Unwritten {
    if !error.is_404() {
        return Unwritten::Failed(error);
    }
    if matches!(error, ApiError::NotServed(_)) {
        // The kind is not served at all: wait for it as in an outage of the server.
        calls.sender.answers.record_outage();
    }
    match live(calls, identity).await {
        Ok(_) => Unwritten::Failed(error),
        Err(unwritten) => unwritten,
    }
}

/// The same for a status write, where the subresource itself may be missing.
pub(in crate::pass) async fn after_status(calls: &Calls, identity: &Identity, error: ApiError) -> Unwritten {
    match after(calls, identity, error).await {
        Unwritten::Failed(ApiError::NotFound(detail)) => {
            let message = no_subresource(identity, &detail);
            Unwritten::Failed(ApiError::NotFound(detail.with_message(message)))
        }
        unwritten => unwritten,
    }
}

fn no_subresource(identity: &Identity, text: &str) -> String {
    let resource = &identity.target.kind.resource;
    let crd = crate::api::grant::plural_and_group(&resource.plural, &resource.group);
    let fix = format!("add `subresources: {{ status: {{}} }}` to version {} of the CRD {crd}", resource.version);
    format!("the object exists, but its status subresource does not; {fix} ({text})")
}
