//! One-shot actions: what a request asks for beside a pass.

use std::marker::PhantomData;

/// An action that the step `S` declares. `cx.requested("force")` takes one: the attribute makes it of the literal.
pub struct Action<S> {
    pub(crate) name: &'static str,
    step: PhantomData<fn() -> S>,
}

impl<S> Action<S> {
    pub(crate) const fn new(name: &'static str) -> Self {
        Self { name, step: PhantomData }
    }
}

// Not derived: that would ask the same of the step.
impl<S> Clone for Action<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Action<S> {}

impl<S> std::fmt::Debug for Action<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Action").field(&self.name).finish()
    }
}

/// The annotation that asks for an action: `evenkeel.dev/forceAt` for `force`.
#[must_use]
pub fn annotation(action: &str) -> String {
    format!("evenkeel.dev/{action}At")
}

/// Whether an action fires: its annotation holds the token of the request, and neither the request nor the action was handled before.
#[must_use]
pub fn fires(action: Option<&str>, requested: Option<&str>, receipt: Option<&str>, handled: Option<&str>) -> bool {
    action.is_some() && action == requested && action != receipt && action != handled
}
