//! What a rendered pass prints: its steps with their objects.

use serde_json::Value;

use super::step_log::Steps;
use crate::dependent_rules::manifest::ObjectId;
use crate::outcome::Class;
use crate::pipeline::state::PassState;
use crate::wiring::StepWiring;

/// A manifest of a set, as it would be applied.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RenderedObject {
    pub(crate) id: ObjectId,
    /// The wave in which it is applied.
    pub(crate) wave: i16,
    /// Whether it is never updated, so that its content may be random.
    pub(crate) is_applied_once: bool,
    pub(crate) object: Value,
}

/// How a step of a rendered pass ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StepEnd {
    /// It succeeded. A step with a set has converged it.
    Succeeded,
    /// It leaves the objects of its set as they are.
    Kept,
    /// It was skipped, with this reason.
    Skipped(String),
    /// The pipeline did not call it.
    NotReached,
    /// It does not run without an API server, or not to its end. Contains the part that does not run.
    LeftOut(String),
    /// It ended with an error that is ignored.
    Ignored(String),
    /// It failed for a reason that may go away by itself.
    Failed(String),
    /// It failed until the object is changed.
    Stalled(String),
}

/// A step of a rendered pass.
#[derive(Clone, Debug)]
pub(crate) struct RenderedStep {
    pub(crate) name: &'static str,
    /// Whether it keeps a set of dependents.
    pub(crate) has_set: bool,
    pub(crate) end: StepEnd,
    /// The objects of its set, by wave and identity.
    pub(crate) objects: Vec<RenderedObject>,
}

/// How the step ended. `has_wanted`: it has said what its set contains.
pub(super) fn step_end(step: &StepWiring, steps: &Steps, state: &PassState, has_wanted: bool) -> StepEnd {
    let name = step.name;
    if let Some(part) = steps.halted.get(name) {
        return StepEnd::LeftOut(part.clone());
    }
    if let Some(error) = steps.failed.get(name) {
        let text = format!("{}: {}", error.reason(), error.message());
        return match error.class() {
            Class::Ignored => StepEnd::Ignored(text),
            Class::Stalled => StepEnd::Stalled(text),
            _ => StepEnd::Failed(text),
        };
    }
    match (steps.begun.contains(name), has_wanted) {
        (true, false) if step.keeps_dependents() => StepEnd::Kept,
        (true, _) => StepEnd::Succeeded,
        (false, true) => StepEnd::Skipped(skip_reason(step, state)),
        (false, false) => StepEnd::NotReached,
    }
}

/// The reason that `skip` set in the conditions of the step.
fn skip_reason(step: &StepWiring, state: &PassState) -> String {
    let reason = step.sets.iter().find_map(|place| Some(state.condition(*place)?.reason.clone()));
    reason.unwrap_or_else(|| "it is not needed".into())
}
