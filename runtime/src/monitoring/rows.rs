//! The rows of the dashboard: overview, one for each reconciler, calls, process, leases and webhooks.

use super::monitored::Monitored;
use super::panel::{Panel, Row};
use super::query::{by, one_of, p99, rate, select};
use crate::introspection::ReconcilerInfo;

/// The matchers of all series: the job and the namespaces that the user selects.
const JOB: &str = "job=\"$job\"";
const NAMESPACE: &str = "namespace=~\"$namespace\"";
/// The time over which counters are averaged, which Grafana derives from the scrape interval.
const WINDOW: &str = "$__rate_interval";

/// The rows, from top to bottom.
pub(super) fn rows(monitored: &Monitored) -> Vec<Row> {
    let overview = (!monitored.reconcilers.is_empty()).then(|| overview(monitored));
    let reconcilers = monitored.reconcilers.iter().map(reconciler);
    let leases = monitored.elects.then(leases);
    let webhooks = monitored.serves_webhooks.then(|| webhooks(monitored));
    overview.into_iter().chain(reconcilers).chain([calls(), process()]).chain(leases).chain(webhooks).collect()
}

/// The series of a metric with these further matchers.
fn series(metric: &str, matchers: &[&str]) -> String {
    select(metric, &[&[JOB, NAMESPACE], matchers].concat())
}

/// The rise of a counter per second, by these labels.
fn per_second(labels: &str, metric: &str, matchers: &[&str]) -> String {
    by("sum", labels, &rate(&series(metric, matchers), WINDOW))
}

fn overview(monitored: &Monitored) -> Row {
    let controllers = one_of("controller", &monitored.controllers());
    let own = |metric: &str| series(metric, &[&controllers]);
    let speed = |metric: &str| per_second("controller", metric, &[&controllers]);
    let errors = speed("controller_runtime_reconcile_errors_total");
    let waits = p99(&own("workqueue_queue_duration_seconds_bucket"), WINDOW, "controller");
    let panels = vec![
        Panel::new("Passes", "Passes per second, by reconciler.")
            .unit("ops")
            .query(speed("controller_runtime_reconcile_total"), "{{controller}}"),
        Panel::new("Errors", "The share of passes that fail, by reconciler.")
            .unit("percentunit")
            .query(format!("{errors} / {}", speed("controller_runtime_reconcile_total")), "{{controller}}"),
        Panel::new("Queue depth", "Objects that wait for a pass.")
            .query(by("sum", "controller", &own("workqueue_depth")), "{{controller}}"),
        Panel::new("Time in the queue", "99 of 100 objects wait at most this long for their pass.")
            .unit("s")
            .query(waits, "{{controller}}"),
        Panel::new("Workers", "Passes that run, and how many may run at a time.")
            .query(by("sum", "controller", &own("controller_runtime_active_workers")), "{{controller}}")
            .query(
                by("max", "controller", &own("controller_runtime_max_concurrent_reconciles")),
                "{{controller}}: limit",
            ),
        Panel::new("Longest running pass", "How long the pass that runs longest has run.")
            .unit("s")
            .query(by("max", "controller", &own("workqueue_longest_running_processor_seconds")), "{{controller}}"),
    ];
    Row { title: "Overview".to_owned(), panels }
}

fn reconciler(known: &ReconcilerInfo) -> Row {
    let (name, kind) = (known.wiring.name, &known.kind.resource.kind);
    let controller = one_of("controller", &[name]);
    let times = |metric: &str, labels: &str| p99(&series(metric, &[&controller]), WINDOW, labels);
    let results = per_second("result", "controller_runtime_reconcile_total", &[&controller]);
    let mut panels = vec![
        Panel::new("Passes by result", "Passes per second, by result.").unit("ops").query(results, "{{result}}"),
        Panel::new("Time of a pass", "99 of 100 passes take at most this long.")
            .unit("s")
            .query(times("controller_runtime_reconcile_time_seconds_bucket", "controller"), "{{controller}}"),
    ];
    if known.wiring.all_steps().next().is_some() {
        let time = times("evenkeel_step_duration_seconds_bucket", "step");
        let help = "99 of 100 runs of each step take at most this long.";
        panels.push(Panel::new("Time of the steps", help).unit("s").query(time, "{{step}}"));
    }
    panels.extend(known.wiring.all_steps().map(|step| {
        let runs = per_second("result", "evenkeel_step_total", &[&controller, &one_of("step", &[step.name])]);
        Panel::new(format!("Step {}", step.name), "Runs of the step per second, by result.")
            .unit("ops")
            .query(runs, "{{result}}")
    }));
    panels.extend(conditions(known).map(|condition| {
        let selector = series("evenkeel_condition", &[&one_of("kind", &[kind]), &one_of("condition", &[condition])]);
        Panel::new(format!("Condition {condition}"), "Objects by the status of the condition.")
            .query(by("max", "status", &selector), "{{status}}")
    }));
    Row { title: format!("{name} ({kind})"), panels }
}

/// The summary, the further summaries, the declared conditions and those of the framework.
fn conditions(known: &ReconcilerInfo) -> impl Iterator<Item = &'static str> + use<> {
    let framework = known.wiring.framework_types().iter().copied();
    [known.wiring.summary_type()].into_iter().chain(known.wiring.condition_types()).chain(framework)
}

fn calls() -> Row {
    let failed = "code=~\"4..|5..|<error>\"";
    let metric = "evenkeel_api_calls_total";
    // Calls outside of steps have an empty step, which Grafana would show as a line without a name.
    let by_step =
        format!("label_replace({}, \"step\", \"framework\", \"step\", \"\")", per_second("step", metric, &[]));
    let panels = vec![
        Panel::new(
            "Calls by step",
            "Calls to the API server per second. Those outside of steps are shown as `framework`.",
        )
        .unit("reqps")
        .query(by_step, "{{step}}"),
        Panel::new("Calls by verb and kind", "Calls to the API server per second.")
            .unit("reqps")
            .query(per_second("verb, kind", metric, &[]), "{{verb}} {{kind}}"),
        Panel::new("Failed calls", "Calls that the API server refused or did not answer, per second.")
            .unit("reqps")
            .query(per_second("code, verb, kind", metric, &[failed]), "{{code}} {{verb}} {{kind}}"),
    ];
    Row { title: "API server".to_owned(), panels }
}

fn process() -> Row {
    let per_replica = |metric: &str| by("max", "instance", &series(metric, &[]));
    let panels = vec![
        Panel::new("Memory", "The memory of each replica.")
            .unit("bytes")
            .query(per_replica("process_resident_memory_bytes"), "{{instance}}"),
        Panel::new("Broken watches", "Watches that are failing; /readyz lists them.")
            .query(per_replica("evenkeel_broken_watches"), "{{instance}}"),
    ];
    Row { title: "Process".to_owned(), panels }
}

fn leases() -> Row {
    let leaders = by("max", "name, instance", &series("leader_election_master_status", &[]));
    let panel = Panel::new("Leader", "1 for the replica that holds the lease.").query(leaders, "{{name}} {{instance}}");
    Row { title: "Leases".to_owned(), panels: vec![panel] }
}

fn webhooks(monitored: &Monitored) -> Row {
    let mut panels = Vec::new();
    if monitored.reviews {
        let reviews = per_second("function, result", "evenkeel_admission_reviews_total", &[]);
        let buckets = series("evenkeel_admission_review_duration_seconds_bucket", &[]);
        panels.push(
            Panel::new("Reviews", "Reviews of writes per second.")
                .unit("ops")
                .query(reviews, "{{function}} {{result}}"),
        );
        panels.push(
            Panel::new("Time of a review", "99 of 100 reviews take at most this long.")
                .unit("s")
                .query(p99(&buckets, WINDOW, "function"), "{{function}}"),
        );
    }
    if monitored.converts {
        let conversions = per_second("crd, version, result", "evenkeel_conversions_total", &[]);
        let panel = Panel::new("Conversions", "Converted objects per second, by CRD and version.").unit("ops");
        panels.push(panel.query(conversions, "{{crd}} {{version}} {{result}}"));
    }
    let expires = by("min", "instance", &series("evenkeel_webhook_certificate_expiration_timestamp_seconds", &[]));
    let writes = per_second("instance", "evenkeel_webhook_bundle_writes_total", &[]);
    panels.extend([
        Panel::new("Life of the certificate", "The time until the certificate of the webhook server expires.")
            .unit("s")
            .query(format!("{expires} - time()"), "{{instance}}"),
        Panel::new("Bundle writes", "Writes of the bundle into webhook configurations per second.")
            .unit("ops")
            .query(writes, "{{instance}}"),
    ]);
    Row { title: "Webhooks".to_owned(), panels }
}
