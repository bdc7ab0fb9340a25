//! The mutating webhooks: one after the other, each on the result of the one before.

use std::collections::HashSet;

use serde_json::Value;

use super::call::{Reviewed, call, denied, internal};
use super::hook::{self, Hook, Sort};
use super::request::Request;
use super::select::Objects;
use crate::api_error::Failure;
use crate::conversion;
use crate::patch::json_patch;
use crate::state::Server;

/// The object after all mutating webhooks.
#[derive(Debug)]
pub(crate) struct Mutated {
    pub(crate) object: Value,
    pub(crate) is_changed: bool,
    pub(crate) warnings: Vec<String>,
}

/// A write on its way through the mutating webhooks.
struct Chain<'a> {
    server: &'a Server,
    request: &'a Request<'a>,
    old: Option<&'a Value>,
    /// Sets defaults after each patch.
    complete: &'a (dyn Fn(Value) -> Result<Value, Failure> + Sync),
    object: Option<Value>,
    is_changed: bool,
    warnings: Vec<String>,
}

/// Whether there are mutating webhooks at all.
pub(crate) fn has_mutating(server: &Server) -> bool {
    !hook::all(server, Sort::Mutating).is_empty()
}

/// Changes an object that is created or updated; `complete` sets defaults after each patch.
///
/// # Errors
/// If a webhook refuses the write, or fails with the failure policy `Fail`. The failure has the warnings of all webhooks.
pub(crate) async fn mutate(
    server: &Server,
    request: &Request<'_>,
    object: Value,
    old: Option<&Value>,
    complete: &(dyn Fn(Value) -> Result<Value, Failure> + Sync),
) -> Result<Mutated, Failure> {
    let mut chain =
        Chain { server, request, old, complete, object: Some(object), is_changed: false, warnings: Vec::new() };
    match chain.run().await {
        Ok(()) => {
            let Chain { object, is_changed, warnings, .. } = chain;
            Ok(Mutated { object: object.unwrap_or_default(), is_changed, warnings })
        }
        Err(failure) => Err(failure.warning(chain.warnings)),
    }
}

/// Asks the mutating webhooks about a deletion, which they may refuse.
///
/// # Errors
/// As for [`mutate`], and if a webhook returns a patch.
pub(super) async fn delete(server: &Server, request: &Request<'_>, old: &Value) -> Result<Vec<String>, Failure> {
    let keep = |object: Value| Ok(object);
    let complete = &keep;
    let mut chain =
        Chain { server, request, old: Some(old), complete, object: None, is_changed: false, warnings: Vec::new() };
    match chain.run().await {
        Ok(()) => Ok(chain.warnings),
        Err(failure) => Err(failure.warning(chain.warnings)),
    }
}

impl Chain<'_> {
    async fn run(&mut self) -> Result<(), Failure> {
        let hooks = hook::all(self.server, Sort::Mutating);
        let (mut called, mut again) = (HashSet::new(), HashSet::new());
        for (index, hook) in hooks.iter().enumerate() {
            self.turn(index, hook, &mut called, &mut again).await?;
        }
        for (index, hook) in hooks.iter().enumerate() {
            if again.contains(&index) {
                self.turn(index, hook, &mut called, &mut again).await?;
            }
        }
        Ok(())
    }

    /// Calls one webhook. If it changes the object, those called before it are called again, where their policy allows it.
    async fn turn(
        &mut self,
        index: usize,
        hook: &Hook,
        called: &mut HashSet<usize>,
        again: &mut HashSet<usize>,
    ) -> Result<(), Failure> {
        if self.ask(hook).await? {
            again.extend(called.drain());
        }
        if hook.is_reinvoked() {
            called.insert(index);
        }
        Ok(())
    }

    /// Calls one webhook, and returns whether it changed the object.
    async fn ask(&mut self, hook: &Hook) -> Result<bool, Failure> {
        let objects = Objects { new: self.object.as_ref(), old: self.old };
        let Some(reviewed) = call(self.server, hook, Sort::Mutating, self.request, objects).await? else {
            return Ok(false);
        };
        self.warnings.extend(reviewed.verdict.warnings.iter().cloned());
        if !reviewed.verdict.is_allowed {
            return Err(denied(hook, &reviewed.verdict.status));
        }
        let Some(patch) = &reviewed.verdict.patch else { return Ok(false) };
        let Some(object) = &self.object else { return Err(unsupported(hook)) };
        let patched = (self.complete)(self.patched(object, &reviewed, patch).await?)?;
        let is_changed = patched != *object;
        self.object = Some(patched);
        self.is_changed |= is_changed;
        Ok(is_changed)
    }

    /// Applies a patch to the object in the version that the webhook reviewed.
    async fn patched(&self, object: &Value, reviewed: &Reviewed, patch: &Value) -> Result<Value, Failure> {
        let mut patched = reviewed.shown.new.clone().unwrap_or_else(|| object.clone());
        json_patch(&mut patched, patch).map_err(|error| internal(&error.to_string()))?;
        conversion::between(self.server, &reviewed.shown.kind, self.request.kind, patched).await
    }
}

fn unsupported(hook: &Hook) -> Failure {
    let name = &hook.name;
    internal(&format!(
        "admission webhook {name:?} attempted to modify the object, which is not supported for this operation"
    ))
}
