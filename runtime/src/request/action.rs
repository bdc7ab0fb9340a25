//! One-shot actions: what a request asks for beside a pass.

/// Whether an action fires: its annotation holds the token of the request, and neither the request nor the action was handled before.
#[must_use]
pub fn fires(action: Option<&str>, requested: Option<&str>, receipt: Option<&str>, handled: Option<&str>) -> bool {
    action.is_some() && action == requested && action != receipt && action != handled
}
