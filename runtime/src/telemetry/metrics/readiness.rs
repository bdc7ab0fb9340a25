//! Readiness of an operator: all watches have listed, and none has been broken for long.

use std::time::Duration;

use super::custom::Checked;
use crate::condition::sanitize;
use crate::watch::FailingWatch;

/// How long a watch may be broken before the operator is not ready; longer than a restart of the API server.
pub(super) const LONG: Duration = Duration::from_secs(120);

/// What an operator has begun.
#[derive(Clone, Copy, Debug)]
pub(super) struct Readiness {
    /// Whether all reconcilers have started.
    pub(super) started: bool,
    pub(super) serves_webhooks: bool,
}

/// A paused reconciler: its name, for how long, and why.
pub(super) type Paused = (&'static str, Duration, String);

/// The readiness and the text of the response. An operator that serves webhooks is ready once its checks succeed, since API servers call it
/// before it has listed all objects; the text lists its watches nevertheless.
pub(super) fn verdict(readiness: Readiness, failing: &[FailingWatch], paused: &[Paused], checks: &Checked) -> Checked {
    let Readiness { started, serves_webhooks } = readiness;
    let has_paused = paused.iter().any(|(_, time, _)| *time >= LONG);
    let works = started && !has_paused && !failing.iter().any(counts);
    let ready = checks.healthy && (works || serves_webhooks);
    let word = match (ready, started) {
        (true, _) => "ready",
        (false, true) => "not ready",
        (false, false) => "starting",
    };
    let lines = failing.iter().fold(String::new(), |lines, one| format!("{lines}{}\n", line(one)));
    let lines = paused.iter().fold(lines, |lines, (reconciler, time, why)| {
        format!("{lines}{reconciler} paused for {} s: {}\n", time.as_secs(), sanitize(why))
    });
    Checked { healthy: ready, text: format!("{word}\n{lines}{}", checks.text) }
}

/// Whether the failing watch makes the operator not ready. Watches of single objects do not count, since other objects can proceed. Kinds
/// that are not installed do not count either: the operator waits for them and runs its other reconcilers.
fn counts(one: &FailingWatch) -> bool {
    let for_long = one.broken.as_ref().is_some_and(|(time, ..)| *time >= LONG);
    !one.of_one_object && !one.of_no_kind && (!one.listed || for_long)
}

fn line(one: &FailingWatch) -> String {
    let place = &one.place;
    let listed = if one.listed { "" } else { ", not listed yet" };
    match &one.broken {
        Some((time, watch_error, help)) => {
            format!("watch of {place}{listed}, broken for {} s: {}; {help}", time.as_secs(), sanitize(watch_error))
        }
        None => format!("watch of {place}{listed}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(started: bool, failing: &[FailingWatch], paused: &[Paused]) -> (bool, String) {
        let checks = Checked { healthy: true, text: String::new() };
        let Checked { healthy, text } =
            super::verdict(Readiness { started, serves_webhooks: false }, failing, paused, &checks);
        (healthy, text)
    }

    fn broken(place: &str, seconds: u64, of_one_object: bool) -> FailingWatch {
        let broken = Some((Duration::from_secs(seconds), "no right".to_owned(), "grant it".to_owned()));
        FailingWatch { place: place.into(), of_one_object, of_no_kind: false, listed: true, broken }
    }

    #[test]
    fn only_what_lasts_and_concerns_all_objects_counts() {
        assert_eq!(verdict(true, &[], &[]), (true, "ready\n".into()));
        assert!(verdict(true, &[broken("widgets", 119, false)], &[]).0, "the API server may be starting anew");
        assert!(verdict(true, &[broken("secrets \"s\"", 9999, true)], &[]).0, "one object waits for it");
        let absent = FailingWatch { of_no_kind: true, listed: false, ..broken("widgets", 9999, false) };
        assert!(verdict(true, &[absent], &[]).0, "it is still to be installed");
        let (ready, text) = verdict(true, &[broken("widgets", 120, false)], &[]);
        assert_eq!((ready, &*text), (false, "not ready\nwatch of widgets, broken for 120 s: no right; grant it\n"));
        assert_eq!(verdict(false, &[], &[]), (false, "starting\n".into()));
    }
    #[test]
    fn a_paused_reconciler_is_shown_and_counts_once_it_lasts() {
        let paused =
            |seconds| [("widget", Duration::from_secs(seconds), "the CRD lacks .status.x; apply it".to_owned())];
        let (ready, text) = verdict(true, &[], &paused(119));
        assert_eq!((ready, &*text), (true, "ready\nwidget paused for 119 s: the CRD lacks .status.x; apply it\n"));
        assert!(!verdict(true, &[], &paused(120)).0);
    }

    #[test]
    fn a_failed_check_of_the_author_is_not_ready() {
        let checks = Checked { healthy: false, text: "[-]db failed: no route\n".into() };
        let Checked { healthy, text } =
            super::verdict(Readiness { started: true, serves_webhooks: false }, &[], &[], &checks);
        assert_eq!((healthy, &*text), (false, "not ready\n[-]db failed: no route\n"));
    }

    #[test]
    fn an_operator_that_serves_webhooks_is_ready_once_its_checks_succeed() {
        let serves = |healthy: bool| {
            let checks = Checked { healthy, text: String::new() };
            super::verdict(Readiness { started: false, serves_webhooks: true }, &[], &[], &checks).healthy
        };
        assert!(serves(true) && !serves(false));
    }
}
