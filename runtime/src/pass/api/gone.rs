//! Whether the object of a pass is gone. One read of it decides: writes are answered with 404 for many reasons.

use kube::api::DynamicObject;

use super::calls::Calls;
use super::identity::{Identity, Unwritten};
use crate::api::ApiError;

/// The object as it is now.
///
/// # Errors
/// [`Unwritten::Gone`] where it is not there, or another one has its name; [`Unwritten::Failed`] where it could not be read.
pub(in crate::pass) async fn live(calls: &Calls, identity: &Identity) -> Result<DynamicObject, Unwritten> {
    let found = calls.get(&identity.target).await.map_err(Unwritten::Failed)?;
    found.filter(|found| found.metadata.uid.as_deref() == Some(&*identity.uid)).ok_or(Unwritten::Gone)
}

/// What an error of a write means for the object.
pub(in crate::pass) async fn after(calls: &Calls, identity: &Identity, error: ApiError) -> Unwritten {
    if !error.is_404() {
        return Unwritten::Failed(error);
    }
    if matches!(error, ApiError::NotServed(_)) {
        // All paths of the kind come back at once, and are waited for as the server itself is.
        calls.sender.answers.record_outage();
    }
    match live(calls, identity).await {
        Ok(_) => Unwritten::Failed(error),
        Err(unwritten) => unwritten,
    }
}

/// The same of a write of the status: the subresource itself may be what is missing.
pub(in crate::pass) async fn after_status(calls: &Calls, identity: &Identity, error: ApiError) -> Unwritten {
    match after(calls, identity, error).await {
        Unwritten::Failed(ApiError::NotFound(text)) => {
            Unwritten::Failed(ApiError::NotFound(no_subresource(identity, &text)))
        }
        unwritten => unwritten,
    }
}

fn no_subresource(identity: &Identity, text: &str) -> String {
    let resource = &identity.target.kind.resource;
    let crd = crate::api::grant::plural_and_group(&resource.plural, &resource.group);
    let fix = format!("add `subresources: {{ status: {{}} }}` to version {} of the CRD {crd}", resource.version);
    format!("the object is there, and its status subresource is not; {fix} ({text})")
}
