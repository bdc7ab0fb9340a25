//! The objects of a write in the version in which a webhook or a policy reviews it.

use std::sync::Arc;

use serde_json::Value;

use super::request::Request;
use super::select::Objects;
use crate::api_error::Failure;
use crate::conversion;
use crate::registry::Kind;
use crate::state::Server;

/// The objects in the reviewed version.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    pub(super) kind: Arc<Kind>,
    pub(super) new: Option<Value>,
    pub(super) old: Option<Value>,
}

/// Converts the objects of a write. A subresource with a kind of its own, such as a Scale, remains as it is.
///
/// # Errors
/// If a conversion webhook fails.
pub(super) async fn shown(
    server: &Server,
    request: &Request<'_>,
    kind: Arc<Kind>,
    objects: Objects<'_>,
) -> Result<Shown, Failure> {
    let mut shown = Shown { kind, new: None, old: None };
    for (object, place) in [(objects.new, &mut shown.new), (objects.old, &mut shown.old)] {
        if let Some(object) = object {
            *place = Some(conversion::between(server, request.kind, &shown.kind, object.clone()).await?);
        }
    }
    Ok(shown)
}
