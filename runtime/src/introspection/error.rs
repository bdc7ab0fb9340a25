//! The tables of errors: meaning, next action and fix, from the classes and doc comments of error variants.

use super::next_pass::NextPass;
use super::reconciler_info::ReconcilerInfo;
use super::table;
use crate::outcome::reporting::{EventLevel, Until, VariantInfo};
use crate::wiring::Wiring;

/// The introduction of a table in which an error belongs to several steps.
const SHARED: &str =
    "Where several steps are named, they have one error type. Each of its reasons comes from at least one of them.";

/// An error, with the steps that may return it.
pub(super) struct Known {
    pub(super) info: VariantInfo,
    pub(super) steps: Vec<&'static str>,
}

/// The errors of all steps, in the order of the steps and without duplicates.
pub(super) fn errors(wiring: &Wiring) -> Vec<Known> {
    let mut all: Vec<Known> = Vec::new();
    let claim = wiring.claim.map(|claim| *claim.step);
    let hooks = wiring.hooks.iter().map(|hook| *hook.step);
    let daemons = wiring.daemons.iter().map(|daemon| *daemon.step);
    for step in claim.into_iter().chain(hooks).chain(wiring.all_steps()).chain(daemons) {
        for info in step.failures() {
            match all.iter_mut().find(|known| known.info == *info) {
                Some(known) if known.steps.contains(&step.name) => {}
                Some(known) => known.steps.push(step.name),
                None => all.push(Known { info: *info, steps: vec![step.name] }),
            }
        }
    }
    all
}

/// Prints the table of errors.
pub(super) fn table_of_errors(reconciler: &ReconcilerInfo) -> String {
    let errors = errors(&reconciler.wiring);
    let rows: Vec<_> = errors.iter().map(|known| row(reconciler, known)).collect();
    let table = table::markdown(&["reason", "class", "step", "what it means", "what happens next", "fix"], &rows);
    match errors.iter().any(|known| known.steps.len() > 1) {
        true => format!("{SHARED}\n\n{table}"),
        false => table,
    }
}

/// The events that errors emit: type, reason and when.
pub(super) fn events_of_errors(wiring: &Wiring) -> Vec<[String; 3]> {
    let events = errors(wiring).into_iter().filter_map(|Known { info, steps }| {
        let type_ = match info.actions.event {
            EventLevel::None => return None,
            EventLevel::Normal => "Normal",
            EventLevel::Warning => "Warning",
        };
        Some([type_.to_owned(), info.reason.to_owned(), format!("{} ended in it", steps.join(" or "))])
    });
    events.collect()
}

fn row(reconciler: &ReconcilerInfo, known: &Known) -> Vec<String> {
    let Known { info, steps } = known;
    let (meaning, help) = parts(info);
    let steps = if steps.len() > 1 { format!("one of {}", steps.join(", ")) } else { steps.concat() };
    let words = [info.reason, info.class, &steps, meaning, &NextPass(reconciler).next_after(info), help];
    words.map(ToOwned::to_owned).into()
}

/// Splits the doc comment: the first paragraph is the meaning, the others are the fix.
pub(super) fn parts(info: &VariantInfo) -> (&'static str, &'static str) {
    match info.doc.split_once("\n\n") {
        Some((meaning, help)) => (meaning, help),
        None => (info.doc, usual(info)),
    }
}

/// The default fix, if the doc comment does not name one.
fn usual(info: &VariantInfo) -> &'static str {
    match info.class {
        "stalled" => "change the object",
        "waiting" if matches!(info.until, None | Some(Until::Change(_))) => "create or fix the awaited object",
        "waiting" => "none, if what it waits for comes by itself",
        "ignored" => "none is needed",
        _ => "none, if it passes by itself",
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use k8s_openapi::api::core::v1::{ConfigMap, Secret};

    use super::super::fixture;
    use super::super::reason::{own_reasons, reasons};
    use super::*;
    use crate::outcome::reporting::{Actions, WatchedKind};
    use crate::wiring::{KindInfo, StepWiring};

    const fn waiting(reason: &'static str, until: Until) -> VariantInfo {
        VariantInfo::new(reason, "waiting", "", Actions::WAITING).until(until)
    }

    const ERRORS: &[VariantInfo] = &[
        waiting("SecretMissing", Until::Change(WatchedKind(KindInfo::of::<Secret>))),
        waiting("MapMissing", Until::Change(WatchedKind(KindInfo::of::<ConfigMap>))),
        waiting("Unpushed", Until::Poll(Duration::from_secs(60))),
        waiting("Limited", Until::PollOfError),
        waiting("Postponed", Until::Resync),
    ];
    /// Watches Secrets, but not ConfigMaps.
    const FETCH: StepWiring = StepWiring { errors: ERRORS, ..fixture::FETCH };
    const COPY: StepWiring = StepWiring { name: "copy", sets: &[2], errors: ERRORS, ..StepWiring::EMPTY };

    #[test]
    fn each_wait_names_the_watch_or_poll_that_ends_it() {
        let mut known = fixture::known();
        known.wiring.steps = &[FETCH];
        let next: Vec<_> = errors(&known.wiring).iter().map(|error| NextPass(&known).next_after(&error.info)).collect();
        let wanted = [
            "no timer: triggered by the watch when the Secret changes",
            "polled: runs again after 1m",
            "polled: runs again after the time of the error, or 30s without one",
            "polled: runs again at each resync, every 1h",
        ];
        assert_eq!(next, wanted);
    }

    #[test]
    fn a_watch_error_belongs_to_the_steps_watching_the_kind() {
        let mut known = fixture::known();
        known.wiring.steps = &[FETCH, COPY];
        let steps: Vec<_> = errors(&known.wiring).into_iter().map(|known| (known.info.reason, known.steps)).collect();
        let both = || vec!["fetch", "copy"];
        let wanted =
            [("SecretMissing", vec!["fetch"]), ("Unpushed", both()), ("Limited", both()), ("Postponed", both())];
        assert_eq!(steps, wanted);
        assert!(!reasons(&known.wiring, 2).contains("SecretMissing") && reasons(&known.wiring, 2).contains("Unpushed"));
    }

    #[test]
    fn a_condition_lists_only_the_reasons_of_its_steps() {
        let mut known = fixture::known();
        known.wiring.steps = &[FETCH, COPY];
        let (own, others) = own_reasons(&known.wiring, FETCH.sets[0]);
        assert!(own.contains("SecretMissing") && !own.contains("Unpushed"), "{own:?}");
        assert_eq!(others, ["copy"]);
        assert_eq!(own_reasons(&known.wiring, 2).1, ["fetch"]);
        known.wiring.steps = &[FETCH];
        let (own, others) = own_reasons(&known.wiring, FETCH.sets[0]);
        assert!(own.contains("Unpushed") && others.is_empty(), "{own:?} {others:?}");
    }

    #[test]
    fn a_shared_error_names_its_possible_steps() {
        let mut known = fixture::known();
        known.wiring.steps = &[FETCH, COPY];
        let table = table_of_errors(&known);
        assert!(table.starts_with(SHARED) && table.contains("| one of fetch, copy |"), "{table}");
        known.wiring.steps = &[FETCH];
        assert!(table_of_errors(&known).starts_with("| reason |"));
    }
}
