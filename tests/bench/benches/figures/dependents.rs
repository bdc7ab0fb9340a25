//! The memory of dependents: bytes for each of them while nothing changes, and the size of the status of their component.

use std::collections::BTreeSet;

use allocation_counter::{measure, opt_out};
use evenkeel::__test_hooks::block_here;
use evenkeel::Operator;
use evenkeel_bench::answers::Answers;
use evenkeel_bench::chart::{Chart, NAME as CHART, chart, charts};
use evenkeel_bench::fleet::{Fleet, dependent, fleet, fleets};
use evenkeel_bench::kind::NAMESPACE;
use evenkeel_bench::report::Report;
use evenkeel_bench::table::{Aim, Table};
use evenkeel_testkit::Cluster;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, ListParams, Patch, PatchParams};
use kube::{Client, CustomResourceExt};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::count::{runtime, settle};
use crate::rolled_out::{chatter, rolled_out};
use crate::uncounted::Server;

/// The numbers of components, and of dependents of each. The small ones are compared in tests.
pub(crate) const SIZES: [(usize, usize); 4] = [(1, 1_000), (100, 10), (1, 5_000), (1_000, 10)];

/// The Deployments whose status changes.
const DEPLOYMENTS: usize = 400;

/// The maximum of bytes per dependent.
const BYTES: f64 = 450.0;
/// The maximum of bytes during a roll-out, as a multiple of the text of the manifests.
const PEAK: f64 = 3.0;
/// The maximum of bytes of the status of a component.
const STATUS: f64 = 4096.0;

/// Adds the table for these numbers of components, each with this number of dependents.
pub(crate) fn tables(report: &mut Report, sizes: &[(usize, usize)]) {
    for (components, size) in sizes {
        eprintln!("{components} x {size} dependents ..");
        report.add(&table(*components, *size));
    }
    report.add(&events_table());
    let charts: BTreeSet<usize> =
        sizes.iter().filter(|(components, _)| *components == 1).map(|(_, size)| *size).collect();
    charts.into_iter().for_each(|size| report.add(&chart_table(size)));
}

fn table(components: usize, size: usize) -> Table {
    let (bare, created) = (live(components, 0), live(components, size));
    let all = (components * size) as f64;
    let title = format!("{components} x {size} objects in 8 kinds");
    let text = (0..size).map(|at| dependent("fleet-0000", 1, at).1.to_string().len()).sum::<usize>() as f64;
    let each = format!("manifests of {:.0} B of JSON each", text / size as f64);
    let mut table = Table::new("dependents", &title, &["evenkeel"]).about(&each);
    let of = |live: f64, bare: f64| (live - bare) / all;
    table.row("bytes per dependent, after its creation", &[of(created.created, bare.created)], Aim::AtMost(BYTES));
    table.row("bytes per dependent, after a restart", &[of(created.restarted, bare.restarted)], Aim::AtMost(BYTES));
    table.row("bytes of `status.dependents` of a component", &[created.status], Aim::AtMost(STATUS));
    if components == 1 {
        let peak = (created.peak - bare.created) / text;
        table.row("peak of the roll-out, as a multiple of the text of its manifests", &[peak], Aim::AtMost(PEAK));
    }
    table
}

/// The allocations of events of a Deployment that mean nothing for its component.
fn events_table() -> Table {
    let objects = opted_out(|| rolled_out(0, DEPLOYMENTS));
    let changed = chatter(&objects);
    let kinds =
        objects.iter().map(|(plural, all)| (&**plural, &**all, if plural == "deployments" { &*changed } else { &[] }));
    let answers = Answers::of(&kinds.collect::<Vec<_>>(), &Chart::crd(), DEPLOYMENTS, |work| opt_out(work));
    let runtime: Runtime = runtime();
    runtime.block_on(async {
        let operator = Operator::new("bench").client(answers.client()).namespaces([NAMESPACE]);
        let operator = operator.reconciler::<charts>(());
        tokio::spawn(async { operator.run_until(std::future::pending()).await.expect("it runs") });
    });
    settle(&runtime);
    let events = measure(|| {
        answers.change(2, DEPLOYMENTS);
        settle(&runtime);
    });
    let size: usize = changed.iter().map(|one| one.to_string().len()).sum();
    let each = format!("Deployments of {} B of JSON each", size / DEPLOYMENTS);
    let mut table =
        Table::new("events of dependents", &format!("{DEPLOYMENTS} Deployments"), &["evenkeel"]).about(&each);
    let count = events.count_total as f64 / DEPLOYMENTS as f64;
    table.row("allocations per event that changes nothing", &[count], Aim::AtMost(12.0));
    table
}

fn opted_out<T>(work: impl FnOnce() -> T) -> T {
    let (mut work, mut output) = (Some(work), None);
    opt_out(|| output = work.take().map(|work| work()));
    output.expect("it ran")
}

/// The roll-out of a chart, and its passes.
fn chart_table(size: usize) -> Table {
    let [none, few, all] = [0, size / 2, size].map(chart_cost);
    let each = format!("manifests of {:.0} B of JSON each", all.text / size as f64);
    let mut table = Table::new("dependents of templates", &format!("{size} ConfigMaps"), &["evenkeel"]).about(&each);
    let peak = (all.peak - none.live) / all.text;
    table.row("peak of the roll-out, as a multiple of the text of its manifests", &[peak], Aim::AtMost(PEAK));
    let more = (size - size / 2) as f64;
    let of_each = |cost: fn(&ChartCost) -> f64| (cost(&all) - cost(&few)) / more;
    table.row("allocations of a pass per dependent, nothing changed", &[of_each(|cost| cost.pass)], Aim::AtMost(0.01));
    table
}

/// What a chart costs.
struct ChartCost {
    live: f64,
    peak: f64,
    /// The allocations of a pass in which nothing has changed.
    pass: f64,
    /// The bytes of the manifests.
    text: f64,
}

fn chart_cost(size: usize) -> ChartCost {
    let server = Server::start();
    server.wait(async {
        let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": NAMESPACE } });
        server.cluster.seed(&Chart::crd()).await.unwrap();
        server.cluster.seed(namespace).await.unwrap();
        server.cluster.seed(chart(size, 0)).await.unwrap();
    });
    block_here();
    let runtime: Runtime = runtime();
    let live = measure(|| {
        let client: Client = runtime.block_on(async { server.client() });
        let operator = Operator::new("bench").client(client).namespaces([NAMESPACE]).reconciler::<charts>(());
        let operator = operator.without_short_circuit();
        runtime.spawn(async { operator.run_until(std::future::pending()).await.expect("it runs") });
        settle(&runtime);
        settle(&runtime);
    });
    let touch = |number: usize| {
        let patch = json!({ "metadata": { "annotations": { "bench.evenkeel.dev/touched": number.to_string() } } });
        server.wait(async {
            let charts: Api<Chart> = Api::namespaced(server.cluster.client(), NAMESPACE);
            charts.patch(CHART, &PatchParams::default(), &Patch::Merge(patch)).await.unwrap()
        });
    };
    // The first pass after a roll-out may still look at each object.
    touch(0);
    settle(&runtime);
    touch(1);
    let pass = measure(|| settle(&runtime)).count_total as f64;
    let maps = server.wait(async {
        let maps: Api<ConfigMap> = Api::namespaced(server.cluster.client(), NAMESPACE);
        maps.list(&ListParams::default()).await.unwrap().items
    });
    assert_eq!(maps.len(), size);
    let text = maps.into_iter().map(|mut map| {
        map.metadata.managed_fields = None;
        json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": map.metadata.name, "namespace": NAMESPACE,
            "labels": { "app.kubernetes.io/part-of": CHART, "team": "payments" } }, "data": map.data }).to_string().len()
    });
    let text: usize = text.sum();
    ChartCost { live: live.bytes_current as f64, peak: live.bytes_max as f64, pass, text: text as f64 }
}

/// The live bytes of an operator, and the bytes of the status.
struct Live {
    created: f64,
    /// The most while they were created.
    peak: f64,
    restarted: f64,
    status: f64,
}

fn live(components: usize, size: usize) -> Live {
    let server = Server::start();
    server.wait(prepare(&server.cluster, components, size));
    let (created, peak) = operate(&server);
    let status = server.wait(ready(&server.cluster, components, size));
    let (restarted, _) = operate(&server);
    Live { created, peak, restarted, status }
}

async fn prepare(cluster: &Cluster, components: usize, size: usize) {
    cluster.seed(&Fleet::crd()).await.unwrap();
    cluster.seed(json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": NAMESPACE } })).await.unwrap();
    for number in 0..components {
        cluster.seed(fleet(&format!("fleet-{number:04}"), size)).await.unwrap();
    }
}

/// The live bytes of an operator once nothing changes, and the most before.
fn operate(server: &Server) -> (f64, f64) {
    block_here();
    let runtime: Runtime = runtime();
    let live = measure(|| {
        let client: Client = runtime.block_on(async { server.client() });
        let operator = Operator::new("bench").client(client).namespaces([NAMESPACE]).reconciler::<fleets>(());
        runtime.spawn(async { operator.run_until(std::future::pending()).await.expect("it runs") });
        settle(&runtime);
        settle(&runtime);
    });
    (live.bytes_current as f64, live.bytes_max as f64)
}

/// Checks that all dependents exist and are ready, and returns the largest status in bytes.
async fn ready(cluster: &Cluster, components: usize, size: usize) -> f64 {
    let fleets: Api<Fleet> = Api::namespaced(cluster.client(), NAMESPACE);
    let fleets = fleets.list(&ListParams::default()).await.unwrap().items;
    assert_eq!(fleets.len(), components);
    let bytes = fleets.iter().map(|fleet| {
        let status: Value = json!(fleet.status)["dependents"]["fleets/launch"].clone();
        assert_eq!((&status["readyObjects"], &status["ready"]), (&json!(size), &json!(true)), "{status}");
        json!(fleet.status)["dependents"].to_string().len()
    });
    bytes.max().unwrap_or_default() as f64
}
