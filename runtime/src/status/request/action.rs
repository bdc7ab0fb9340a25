//! One-shot actions, which a request can ask for in addition to a pass.

use std::marker::PhantomData;

/// An action that the step `S` declares. The attribute turns the literal of `cx.requested("force")` into one.
pub struct Action<S> {
    pub(crate) name: &'static str,
    step: PhantomData<fn() -> S>,
}

impl<S> Action<S> {
    pub(crate) const fn new(name: &'static str) -> Self {
        Self { name, step: PhantomData }
    }
}

// Not derived, since the derive would require `S: Clone`.
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

/// The annotation that requests an action: `evenkeel.dev/forceAt` for `force`.
#[must_use]
pub fn annotation(action: &str) -> String {
    format!("evenkeel.dev/{action}At")
}

/// Whether an action fires: its annotation has the token of the request, and neither the request nor the action was handled before.
#[must_use]
pub fn fires(action: Option<&str>, requested: Option<&str>, receipt: Option<&str>, handled: Option<&str>) -> bool {
    action.is_some() && action == requested && action != receipt && action != handled
}
