//! The alerts about reconcilers: their objects, passes, queues and watches.

use super::alert::{Alert, AlertName};
use super::monitored::{Monitored, bad_at};
use super::query::{PLACE, by, increase, of_job, one_of, p99, rate, select};

/// The alerts of all operators, and of those with reconcilers.
pub(super) fn alerts(monitored: &Monitored, job: &str) -> Vec<Alert> {
    let job = of_job(job);
    let mut alerts = vec![down(&job)];
    if !monitored.reconcilers.is_empty() {
        alerts.extend(stalled(monitored, &job));
        alerts.extend([
            not_ready(monitored, &job),
            failing(monitored, &job),
            queue(monitored, &job),
            stuck(monitored, &job),
            panics(monitored, &job),
        ]);
    }
    alerts.push(watch_broken(&job));
    alerts
}

fn down(job: &str) -> Alert {
    let query = format!("absent({})", select("evenkeel_broken_watches", &[job]));
    let summary = "Prometheus has no metrics of the operator";
    let texts = (
        summary,
        "Prometheus has no metrics of the job {{ $labels.job }}: the operator does not run, or the scrape fails.",
    );
    let runbook = include_str!("runbooks/down.md");
    Alert::known(AlertName::Down, query, texts, runbook).for_minutes(5).critical()
}

fn stalled(monitored: &Monitored, job: &str) -> Option<Alert> {
    let kinds = monitored.kinds_that_stall();
    let selector =
        select("evenkeel_condition", &[job, &one_of("kind", &kinds), "condition=\"Stalled\"", "status=\"True\""]);
    let query = by("max", &format!("{PLACE}, kind"), &selector);
    let texts = (
        "Objects need a change by a user",
        "{{ $value }} objects of the kind {{ $labels.kind }} are stalled: the operator cannot proceed until a user changes something.",
    );
    let runbook = include_str!("runbooks/stalled.md");
    (!kinds.is_empty()).then(|| Alert::known(AlertName::Stalled, query, texts, runbook).for_minutes(15))
}

fn not_ready(monitored: &Monitored, job: &str) -> Alert {
    let mut selectors: Vec<String> = Vec::new();
    for known in &monitored.reconcilers {
        let kind = one_of("kind", &[&known.kind.resource.kind]);
        for status in ["False", "Unknown", "True"] {
            let conditions = bad_at(known, status);
            if !conditions.is_empty() {
                let matchers = [job, &kind, &one_of("condition", &conditions), &one_of("status", &[status])];
                selectors.push(select("evenkeel_condition", &matchers));
            }
        }
    }
    let bad = format!("sum without (status) ({})", selectors.join(" or "));
    let query = by("max", &format!("{PLACE}, kind, condition"), &bad);
    let texts = (
        "Objects are not ready",
        "{{ $value }} objects of the kind {{ $labels.kind }} have a bad status of the condition {{ $labels.condition }}.",
    );
    Alert::known(AlertName::NotReady, query, texts, include_str!("runbooks/not_ready.md")).for_minutes(30)
}

/// The labels of a value by reconciler.
fn by_controller() -> String {
    format!("{PLACE}, controller")
}

fn failing(monitored: &Monitored, job: &str) -> Alert {
    let controllers = one_of("controller", &monitored.controllers());
    let passes = |metric| by("sum", &by_controller(), &rate(&select(metric, &[job, &controllers]), "10m"));
    let (errors, all) =
        (passes("controller_runtime_reconcile_errors_total"), passes("controller_runtime_reconcile_total"));
    let texts = (
        "Most passes fail",
        "{{ $value | humanizePercentage }} of the passes of the reconciler {{ $labels.controller }} fail.",
    );
    let runbook = include_str!("runbooks/failing.md");
    Alert::known(AlertName::Failing, format!("{errors} / {all}"), texts, runbook).above(0.5).for_minutes(15)
}

fn queue(monitored: &Monitored, job: &str) -> Alert {
    let controllers = one_of("controller", &monitored.controllers());
    let buckets = select("workqueue_queue_duration_seconds_bucket", &[job, &controllers]);
    let texts = (
        "Objects wait long for their pass",
        "99 of 100 objects of the reconciler {{ $labels.controller }} wait up to {{ $value | humanizeDuration }} for their pass.",
    );
    let runbook = include_str!("runbooks/queue.md");
    let query = p99(&buckets, "10m", &by_controller());
    Alert::known(AlertName::Queue, query, texts, runbook).above(60.0).for_minutes(15)
}

/// The threshold is twice the longest timeout. A timeout that differs from object to object is not known here and counts as the default one.
fn stuck(monitored: &Monitored, job: &str) -> Alert {
    let controllers = one_of("controller", &monitored.controllers());
    let longest = select("workqueue_longest_running_processor_seconds", &[job, &controllers]);
    let query = by("max", &by_controller(), &longest);
    let texts = (
        "A pass does not end",
        "A pass of the reconciler {{ $labels.controller }} has run for {{ $value | humanizeDuration }}.",
    );
    Alert::known(AlertName::Stuck, query, texts, include_str!("runbooks/stuck.md"))
        .above(2.0 * monitored.longest_timeout().as_secs_f64())
        .critical()
}

fn panics(monitored: &Monitored, job: &str) -> Alert {
    let controllers = one_of("controller", &monitored.controllers());
    let counter = select("controller_runtime_reconcile_panics_total", &[job, &controllers]);
    let query = by("sum", &by_controller(), &increase(&counter, "15m"));
    let texts = (
        "Passes panic",
        "{{ $value | humanize }} passes of the reconciler {{ $labels.controller }} panicked within 15 minutes.",
    );
    Alert::known(AlertName::Panics, query, texts, include_str!("runbooks/panics.md"))
}

fn watch_broken(job: &str) -> Alert {
    let query = by("max", PLACE, &select("evenkeel_broken_watches", &[job]));
    let texts = (
        "Watches are failing",
        "{{ $value }} watches of a replica of {{ $labels.job }} are failing, so it does not see changes.",
    );
    Alert::known(AlertName::WatchBroken, query, texts, include_str!("runbooks/watch_broken.md"))
        .for_minutes(5)
        .critical()
}
