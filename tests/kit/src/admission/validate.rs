//! The validating policies, then the validating webhooks side by side, on the object as it would be stored.

use futures::future::join_all;
use serde_json::Value;

use super::call::{call, denied};
use super::hook::{self, Sort};
use super::policy;
use super::request::Request;
use super::select::Objects;
use crate::api_error::Failure;
use crate::state::Server;

/// Asks the validating policies and webhooks about a write, and returns their warnings.
///
/// # Errors
/// If a policy or a webhook refuses the write, or fails with the failure policy `Fail`. Of several refusals, that of the first webhook is returned.
pub(crate) async fn validate(
    server: &Server,
    request: &Request<'_>,
    new: Option<&Value>,
    old: Option<&Value>,
) -> Result<Vec<String>, Failure> {
    let objects = Objects { new, old };
    let mut warnings = policy::review(server, request, objects).await?;
    let hooks = hook::all(server, Sort::Validating);
    let calls = hooks.iter().map(|hook| call(server, hook, Sort::Validating, request, objects));
    let mut refused = None;
    for (hook, reviewed) in hooks.iter().zip(join_all(calls).await) {
        let failure = match reviewed {
            Ok(None) => continue,
            Ok(Some(reviewed)) => {
                warnings.extend(reviewed.verdict.warnings);
                (!reviewed.verdict.is_allowed).then(|| denied(hook, &reviewed.verdict.status))
            }
            Err(failure) => Some(failure),
        };
        refused = refused.or(failure);
    }
    match refused {
        None => Ok(warnings),
        Some(failure) => Err(failure.warning(warnings)),
    }
}
