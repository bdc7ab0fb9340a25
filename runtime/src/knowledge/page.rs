//! The reference page of a reconciler, in Markdown: what can be said of an object, what wakes it, and what is written.

use super::reason::KEPT;
use super::{Knowledge, table};
use crate::condition::{ConditionInfo, READY, RECONCILING, STALLED};
use crate::wiring::{How, StepWiring};

impl Knowledge {
    /// The page: steps, conditions, reasons, events, what wakes, what is written.
    #[must_use]
    pub fn page(&self) -> String {
        let resource = &self.kind.resource;
        let sections = [
            format!("# {} ({})\n\n{}", resource.kind, resource.api_version, self.introduction()),
            format!("```mermaid\n{}```\n", self.graph()),
            format!("## Steps\n\n{}", self.steps()),
            format!("## Conditions\n\n{}", self.told()),
            format!("## Reasons of the framework\n\n{}", kept()),
            format!("## Events\n\n{}", events()),
            format!("## What wakes it\n\n{}", self.wakes()),
            format!("## What it writes\n\n{}", self.writes()),
        ];
        sections.join("\n")
    }

    fn introduction(&self) -> String {
        let doc = if self.wiring.doc.is_empty() { String::new() } else { format!(" {}", self.wiring.doc) };
        format!("Reconciled by `{}`.{doc}\n", self.wiring.name)
    }

    fn steps(&self) -> String {
        let row = |step: &StepWiring| {
            let names = |places| self.conditions(places).join(", ");
            vec![step.name.to_owned(), step.doc.to_owned(), names(step.sets), names(step.clears)]
        };
        let rows: Vec<_> = self.wiring.steps.iter().map(row).collect();
        table::markdown(&["step", "what it does", "sets", "clears"], &rows)
    }

    fn told(&self) -> String {
        let declared = self.wiring.conditions.iter().enumerate().map(|(place, info)| self.condition(place, info));
        let kept = [
            [READY, "True", "Sums up the others: the first that is bad decides.", "", "the framework"],
            [RECONCILING, "absent", "The controller is still at work.", "", "the framework"],
            [STALLED, "absent", "Only a person can help; the message says how.", "", "the framework"],
        ];
        let kept = kept.into_iter().map(|row| row.map(ToOwned::to_owned).into());
        let rows: Vec<_> = kept.chain(declared).collect();
        table::markdown(&["type", "good", "meaning", "reasons", "set by"], &rows)
    }

    fn condition(&self, place: usize, info: &ConditionInfo) -> Vec<String> {
        let setters = self.wiring.steps.iter().filter(|step| step.sets.contains(&place)).map(|step| step.name);
        let reasons: Vec<_> = self.reasons(place).into_iter().collect();
        vec![
            info.type_.to_owned(),
            info.polarity.good().to_string(),
            info.doc.to_owned(),
            reasons.join(", "),
            setters.collect::<Vec<_>>().join(", "),
        ]
    }

    fn wakes(&self) -> String {
        let own = format!("- the {} itself: its spec, its deletion\n", self.kind.resource.kind);
        let relations = self.wiring.steps.iter().flat_map(|step| step.relations);
        let woken = relations.filter_map(|relation| {
            let kind = relation.kind.map(|kind| kind().resource.kind)?;
            match relation.how {
                How::Owns => Some(format!("- a {kind} that it owns\n")),
                How::WatchesByName => Some(format!("- a {kind} that it asked for by name\n")),
                How::WatchesLabels(labels) => {
                    Some(format!("- a {kind} with the labels `{labels}` that it asked for\n"))
                }
                How::Reads => None,
            }
        });
        let mut lines: Vec<_> = std::iter::once(own).chain(woken).collect();
        lines.dedup();
        lines.concat()
    }

    fn writes(&self) -> String {
        let kind = &self.kind.resource.kind;
        let status = format!("- the status of the {kind}, as field manager `{}`\n", self.manager);
        let finalizer = self.finalizer.iter().map(|name| format!("- the finalizer `{name}`\n"));
        let relations = self.wiring.steps.iter().flat_map(|step| step.relations);
        let owned = relations.filter(|relation| relation.how == How::Owns).filter_map(|relation| relation.kind);
        let owned = owned.map(|kind| format!("- objects of the kind {}, owned by it\n", kind().resource.kind));
        let outside = self.wiring.steps.iter().filter(|step| step.external);
        let outside = outside.map(|step| format!("- outside the cluster, in the step {}\n", step.name));
        std::iter::once(status).chain(finalizer).chain(owned).chain(outside).collect()
    }
}

fn kept() -> String {
    let rows: Vec<_> = KEPT.iter().map(|kept| vec![kept.reason.to_owned(), kept.meaning.to_owned()]).collect();
    table::markdown(&["reason", "meaning"], &rows)
}

fn events() -> String {
    let rows = [
        ["Normal", "that of Ready", "Ready changed, or Stalled ended"],
        ["Warning", "that of Ready", "Ready changed because a step failed, or Stalled began"],
        ["Warning", "StatusNotWritten", "the API server refuses the status"],
        ["Warning", "Clamped", "a duration of the object is out of bounds"],
    ];
    let rows: Vec<_> = rows.into_iter().map(|row| row.map(ToOwned::to_owned).into()).collect();
    table::markdown(&["type", "reason", "when"], &rows)
}
