//! The calls of a watcher, as its expansion makes them.

use std::sync::Arc;

use super::Cx;
use crate::outcome::{Class, ReconcileError};
use crate::pipeline::watcher::RetryPolicy;
use crate::pipeline::watcher::calls::{Again, Calls};
use crate::pipeline::watcher::decide::{Method, decide};

/// The call that a pass makes for a live object.
#[derive(Debug)]
pub enum Call<K> {
    /// `add`.
    Add,
    /// `update`, with the version that was handled last.
    Update(Arc<K>),
    /// `update` of a watcher that takes no earlier version.
    UpdateAlone,
    /// `sync`.
    Sync,
}

/// The call for the object of the pass. Without an operator, as in a test of the step alone, it is `add`.
#[must_use]
pub fn call<K: Send + Sync + 'static, S>(cx: &Cx<'_, S>) -> Call<K> {
    let Some(calls) = cx.state.calls.as_deref() else { return Call::Add };
    match decide(calls.facts) {
        Method::Add => Call::Add,
        Method::Sync => Call::Sync,
        Method::Update => match previous(calls) {
            Some(previous) => Call::Update(previous),
            None => Call::UpdateAlone,
        },
    }
}

/// The whole object of a watcher with `cache = none`. Without an operator there is none, and nothing is called.
#[must_use]
pub fn whole<K: Send + Sync + 'static, S>(cx: &Cx<'_, S>) -> Option<Arc<K>> {
    cx.state.calls.as_deref()?.whole.clone()?.downcast().ok()
}

fn previous<K: Send + Sync + 'static>(calls: &Calls) -> Option<Arc<K>> {
    let object: Arc<dyn std::any::Any + Send + Sync> = calls.previous.clone()?;
    object.downcast().ok()
}

/// Records how the call ended. `tries`: the number of tries after which it is given up.
///
/// # Errors
/// The error of the call.
pub fn called<S, E: ReconcileError>(
    cx: &mut Cx<'_, S>,
    ended: Result<(), E>,
    policy: Option<RetryPolicy<E>>,
    tries: Option<u32>,
) -> Result<(), E> {
    let done = cx.state.carried.tries();
    let Some(calls) = cx.state.calls.as_deref_mut() else { return ended };
    match &ended {
        Ok(()) => calls.is_handled = true,
        Err(error) if error.class() == Class::Ignored => calls.is_handled = true,
        Err(error) if error.class() == Class::Transient => {
            let is_last = tries.is_some_and(|tries| done.saturating_add(1) >= tries);
            calls.again = match policy {
                _ if is_last => Some(Again::GiveUp),
                Some(policy) => Some(policy(error, done).map_or(Again::GiveUp, Again::After)),
                None => None,
            };
        }
        Err(_) => {}
    }
    let (event, took) = (decide(calls.facts).as_str(), calls.began.elapsed());
    cx.state.backend.call_ended(event, how(&ended), took);
    ended
}

/// Records how the call of `delete` ended.
///
/// # Errors
/// The error of the call.
pub fn deleted<S, E: ReconcileError>(cx: &mut Cx<'_, S>, ended: Result<(), E>) -> Result<(), E> {
    if let Some(calls) = &cx.state.calls {
        cx.state.backend.call_ended("delete", how(&ended), calls.began.elapsed());
    }
    ended
}

/// The result of a call as a label for metrics.
fn how<E: ReconcileError>(ended: &Result<(), E>) -> &'static str {
    ended.as_ref().map_or_else(|error| error.class().as_str(), |()| "success")
}
