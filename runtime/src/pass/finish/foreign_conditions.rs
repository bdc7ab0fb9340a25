//! Our conditions that another field manager holds, too, so that our writes cannot remove them.

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::condition::{Condition, find};
use crate::pass::api::PassBackend;
use crate::pass::context::PassContext;
use crate::pass::finish::written::Written;
use crate::pipeline::state::DesiredStatus;
use crate::queue::Key;

/// Remembers the conditions that stay in a written status although we no longer set them, because another manager holds them.
pub(in crate::pass) fn remember(
    context: &PassContext,
    key: &Key,
    backend: &PassBackend,
    intent: &DesiredStatus,
    written: &Written,
) {
    // A JSON patch adds Reconciling itself, and the next apply takes over all of its fields.
    if backend.hot {
        return;
    }
    let conditions = written.other_status().and_then(|status| status.get("conditions"));
    let conditions: Vec<Condition> =
        conditions.and_then(|conditions| Vec::deserialize(conditions).ok()).unwrap_or_default();
    let declared = context.wiring.condition_types().chain(context.wiring.framework_types().iter().copied());
    let foreign: BTreeSet<&'static str> =
        declared.filter(|t| find(&conditions, t).is_some() && find(&intent.conditions, t).is_none()).collect();
    let mut memory = context.memory();
    let memory = memory.entry(key.clone()).or_default();
    for condition in foreign.difference(&memory.foreign) {
        tracing::warn!(
            condition,
            "the condition is no longer reported but stays in the status: its field manager cannot be taken over"
        );
    }
    memory.foreign = foreign;
}

/// Leaves these conditions out of the found status, so that they cause no write.
pub(in crate::pass) fn without_foreign(
    context: &PassContext,
    key: &Key,
    mut found: DesiredStatus,
    intent: &DesiredStatus,
) -> DesiredStatus {
    let memory = context.memory();
    let foreign = memory.get(key).map(|memory| &memory.foreign);
    let is_foreign = |c: &Condition| foreign.is_some_and(|types| types.contains(c.type_.as_str()));
    found.conditions.retain(|c| !is_foreign(c) || find(&intent.conditions, &c.type_).is_some());
    found
}
