//! `hello` compared with plain kube-rs: the same view for users, the cost on the server, and the number of lines.
#![allow(missing_docs, dead_code, unreachable_pub, reason = "the operators are programs")]
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[path = "../src/bin/hello.rs"]
mod hello;
#[path = "../src/bin/plain.rs"]
mod plain;

use std::collections::BTreeMap;
use std::future::pending;
use std::time::Duration;

use evenkeel::Operator;
use evenkeel_testkit::{Cluster, Effect, Fault, Verb, eventually};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, DeleteParams, Patch, PatchParams};
use kube::core::CustomResourceExt;
use kube::runtime::{conditions, wait};
use serde_json::json;
use tokio::time::sleep;

const SOON: Duration = Duration::from_secs(30);
const GREETING: &str = "{apiVersion: demo.evenkeel.dev/v1, kind: Greeting, metadata: {name: g}, spec: {name: you}}";

/// The conditions of an object, each with status and reason, and their generation.
type View = (BTreeMap<String, String>, Option<i64>);

async fn view(cluster: &Cluster) -> View {
    let object = Api::<plain::Greeting>::default_namespaced(cluster.client()).get("g").await.unwrap();
    let status = object.status.unwrap_or_default();
    let conditions = status.conditions.into_iter().map(|c| (c.type_, format!("{} {}", c.status, c.reason)));
    (conditions.collect(), status.observed_generation)
}

async fn text(cluster: &Cluster) -> Option<String> {
    let maps = Api::<ConfigMap>::default_namespaced(cluster.client());
    maps.get_opt("g").await.unwrap()?.data?.remove("text")
}

async fn until(cluster: &Cluster, ready: &str) -> View {
    let is = |view: &View| view.0.get("Ready").is_some_and(|is| is.starts_with(ready));
    eventually(SOON, || async { Some(view(cluster).await).filter(is) }).await
}

/// The views during a life (created, changed while the ConfigMap is refused, fixed, drifted, idle for a day), and the number of write
/// requests in that day.
async fn life(cluster: &Cluster) -> (Vec<View>, usize) {
    let definitions = Api::all(cluster.client());
    let params = PatchParams::apply("test").force();
    definitions.patch(hello::Greeting::crd_name(), &params, &Patch::Apply(hello::Greeting::crd())).await.unwrap();
    wait::await_condition(definitions, hello::Greeting::crd_name(), conditions::is_crd_established()).await.unwrap();
    cluster.seed(GREETING).await.unwrap();
    let mut seen = vec![until(cluster, "True").await];
    assert_eq!(text(cluster).await.as_deref(), Some("Hello, you!"));
    cluster.faults().add(Fault::new(Effect::Forbidden).verb(Verb::Patch).resource("configmaps").always());
    let api = Api::<plain::Greeting>::default_namespaced(cluster.client());
    let change = Patch::Merge(json!({ "spec": { "name": "all" } }));
    api.patch("g", &PatchParams::default(), &change).await.unwrap();
    seen.push(until(cluster, "False").await);
    cluster.faults().clear();
    seen.push(until(cluster, "True").await);
    let maps = Api::<ConfigMap>::default_namespaced(cluster.client());
    maps.delete("g", &DeleteParams::default()).await.unwrap();
    assert_eq!(eventually(SOON, || text(cluster)).await, "Hello, all!");
    // The next resync stores the digest of the corrected child. Then no write is pending.
    sleep(Duration::from_secs(3600)).await;
    cluster.log().clear();
    sleep(Duration::from_secs(24 * 3600)).await;
    let written = cluster.log().requests().writes().count();
    seen.push(view(cluster).await);
    (seen, written)
}

#[tokio::test(start_paused = true)]
async fn both_operators_look_the_same_to_users() {
    let (ours, theirs) = (Cluster::start().await, Cluster::start().await);
    let operator = async {
        // The test installs the CRD.
        eventually(SOON, || async { is_served(&ours).await.then_some(()) }).await;
        Operator::new("greeter")
            .reconciler::<hello::greeting>(())
            .client(ours.client())
            .run_until(pending::<()>())
            .await
    };
    let (by_us, our_writes) = tokio::select! { seen = life(&ours) => seen, ended = operator => panic!("{ended:?}") };
    let controller = async {
        eventually(SOON, || async { is_served(&theirs).await.then_some(()) }).await;
        plain::run(theirs.client()).await;
    };
    let (by_hand, their_writes) =
        tokio::select! { seen = life(&theirs) => seen, () = controller => panic!("it ended") };
    assert_eq!(by_us, by_hand);
    assert_eq!((our_writes, their_writes), (0, 144), "requests to write in a day without changes");
    assert_eq!(by_us[1].0["Reconciling"], "True ProgressingWithRetry");
}

async fn is_served(cluster: &Cluster) -> bool {
    Api::<plain::Greeting>::default_namespaced(cluster.client()).list(&kube::api::ListParams::default()).await.is_ok()
}

/// Counts lines without blank lines, comments, imports, attributes and lines of closing brackets only.
fn significant(file: &str) -> usize {
    let mut open = false;
    let text = file.lines().map(str::trim).filter(|line| {
        let skip = open || line.starts_with("#[") || line.starts_with("#![");
        open = skip && !line.ends_with(']');
        !skip && !line.is_empty() && !line.starts_with("//") && !line.starts_with("use ")
    });
    text.filter(|line| !line.chars().all(|c| "}]);,".contains(c))).count()
}

/// Counts lines without blank lines and comments.
fn lines(file: &str) -> usize {
    file.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

#[test]
fn the_operator_takes_a_fraction_of_the_lines() {
    let (ours, theirs) = (include_str!("../src/bin/hello.rs"), include_str!("../src/bin/plain.rs"));
    let table = [significant(ours), significant(theirs), lines(ours), lines(theirs)];
    println!("significant lines: {} and {}; of code: {} and {}", table[0], table[1], table[2], table[3]);
    assert!(significant(ours) <= 15, "{table:?}");
    assert!(lines(ours) * 10 <= lines(theirs) * 4, "at most two fifths: {table:?}");
}
