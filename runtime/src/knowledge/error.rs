//! What can go wrong, what it means, what happens next, and the cure: from the classes and the doc comments of error variants.

use super::{Knowledge, table};
use crate::action::{EventLevel, VariantInfo};
use crate::retry::Retry;

/// An error with the steps that may end in it.
pub(super) struct Known {
    pub(super) info: VariantInfo,
    pub(super) steps: Vec<&'static str>,
}

impl Knowledge {
    /// The errors of all steps, in the order of the steps, each once.
    pub(super) fn errors(&self) -> Vec<Known> {
        let mut all: Vec<Known> = Vec::new();
        let claim = self.wiring.claim.map(|claim| *claim.step);
        let hooks = self.wiring.hooks.iter().map(|hook| *hook.step);
        for step in claim.into_iter().chain(hooks).chain(self.wiring.all_steps()) {
            for info in step.errors {
                match all.iter_mut().find(|known| known.info == *info) {
                    Some(known) if known.steps.contains(&step.name) => {}
                    Some(known) => known.steps.push(step.name),
                    None => all.push(Known { info: *info, steps: vec![step.name] }),
                }
            }
        }
        all
    }

    /// The table of errors.
    pub(super) fn failures(&self) -> String {
        let rows: Vec<_> = self.errors().iter().map(row).collect();
        table::markdown(&["reason", "class", "step", "what it means", "what happens next", "cure"], &rows)
    }

    /// The events that errors cause: type and reason.
    pub(super) fn warnings(&self) -> Vec<[String; 3]> {
        let told = self.errors().into_iter().filter_map(|Known { info, steps }| {
            let type_ = match info.actions.event {
                EventLevel::None => return None,
                EventLevel::Normal => "Normal",
                EventLevel::Warning => "Warning",
            };
            Some([type_.to_owned(), info.reason.to_owned(), format!("{} ended in it", steps.join(" or "))])
        });
        told.collect()
    }
}

fn row(known: &Known) -> Vec<String> {
    let Known { info, steps } = known;
    let (meaning, cure) = parts(info);
    let words = [info.reason, info.class, &steps.join(", "), meaning, next(info), cure];
    words.map(ToOwned::to_owned).into()
}

/// The first paragraph of the doc comment says what it means, the others the cure.
fn parts(info: &VariantInfo) -> (&'static str, &'static str) {
    match info.doc.split_once("\n\n") {
        Some((meaning, cure)) => (meaning, cure),
        None => (info.doc, usual(info.class)),
    }
}

fn next(info: &VariantInfo) -> &'static str {
    match (info.class, info.retry) {
        ("stalled", _) => "Stalled is True; it runs again when the object changes",
        ("waiting", Retry::VerySlow) => "it runs again at the next resync",
        ("waiting", _) => "it runs again when what it waits for changes, or after its poll time",
        ("ignored", _) => "nothing: the pass counts as done",
        (_, Retry::Fast) => "it is tried again soon, at most 30 s apart, for ever",
        (_, Retry::Slow) => "it is tried again with back-off, for ever",
        (_, Retry::VerySlow) => "it is tried again when the requeue interval has passed, for ever",
    }
}

/// The cure where the author names none.
fn usual(class: &str) -> &'static str {
    match class {
        "stalled" => "change the object",
        "waiting" => "make what it waits for",
        "ignored" => "none is needed",
        _ => "none, if it passes by itself",
    }
}
