//! The claim, which changes an object before its steps run. Its changes are stored in one write with the finalizer.

use std::sync::Arc;

use futures::FutureExt;
use serde_json::{Map, Value, json};

use crate::api::ApiError;
use crate::interval::Clamped;
use crate::outcome::reporting::Actions;
use crate::outcome::{Class, PassError, ReconcileError};
use crate::pass::api::PassBackend;
use crate::pass::api::calls::Calls;
use crate::pass::api::gone;
use crate::pass::api::identity::{Identity, Unwritten};
use crate::pass::backend;
use crate::pass::code_end::run_code;
use crate::pass::context::PassContext;
use crate::pass::decide::ownership;
use crate::pass::finish::{self, json_patch};
use crate::pass::report::current_pass::CurrentPass;
use crate::pass::run::{BodyEnd, BodyResult};
use crate::pipeline::object::Object;
use crate::pipeline::state::PassState;
use crate::queue::Next;
use crate::wiring::triggers::Undeclared;
use crate::wiring::{ClaimHandler, Wiring};

/// Claims the object and stores the changes and the finalizer in one write. Returns the object as that write returned it.
pub(in crate::pass) async fn claim_and_finalize(
    context: &PassContext,
    pass: &mut CurrentPass<'_>,
    object: Arc<Object>,
) -> Result<Prepared, Next> {
    let claimed = match context.wiring.claim {
        // Boxed, as is the write: most passes need neither.
        Some(claim_handler) => claim(context, pass, &*object, claim_handler).boxed().await?,
        None => None,
    };
    let names = claimed.as_ref().map_or_else(Vec::new, |patch| names(patch, context.wiring));
    let parts = [claimed, ownership::adoption_patch(context, &*object), context.finalizers.add_patch(object.meta())];
    let object = match joined(&object.meta().resource_version, parts.into_iter().flatten()) {
        Some(patch) => store(context, pass, &*object, &patch).boxed().await?,
        None => object,
    };
    Ok(Prepared { object, claimed: names })
}

async fn store(
    context: &PassContext,
    pass: &mut CurrentPass<'_>,
    object: &Object,
    patch: &Value,
) -> Result<Arc<Object>, Next> {
    let refused = object.resource_version().to_owned();
    let (calls, identity) = (context.calls(&pass.answers, pass.key), context.identity(pass.key, object));
    let error = match calls.merge(&identity.target, patch).await {
        Ok(written) => return context.wrote(&written).ok_or(Next::Await),
        Err(ApiError::Conflict(_)) => {
            store_anywhere(context, &calls, object, &identity, patch).await;
            return Err(Next::Conflict { newer_than: refused });
        }
        Err(error) => error,
    };
    match gone::after(&calls, &identity, error).await {
        Unwritten::Gone => Err(context.forget(pass.key)),
        Unwritten::Outdated => Err(Next::Conflict { newer_than: refused }),
        // Only its user, or the one who grants rights, can change this.
        Unwritten::Failed(error @ (ApiError::Invalid(_) | ApiError::Forbidden(_))) => {
            let message = format!("the object could not be patched with its claim and finalizer: {error}");
            let backend = backend::backend(context, pass, object);
            let state = PassState::new(object, *context.wiring, backend.clone());
            let error = PassError::mishap(error.reason(), &message);
            Err(blocked(context, pass, object, (state, backend), error).await)
        }
        Unwritten::Failed(error) => {
            tracing::warn!(%error, "the object could not be patched, so no step ran");
            Err(Next::Retry { progressed: false, at_least: None })
        }
    }
}

/// Writes the error that blocks all steps to the status.
async fn blocked(
    context: &PassContext,
    pass: &mut CurrentPass<'_>,
    object: &Object,
    (mut state, backend): (PassState, Arc<PassBackend>),
    error: PassError,
) -> Next {
    pass.ends("Failed");
    state.block(&error);
    let result = BodyResult { outcome: state.outcome(Some(error.clone())), error: Some(error), claimed: Vec::new() };
    finish::finish(context, pass, object, BodyEnd { state, backend, result }).await
}

/// Repeats the write for any version of the object after a conflict, so that an object that changes all the time gets its finalizer, too.
/// The steps wait for the next pass, which reads the newer version first.
async fn store_anywhere(context: &PassContext, calls: &Calls, object: &Object, identity: &Identity, patch: &Value) {
    let Some(operations) = json_patch::anywhere(object.meta(), patch) else { return };
    match calls.json_patch(&identity.target, None, &operations).await {
        Ok(written) => drop(context.wrote(&written)),
        Err(error) => {
            tracing::debug!(%error, "the object was re-created, is being deleted, or was changed by another client");
        }
    }
}

/// Runs the claim and returns its changes as a merge patch; `None`: no change. An error ends the pass.
async fn claim(
    context: &PassContext,
    pass: &mut CurrentPass<'_>,
    object: &Object,
    claim: ClaimHandler,
) -> Result<Option<Value>, Next> {
    if let Some(log) = context.env.dry_run.filter(|_| !claim.is_pure) {
        log.would_run(&format!("the claim `{}`, since it has dependencies", claim.step.name));
        return Ok(None);
    }
    let backend = backend::backend(context, pass, object);
    let mut state = PassState::new(object, *context.wiring, backend.clone());
    state.step = Some(claim.step);
    let asked = context.env.reconciler.timeout(object).unwrap_or(context.wiring.timeout);
    let limit = Clamped::clamp("time-out", asked, &mut state.clamped);
    let mut claimed = object.copy();
    let ended = run_code(limit, (claim.run)(&mut *claimed, context.env.reconciler.deps(), &mut state)).await;
    if let Some(how) = ended.cut_off() {
        context.env.meter.record(|counts| counts.cut_off(how));
    }
    let changed = match ended.error(&mut state) {
        None => difference_of(object, &*claimed).map_err(|field| meddled(claim.step.name, &field)),
        Some(error) => Err(error),
    };
    match changed {
        Ok(changed) => Ok(changed),
        Err(error) => Err(blocked(context, pass, object, (state, backend), error).await),
    }
}

/// An object that is ready for its steps.
pub(in crate::pass) struct Prepared {
    pub(in crate::pass) object: Arc<Object>,
    /// The undeclared labels and annotations that the claim changed in this pass.
    pub(in crate::pass) claimed: Vec<String>,
}

/// The undeclared labels and annotations in a patch.
fn names(patch: &Value, wiring: &Wiring) -> Vec<String> {
    let [labels, annotations] = ["labels", "annotations"].map(|what| patch["metadata"][what].as_object());
    let [labels, annotations] =
        [labels, annotations].map(|pairs| pairs.into_iter().flatten().map(|(name, _)| name.as_str()));
    wiring.undeclared_of(labels, annotations).iter().map(Undeclared::path).collect()
}

/// The error of a claim that changed a forbidden field.
fn meddled(claim: &str, field: &str) -> PassError {
    let message = format!(
        "the claim {claim} changed `{field}`; it may change labels, annotations, owner references and the spec"
    );
    PassError::new(Class::Stalled, "ClaimRefused", &message, Actions::STALLED)
}

/// Joins the parts to one write of that version of the object; `None`: there is nothing to write.
fn joined(version: &Option<String>, parts: impl Iterator<Item = Value>) -> Option<Value> {
    let mut all = parts.reduce(merged)?;
    all["metadata"]["resourceVersion"] = json!(version);
    Some(all)
}

/// Combines two merge patches.
fn merged(one: Value, other: Value) -> Value {
    let (Value::Object(mut fields), Value::Object(more)) = (one, other.clone()) else { return other };
    for (name, value) in more {
        let value = match fields.remove(&name) {
            Some(before) => merged(before, value),
            None => value,
        };
        fields.insert(name, value);
    }
    Value::Object(fields)
}

/// The metadata fields that a claim may change.
const OPEN: [&str; 3] = ["labels", "annotations", "ownerReferences"];

/// Like [`changed`], for objects.
fn difference_of(before: &Object, after: &Object) -> Result<Option<Value>, String> {
    let value = |object: &Object| object.to_value().map_err(|error| format!("as JSON: {error}"));
    changed(&value(before)?, &value(after)?)
}

/// The merge patch from one version of an object to another. The error names a changed field that must not change.
fn changed(before: &Value, after: &Value) -> Result<Option<Value>, String> {
    let patch = difference(before, after);
    let Some(Value::Object(fields)) = &patch else { return Ok(None) };
    let metadata = fields.get("metadata").and_then(Value::as_object).into_iter().flatten();
    if let Some((name, _)) = metadata.into_iter().find(|(name, _)| !OPEN.contains(&name.as_str())) {
        return Err(format!("metadata.{name}"));
    }
    match fields.keys().find(|name| !["metadata", "spec"].contains(&name.as_str())) {
        Some(name) => Err(name.clone()),
        None => Ok(patch),
    }
}

/// A merge patch (RFC 7396); `None`: the values are equal.
fn difference(before: &Value, after: &Value) -> Option<Value> {
    if before == after {
        return None;
    }
    let (Value::Object(was), Value::Object(is)) = (before, after) else { return Some(after.clone()) };
    let removed = was.keys().filter(|name| !is.contains_key(*name)).map(|name| (name.clone(), Value::Null));
    let differs =
        |(name, now): (&String, &Value)| Some((name.clone(), difference(was.get(name).unwrap_or(&Value::Null), now)?));
    Some(Value::Object(removed.chain(is.iter().filter_map(differs)).collect::<Map<_, _>>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(change: &[(&str, Value)]) -> Value {
        let mut object =
            json!({ "metadata": { "name": "t", "labels": { "a": "1" } }, "spec": { "a": { "b": 1, "c": [1] } } });
        for (path, value) in change {
            let (parent, name) = path.rsplit_once('/').unwrap();
            object.pointer_mut(parent).unwrap()[name] = value.clone();
        }
        object
    }

    #[test]
    fn a_claim_sends_only_changed_fields() {
        assert_eq!(changed(&object(&[]), &object(&[])), Ok(None));
        let after = object(&[("/spec/a/c", json!([1, 2])), ("/metadata/labels", json!({ "b": "2" }))]);
        let patch = json!({ "metadata": { "labels": { "a": null, "b": "2" } }, "spec": { "a": { "c": [1, 2] } } });
        assert_eq!(changed(&object(&[]), &after), Ok(Some(patch)));
    }

    #[test]
    fn a_claim_may_not_change_name_finalizers_or_status() {
        for (path, field) in [
            ("/metadata/name", "metadata.name"),
            ("/metadata/finalizers", "metadata.finalizers"),
            ("/status", "status"),
        ] {
            assert_eq!(changed(&object(&[]), &object(&[(path, json!("x"))])), Err(field.to_owned()));
        }
    }
}
