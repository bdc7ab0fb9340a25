//! Conversion webhooks: objects in other versions of a custom kind, one object per call.

mod review;
mod versions;

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use crate::api_error::Failure;
use crate::registry::Kind;
use crate::schema;
use crate::served_version::Lens;
use crate::state::Server;
use crate::store::Listing;

pub(crate) use versions::with_versions;

/// Returns a stored object in a form that [`Lens::shown`] accepts. Only objects of converted kinds are copied.
///
/// # Errors
/// 500 if the conversion fails.
pub(crate) async fn object(server: &Server, lens: &Lens, stored: Arc<Value>) -> Result<Arc<Value>, Failure> {
    let Some(conversion) = lens.kind.webhook() else { return Ok(stored) };
    let (completed, version) = (lens.completed(&stored), lens.kind.api_version());
    if completed["apiVersion"] == version.as_str() {
        return Ok(match completed {
            Cow::Borrowed(_) => stored,
            Cow::Owned(completed) => Arc::new(completed),
        });
    }
    let mut converted = review::converted(server, conversion, &completed, &version).await?;
    if let Some(schema) = &lens.schema {
        // Only the defaults of the stored version are applied.
        schema::prune(&mut converted, schema);
    }
    Ok(Arc::new(converted))
}

/// Converts the objects of a list as [`object`] does.
///
/// # Errors
/// If the conversion of one object fails.
pub(crate) async fn listing(server: &Server, lens: &Lens, listing: Listing) -> Result<Listing, Failure> {
    if lens.kind.webhook().is_none() {
        return Ok(listing);
    }
    let mut items = Vec::with_capacity(listing.items.len());
    for item in listing.items {
        items.push(object(server, lens, item).await?);
    }
    Ok(Listing { items, ..listing })
}

/// Converts an object of a request to the storage version. Objects of other kinds remain as they are.
///
/// # Errors
/// 500 if the conversion fails.
pub(crate) async fn stored(server: &Server, kind: &Kind, object: Value) -> Result<Value, Failure> {
    let (Some(conversion), Some(custom)) = (kind.converts(), kind.custom()) else { return Ok(object) };
    let version = format!("{}/{}", kind.group, custom.storage_version);
    let mut converted = review::converted(server, conversion, &object, &version).await?;
    schema::prune(&mut converted, &custom.storage_schema);
    schema::default(&mut converted, &custom.storage_schema);
    Ok(converted)
}

/// Converts an object of a request from one served version of a kind to another. Without a webhook, only `apiVersion` changes. An object
/// that is in neither version, such as a Scale, remains as it is.
///
/// # Errors
/// 500 if the conversion fails.
pub(crate) async fn between(server: &Server, from: &Kind, to: &Kind, mut object: Value) -> Result<Value, Failure> {
    if from.version == to.version || object["apiVersion"] != from.api_version().as_str() {
        return Ok(object);
    }
    let version = to.api_version();
    match from.webhook() {
        Some(conversion) => review::converted(server, conversion, &object, &version).await,
        None => {
            object["apiVersion"] = version.into();
            Ok(object)
        }
    }
}
