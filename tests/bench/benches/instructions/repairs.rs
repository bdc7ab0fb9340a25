//! The repair of a child. Each release has two children, and another client changes the second one. The pass writes the second child again
//! and sends nothing for the first one.

use std::fs;
use std::path::PathBuf;
use std::pin::Pin;
use std::time::Duration;

use evenkeel::Operator;
use evenkeel_bench::answers::Answers;
use evenkeel_bench::hand::{Work, b0, b1};
use evenkeel_bench::kind::{NAMESPACE, Release, release, second};
use evenkeel_bench::ours::pair;
use evenkeel_bench::repairs::{Repairs, metadata_only};
use evenkeel_testkit::Cluster;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::core::ApiResource;
use kube::{Client, CustomResourceExt};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::program::{runtime, settle};
use crate::rolled_out::listed;

/// The releases. Each is repaired once before the count, since the first repair of a process reads the children.
pub(crate) const RELEASES: usize = 100;
/// Objects per page of a list.
const PAGE: usize = 100;
/// The time for one repair. All together take less time than a watch may be silent, after which evenkeel lists again.
const REPAIRED: Duration = Duration::from_secs(1);
/// Longer than the operator takes for all releases.
const DONE: Duration = Duration::from_secs(60);

/// The releases and their children.
type Objects = [Vec<Value>; 2];

type Running = Pin<Box<dyn Future<Output = ()> + Send>>;

fn controller(who: &str, client: Client) -> Running {
    let work = Work { children: 2, ..Work::default() };
    match who {
        "ours" => Box::pin(async {
            let operator = Operator::new("bench").client(client).reconciler::<pair>(Default::default());
            operator.run_until(std::future::pending()).await.unwrap();
        }),
        "b0" => Box::pin(b0(client, work, Default::default())),
        _ => Box::pin(b1(client, work, Default::default())),
    }
}

fn name(number: usize) -> String {
    format!("release-{number:08}")
}

/// Lets evenkeel and the tuned operator create the children, for the programs under callgrind.
pub(crate) fn prepare() {
    for who in ["ours", "b1"] {
        fs::write(file(who), serde_json::to_vec(&created(who)).unwrap()).unwrap();
    }
}

/// The objects that the operator finds: B0 those of B1.
fn file(who: &str) -> PathBuf {
    let who = if who == "ours" { who } else { "hand" };
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("repairs-{who}.json"))
}

fn created(who: &str) -> Objects {
    runtime().block_on(async {
        let cluster = Cluster::start().await;
        cluster.seed(&Release::crd()).await.unwrap();
        let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": NAMESPACE } });
        cluster.seed(namespace).await.unwrap();
        for number in 0..RELEASES {
            cluster.seed(release(&name(number))).await.unwrap();
        }
        let running = tokio::spawn(controller(who, cluster.client()));
        sleep(DONE).await;
        running.abort();
        let kinds = [ApiResource::erase::<Release>(&()), ApiResource::erase::<ConfigMap>(&())];
        let [releases, children] = kinds.each_ref().map(|resource| listed(cluster.client(), resource));
        let objects = [releases.await, children.await];
        assert_eq!(objects.each_ref().map(Vec::len), [RELEASES, 2 * RELEASES], "created by {who}");
        objects
    })
}

/// Repairs a child of this many releases.
pub(crate) fn repair(who: &str, count: usize) {
    let [releases, children]: Objects = serde_json::from_slice(&fs::read(file(who)).unwrap()).unwrap();
    let form = |object: &Value| if who == "ours" { metadata_only(object) } else { object.clone() };
    let listed: Vec<Value> = children.iter().map(form).collect();
    let version = |object: &Value| object["metadata"]["resourceVersion"].as_str().unwrap().parse::<usize>().unwrap();
    let newest = releases.iter().chain(&children).map(version).max().unwrap();
    let repairs = Repairs::render("configmaps", &children, newest, 2, form);
    let kinds: [(&str, &[Value], &[Value]); 2] = [("releases", &releases, &[]), ("configmaps", &listed, &[])];
    let answers = Answers::of(&kinds, &Release::crd(), PAGE, |work| work()).writable().repairable(1, repairs);
    let runtime = runtime();
    let client = runtime.block_on(async { answers.client() });
    runtime.spawn(controller(who, client));
    settle(&runtime);
    for number in (0..RELEASES).chain(0..count) {
        answers.damage(&second(&name(number)));
        runtime.block_on(async { sleep(REPAIRED).await });
    }
}
