//! The memory of dependents: bytes for each of them while nothing changes, and the size of the status of their component.

use allocation_counter::measure;
use evenkeel::Operator;
use evenkeel_bench::fleet::{Fleet, fleet, fleets};
use evenkeel_bench::kind::NAMESPACE;
use evenkeel_bench::report::Report;
use evenkeel_bench::table::{Aim, Table};
use evenkeel_testkit::Cluster;
use kube::api::{Api, ListParams};
use kube::{Client, CustomResourceExt};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::count::{runtime, settle};
use crate::uncounted::Server;

/// The numbers of components, and of dependents of each. The small ones are compared in tests.
pub(crate) const SIZES: [(usize, usize); 4] = [(1, 1_000), (100, 10), (1, 5_000), (1_000, 10)];

/// The maximum of bytes per dependent.
const BYTES: f64 = 450.0;
/// The maximum of bytes of the status of a component.
const STATUS: f64 = 4096.0;

/// Adds the table for these numbers of components, each with this number of dependents.
pub(crate) fn tables(report: &mut Report, sizes: &[(usize, usize)]) {
    for (components, size) in sizes {
        eprintln!("{components} x {size} dependents ..");
        report.add(&table(*components, *size));
    }
}

fn table(components: usize, size: usize) -> Table {
    let (bare, created) = (live(components, 0), live(components, size));
    let all = (components * size) as f64;
    let title = format!("{components} x {size} objects in 8 kinds");
    let mut table = Table::new("dependents", &title, &["evenkeel"]);
    let of = |live: f64, bare: f64| (live - bare) / all;
    table.row("bytes per dependent, after its creation", &[of(created.created, bare.created)], Aim::AtMost(BYTES));
    table.row("bytes per dependent, after a restart", &[of(created.restarted, bare.restarted)], Aim::AtMost(BYTES));
    table.row("bytes of `status.dependents` of a component", &[created.status], Aim::AtMost(STATUS));
    table
}

/// The live bytes of an operator, and the bytes of the status.
struct Live {
    created: f64,
    restarted: f64,
    status: f64,
}

fn live(components: usize, size: usize) -> Live {
    let server = Server::start();
    server.wait(prepare(&server.cluster, components, size));
    let created = operate(&server);
    let status = server.wait(ready(&server.cluster, components, size));
    let restarted = operate(&server);
    Live { created, restarted, status }
}

async fn prepare(cluster: &Cluster, components: usize, size: usize) {
    cluster.seed(&Fleet::crd()).await.unwrap();
    cluster.seed(json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": NAMESPACE } })).await.unwrap();
    for number in 0..components {
        cluster.seed(fleet(&format!("fleet-{number:04}"), size)).await.unwrap();
    }
}

/// The live bytes of an operator once nothing changes.
fn operate(server: &Server) -> f64 {
    let runtime: Runtime = runtime();
    let live = measure(|| {
        let client: Client = runtime.block_on(async { server.client() });
        let operator = Operator::new("bench").client(client).namespaces([NAMESPACE]).reconciler::<fleets>(());
        runtime.spawn(async { operator.run_until(std::future::pending()).await.expect("it runs") });
        settle(&runtime);
        settle(&runtime);
    });
    live.bytes_current as f64
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
