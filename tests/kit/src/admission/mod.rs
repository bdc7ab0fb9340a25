//! Admission: what may change or refuse a write between its decoding and its commit.
//!
//! The order is that of an API server: mutating webhooks, then the checks of the kind and its schema, then validating
//! policies, then validating webhooks.

mod call;
mod condition;
mod hook;
mod mutate;
mod policy;
mod priority;
mod request;
mod review;
mod select;
mod supported;
mod validate;
mod version;

use serde_json::Value;

use crate::api_error::Failure;
use crate::state::Server;

use mutate::Mutated;
pub(crate) use mutate::{has_mutating, mutate};
pub(crate) use priority::new as prioritize;
pub(crate) use request::{Operation, Request};
pub(crate) use supported::supported;
pub(crate) use validate::validate;

/// Asks all webhooks about an object that is not stored, such as an Eviction, and returns their warnings. Their patches have no effect.
///
/// # Errors
/// As for [`mutate`] and [`validate`].
pub(crate) async fn create(server: &Server, request: &Request<'_>, object: &Value) -> Result<Vec<String>, Failure> {
    let Mutated { object, mut warnings, .. } = mutate(server, request, object.clone(), None, &Ok).await?;
    warnings.extend(validate(server, request, Some(&object), None).await?);
    Ok(warnings)
}

/// Asks all webhooks about a deletion, and returns their warnings.
///
/// # Errors
/// As for [`mutate`] and [`validate`].
pub(crate) async fn delete(server: &Server, request: &Request<'_>, old: &Value) -> Result<Vec<String>, Failure> {
    let mut warnings = mutate::delete(server, request, old).await?;
    warnings.extend(validate(server, request, None, Some(old)).await?);
    Ok(warnings)
}
