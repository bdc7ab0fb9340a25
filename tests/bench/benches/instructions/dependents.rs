//! A chart with its dependents, restarted on pre-rendered answers.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use evenkeel::Operator;
use evenkeel_bench::answers::Answers;
use evenkeel_bench::chart::{Chart, charts};
use evenkeel_bench::hand::{b0_of, b1_of};
use evenkeel_bench::kind::NAMESPACE;
use k8s_openapi::api::apps::v1::Deployment;
use kube::CustomResourceExt;
use serde_json::{Value, json};

use crate::program::{runtime, settle};
use crate::rolled_out::{Objects, chatter as changes, rolled_out};

/// The Deployments of the chart whose dependents change.
const DEPLOYMENTS: usize = 400;
/// The ConfigMaps of the chart that converges.
pub(crate) const MAPS: usize = 5_000;
/// The virtual time for a pass. All of them end before a watch has been silent for so long that its objects are listed again.
const PAUSE: Duration = Duration::from_millis(500);
/// Objects per page of a list.
const PAGE: usize = 500;

/// Rolls the charts out, for the programs under callgrind.
pub(crate) fn prepare() {
    for (maps, deployments) in [(0, DEPLOYMENTS), (MAPS, 0)] {
        eprintln!("{maps} ConfigMaps, {deployments} Deployments ..");
        fs::write(file(maps), serde_json::to_vec(&rolled_out(maps, deployments)).unwrap()).unwrap();
    }
}

fn file(maps: usize) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("chart-{maps}.json"))
}

fn objects(maps: usize) -> Objects {
    serde_json::from_slice(&fs::read(file(maps)).unwrap()).unwrap()
}

fn answers(objects: &Objects, touched: &[Value], changed: &[Value]) -> Answers {
    let changes = [touched, &[], changed];
    let kinds: Vec<_> =
        objects.iter().zip(changes).map(|((plural, all), changes)| (&**plural, &**all, changes)).collect();
    Answers::of(&kinds, &Chart::crd(), PAGE, |work| work())
}

/// Changes of the chart itself that no pass needs.
fn touches(objects: &Objects, count: usize) -> Vec<Value> {
    let touched = |number: usize| {
        let mut chart = objects[0].1[0].clone();
        chart["metadata"]["annotations"]["bench.evenkeel.dev/touched"] = json!(number.to_string());
        chart
    };
    (0..count).map(touched).collect()
}

/// Delivers this many changes of Deployments that mean nothing for their component, to one of the three controllers.
pub(crate) fn chatter(who: &str, count: usize) {
    let objects = objects(0);
    let answers = answers(&objects, &[], &changes(&objects));
    let runtime = runtime();
    let client = runtime.block_on(async { answers.client() });
    match who {
        "ours" => drop(runtime.spawn(operate(Operator::new("bench").client(client).reconciler::<charts>(())))),
        "b0" => drop(runtime.spawn(b0_of::<Deployment>(client))),
        _ => drop(runtime.spawn(b1_of::<Deployment>(client))),
    }
    settle(&runtime);
    answers.change(2, count);
    settle(&runtime);
}

/// Runs this many passes of a set that is as wanted.
pub(crate) fn converge(count: usize) {
    let objects = objects(MAPS);
    let answers = answers(&objects, &touches(&objects, count), &[]);
    let runtime = runtime();
    let client = runtime.block_on(async { answers.client() });
    let operator = Operator::new("bench").client(client).reconciler::<charts>(());
    runtime.spawn(operate(operator.without_short_circuit()));
    settle(&runtime);
    for number in 0..count {
        answers.change_one(0, number);
        runtime.block_on(async { tokio::time::sleep(PAUSE).await });
    }
}

async fn operate(operator: Operator) {
    operator.namespaces([NAMESPACE]).run_until(std::future::pending()).await.unwrap();
}
