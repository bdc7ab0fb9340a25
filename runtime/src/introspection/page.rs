//! The reference page of a reconciler in Markdown: conditions, reasons, errors, events, triggers and writes.

use super::error::{events_of_errors, table_of_errors};
use super::next_pass::NextPass;
use super::reason::{FRAMEWORK_REASONS, FrameworkReason, own_reasons};
use super::reconciler_info::ReconcilerInfo;
use super::table;
use crate::condition::{ConditionInfo, Polarity, READY, RECONCILING, ReasonInfo, STALLED};
use crate::wiring::policy::Policies;
use crate::wiring::{Adopt, How, StepWiring};

impl ReconcilerInfo {
    /// Prints the page: steps, conditions, reasons, errors, events, triggers, and the objects that are written.
    #[must_use]
    pub fn page(&self) -> String {
        let resource = &self.kind.resource;
        let sections = [
            format!("# {} ({})\n\n{}", resource.kind, resource.api_version, self.introduction()),
            format!("```mermaid\n{}```\n", self.graph()),
            format!("## Steps\n\n{}{}", self.steps(), self.daemons()),
            format!("## Conditions\n\n{}", self.condition_table()),
            format!("## Declared reasons\n\n{}", self.meanings()),
            format!("## Errors\n\n{}", table_of_errors(self)),
            format!("## The next pass\n\n{}", NextPass(self).schedule()),
            format!("## Reasons of the framework\n\n{}", self.framework_reasons()),
            format!("## Events\n\n{}", self.events()),
            format!("## Triggers\n\n{}", self.trigger_list()),
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

    fn daemons(&self) -> String {
        let names: Vec<_> = self.wiring.daemons.iter().map(|daemon| format!("`{}`", daemon.step.name)).collect();
        match names.is_empty() {
            true => String::new(),
            false => format!("\nDaemons, which run beside the passes of each object: {}.\n", names.join(", ")),
        }
    }

    fn condition_table(&self) -> String {
        let declared = self.wiring.conditions.iter().enumerate().map(|(place, info)| self.condition(place, info));
        let framework = [
            [READY, "True", "Sums up the others: the first that is bad decides.", "", "the framework"],
            [RECONCILING, "absent", "The controller is still at work.", "", "the framework"],
            [STALLED, "absent", "The object needs a change by a user; the message names it.", "", "the framework"],
        ];
        let framework = framework.into_iter().map(|row| row.map(ToOwned::to_owned).into());
        let summaries = self
            .wiring
            .summaries
            .iter()
            .map(|summary| [summary.type_, "True", summary.doc, "", "the framework"].map(ToOwned::to_owned).into());
        let rows: Vec<_> = framework.chain(summaries).chain(declared).collect();
        table::markdown(&["type", "good", "meaning", "reasons", "set by"], &rows)
    }

    /// The closed sets of reasons, with the meaning of each reason.
    fn meanings(&self) -> String {
        let unused = self.wiring.unused_reasons();
        let of = |info: &ConditionInfo| {
            let row = |reason: &ReasonInfo| {
                let is_unused = unused.iter().any(|u| u.condition == info.type_ && u.reason == reason.name);
                let by = if is_unused { "at run time, or not at all" } else { "as a literal, or by an error" };
                [info.type_, reason.name, reason.doc, by].map(ToOwned::to_owned).into()
            };
            info.reasons.iter().map(row).collect::<Vec<Vec<String>>>()
        };
        let rows: Vec<Vec<String>> = self.wiring.conditions.iter().flat_map(of).collect();
        match rows.is_empty() {
            true => "No condition has a closed set of reasons.\n".into(),
            false => table::markdown(&["condition", "reason", "meaning", "set by"], &rows),
        }
    }

    fn condition(&self, place: usize, info: &ConditionInfo) -> Vec<String> {
        let setters = self.wiring.steps.iter().filter(|step| step.sets.contains(&place)).map(|step| step.name);
        let (own, others) = own_reasons(&self.wiring, place);
        let reasons = own.into_iter().collect::<Vec<_>>().join(", ");
        let shared = if others.is_empty() {
            String::new()
        } else {
            format!("; an error that it shares with {}", others.join(", "))
        };
        vec![
            info.type_.to_owned(),
            good(info.polarity),
            info.doc.to_owned(),
            reasons + &shared,
            setters.collect::<Vec<_>>().join(", "),
        ]
    }

    fn framework_reasons(&self) -> String {
        let row = |one: &FrameworkReason| {
            vec![one.reason.to_owned(), one.meaning.to_owned(), NextPass(self).next_after_framework(one.next)]
        };
        let rows: Vec<_> = FRAMEWORK_REASONS.iter().map(row).collect();
        table::markdown(&["reason", "meaning", "what happens next"], &rows)
    }

    /// The table of events. An event is emitted at most once per transition, and never while the object is idle.
    fn events(&self) -> String {
        let success = [["Normal", "that of Ready", "Ready became True"]];
        let failures = [
            ["Warning", "Panicked, TimedOut", "a step has a bug, or did not end in time"],
            ["Warning", "StatusNotWritten", "the API server refuses the status"],
            ["Warning", "Clamped", "a duration of the object is out of bounds"],
        ];
        let policies: &[[&str; 3]] = match self.wiring.policies {
            Some(_) => &[
                ["Normal", "PolicyChanged", "the policy is another one than in the last pass"],
                ["Normal", "Detached", "the object went, and what was made for it stays"],
                ["Warning", "PolicyUnknown", "the policy is misspelt; nothing is done until it is corrected"],
            ],
            None => &[],
        };
        let owned = |row: [&str; 3]| row.map(ToOwned::to_owned);
        let rows = success.map(owned).into_iter().chain(events_of_errors(&self.wiring)).chain(failures.map(owned));
        let rows = rows.chain(policies.iter().copied().map(owned));
        let rows: Vec<_> = rows.map(Vec::from).collect();
        table::markdown(&["type", "reason", "when"], &rows)
    }

    fn trigger_list(&self) -> String {
        let policy = self.wiring.policies.map_or_else(String::new, |Policies { key, namespace }| {
            let of = if namespace { " or that of its namespace" } else { "" };
            format!(", its policy{of} (`{key}`)")
        });
        let own = format!(
            "- the {} itself: its spec{}, its deletion{policy}\n",
            self.kind.resource.kind, self.wiring.triggers
        );
        let relations = self.wiring.relations();
        let watched = relations.filter_map(|relation| {
            if relation.is_any() {
                return Some("- an object of any kind that is one of its dependents\n".to_owned());
            }
            let kind = relation.kind.map(|kind| kind().resource.kind.clone())?;
            match relation.how {
                How::Owns => Some(format!("- a {kind} that it owns\n- a {kind} of another owner that it waits for\n")),
                How::Keeps => Some(format!("- a {kind} that is one of its dependents\n")),
                How::WatchesByName => Some(format!("- a {kind} that it asked for by name\n")),
                How::WatchesLabels(selector) => {
                    Some(format!("- a {kind} that matches `{selector}` and that it asked for\n"))
                }
                How::Reads | How::Uses(_) => None,
            }
        });
        let mut lines: Vec<_> = std::iter::once(own).chain(watched).collect();
        lines.dedup();
        lines.concat()
    }

    fn writes(&self) -> String {
        let kind = &self.kind.resource.kind;
        let status = format!("- the status of the {kind}, as field manager `{}`\n", self.field_manager);
        let finalizer = self.finalizer.iter().map(|name| format!("- the finalizer `{name}`\n"));
        let relations = self.wiring.relations();
        let owned = relations.filter(|relation| relation.how == How::Owns);
        let owned = owned.filter_map(|relation| {
            let kind = relation.kind?().resource.kind.clone();
            Some(format!("- objects of the kind {kind}, owned by it{}\n", adopted(relation.adopt)))
        });
        let kept = self.wiring.relations().filter(|relation| relation.how == How::Keeps);
        let kept = kept.map(|relation| match relation.kind {
            Some(kind) => format!("- dependents of the kind {}, in any namespace\n", kind().resource.kind),
            None => "- dependents of any kind, in any namespace\n".to_owned(),
        });
        let outside = self.wiring.steps.iter().filter(|step| step.external);
        let outside = outside.map(|step| format!("- outside the cluster, in the step {}\n", step.name));
        let sites = self.wiring.steps.iter().filter(|step| step.find_site.is_some());
        let sites = sites
            .map(|step| format!("- what the step {} writes, with the rights of the user of its site\n", step.name));
        std::iter::once(status).chain(finalizer).chain(owned).chain(kept).chain(sites).chain(outside).collect()
    }
}

/// The objects that the step writes although it did not create them.
fn adopted(adopt: Adopt) -> &'static str {
    match adopt {
        Adopt::Never => "",
        Adopt::IfUnowned => "; also those that are there without an owner",
        Adopt::Always => "; also those that are there without an owner or with another one",
    }
}

/// The status of the condition while the object is healthy.
fn good(polarity: Polarity) -> String {
    let good = polarity.good().to_string();
    if polarity == Polarity::Positive { good } else { format!("absent or {good}") }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::condition::SummaryInfo;

    fn section(title: &str) -> String {
        let page = fixture::known().page();
        let section = page.split("\n## ").find(|part| part.starts_with(title)).unwrap();
        section.to_owned()
    }

    #[test]
    fn declared_reasons_and_summaries_are_described() {
        const REASONS: &[ReasonInfo] =
            &[ReasonInfo { name: "Tampered", doc: "The seal is broken." }, ReasonInfo { name: "Forgotten", doc: "" }];
        const VERIFIED: ConditionInfo =
            ConditionInfo { reasons: REASONS, ..ConditionInfo::new("Verified", Polarity::Bipolar) };
        const VERIFY: StepWiring =
            StepWiring { name: "verify", sets: &[0], reasons: &[(0, "Tampered")], ..StepWiring::EMPTY };
        let mut known = fixture::known();
        known.wiring.conditions = &[VERIFIED];
        known.wiring.steps = &[VERIFY];
        known.wiring.summaries = &[SummaryInfo { type_: "Available", of: &[0], doc: "The summary of Verified." }];
        let page = known.page();
        for line in [
            "| Verified | Tampered | The seal is broken. | as a literal, or by an error |",
            "| Verified | Forgotten |  | at run time, or not at all |",
            "| Available | True | The summary of Verified. |  | the framework |",
            "| Verified | absent or True |  | Forgotten, Panicked, Tampered, TimedOut | verify |",
        ] {
            assert!(page.contains(line), "{line}\n{page}");
        }
        let contract = known.contract();
        assert_eq!(contract.conditions["Available"].polarity, "positive");
        assert_eq!(contract.conditions["Verified"].polarity, "bipolar");
    }

    #[test]
    fn an_error_is_listed_with_meaning_effect_and_fix() {
        let errors = section("Errors");
        let rows: Vec<&str> = errors.lines().skip(4).collect();
        assert_eq!(
            rows,
            [
                "| InvalidUrl | stalled | fetch | No retry helps. \
                 | Stalled is True; no timer: runs again only on a change of its spec, its labels, its annotations, \
                 or an object that it watches | Write `https://host/path`. |",
                "| Busy | transient | fetch | It is busy. | retried after 1s, doubling to 10m, without end \
                 | none, if it passes by itself |",
            ]
        );
    }

    #[test]
    fn a_condition_is_listed_with_its_step_reasons() {
        let conditions = section("Conditions");
        let row = conditions.lines().find(|line| line.starts_with("| Fetched")).unwrap();
        let reasons = "Blocked, Busy, InvalidUrl, Panicked, Succeeded, TimedOut";
        assert_eq!(row, format!("| Fetched | True | It was fetched. | {reasons} | fetch |"));
    }

    #[test]
    fn error_reasons_appear_only_with_conditions_named_in_fails() {
        let row = |page: &str| page.lines().find(|line| line.starts_with("| Outdated")).unwrap().to_owned();
        let mut known = fixture::known();
        assert_eq!(row(&known.page()), "| Outdated | absent or False |  |  | fetch |");
        const FAILS: StepWiring = StepWiring { fails: &[1], ..fixture::FETCH };
        known.wiring.steps = &[FAILS];
        assert_eq!(
            row(&known.page()),
            "| Outdated | absent or False |  | Busy, InvalidUrl, Panicked, TimedOut | fetch |"
        );
    }

    #[test]
    fn every_event_is_listed_with_its_reason() {
        let events = section("Events");
        assert!(events.contains("| Warning | Busy | fetch ended in it |"), "{events}");
        assert!(events.contains("| Warning | StatusNotWritten |"), "{events}");
    }

    #[test]
    fn triggers_and_writes_come_from_declared_relations() {
        assert!(section("Triggers").contains("- a Secret that it asked for by name\n- a ConfigMap that it owns\n"));
        let writes = section("What it writes");
        for line in [
            "as field manager `op/things`",
            "the finalizer `core.kubernetes.io/op`",
            "ConfigMap, owned by it",
            "in the step store",
        ] {
            assert!(writes.contains(line), "{writes}");
        }
    }
}
