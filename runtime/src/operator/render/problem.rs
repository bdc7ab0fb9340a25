//! What keeps sets from being rendered, and the error about it.

use crate::operator::error::{Error, Reason, Result};
use crate::pipeline::dependents::differences;
use crate::render::{RenderedObject, RenderedStep, Rendering, StepEnd};

/// The help for an error of the author's code.
const CORRECT: &str = "correct what the message names";

/// Why the output is not complete, and what to do.
pub(super) struct Problem {
    text: String,
    help: &'static str,
}

impl Problem {
    const fn new(text: String, help: &'static str) -> Self {
        Self { text, help }
    }
}

/// What keeps sets from being rendered.
pub(super) fn problems(rendering: &Rendering) -> Vec<Problem> {
    let reconciler = rendering.reconciler;
    let missing = rendering.missing.iter().map(|(step, object)| {
        let text = format!("step {reconciler}/{step} reads the {object}");
        Problem::new(text, "add the objects that steps read with `--with FILE`")
    });
    let failure = rendering.failure.iter().map(|text| Problem::new(format!("{reconciler}: {text}"), CORRECT));
    let is_missing = |step: &RenderedStep| rendering.missing.iter().any(|(other, _)| *other == step.name);
    let steps = rendering.steps.iter().filter(|step| !is_missing(step));
    missing.chain(steps.filter_map(|step| problem(step, rendering))).chain(failure).collect()
}

fn problem(step: &RenderedStep, rendering: &Rendering) -> Option<Problem> {
    let name = format!("step {}/{}", rendering.reconciler, step.name);
    let is_needed = step.has_set || is_waited_for(step, rendering);
    match &step.end {
        StepEnd::Stalled(text) => Some(Problem::new(format!("{name} failed: {text}"), CORRECT)),
        StepEnd::Failed(text) if is_needed => Some(Problem::new(format!("{name} failed: {text}"), CORRECT)),
        StepEnd::LeftOut(part) if is_needed => {
            let text = format!("{name} cannot be rendered: {part} does not run without a cluster");
            Some(Problem::new(text, "move the set into a step without it"))
        }
        _ => None,
    }
}

/// Whether a set is not rendered since this step has no result.
fn is_waited_for(step: &RenderedStep, rendering: &Rendering) -> bool {
    let is_lost = |other: &RenderedStep| other.has_set && other.end == StepEnd::NotReached;
    rendering.stopped_by == Some(step.name) && rendering.steps.iter().any(is_lost)
}

/// The sets that differ between two renderings.
pub(super) fn random(rendering: &Rendering, again: &Rendering) -> Vec<Problem> {
    let differing = rendering.steps.iter().filter_map(|step| {
        let other = again.steps.iter().find(|other| other.name == step.name)?;
        let fields = differences(&updated(step), &updated(other))?;
        let text = format!("step {}/{} renders something else each time: {fields}", rendering.reconciler, step.name);
        Some(Problem::new(text, "derive the value from the object, or set `evenkeel.dev/reconcile-policy: once`"))
    });
    differing.collect()
}

/// The objects that change when their manifests change.
fn updated(step: &RenderedStep) -> Vec<serde_json::Value> {
    let all = step.objects.iter().filter(|object| !object.is_applied_once);
    all.map(|RenderedObject { object, .. }| object.clone()).collect()
}

/// The error for what was found, if anything.
pub(super) fn failed(title: &str, found: &[Problem]) -> Result {
    if found.is_empty() {
        return Ok(());
    }
    let texts: Vec<String> = found.iter().map(|problem| format!("\n  {}", problem.text)).collect();
    let mut helps: Vec<&str> = Vec::new();
    for problem in found {
        if !helps.contains(&problem.help) {
            helps.push(problem.help);
        }
    }
    let headline = format!("the dependents of {title} cannot be rendered:{}", texts.concat());
    Err(Error::new(Reason::Render, headline, helps.join("; ")))
}

/// What a comment says of the end of a step; `None`: it has rendered its set.
pub(super) fn remark(step: &RenderedStep, of: &Rendering) -> Option<String> {
    Some(match &step.end {
        StepEnd::Succeeded => return None,
        StepEnd::Kept => "keeps its objects as they are".into(),
        StepEnd::Skipped(reason) => format!("skipped: {reason}"),
        StepEnd::LeftOut(part) => format!("not run: {part}"),
        StepEnd::Ignored(text) => format!("ended without a result: {text}"),
        StepEnd::Failed(text) | StepEnd::Stalled(text) => format!("failed: {text}"),
        StepEnd::NotReached => match of.stopped_by {
            Some(other) => format!("not reached after step {}/{other}", of.reconciler),
            None => "not reached for this object".into(),
        },
    })
}
