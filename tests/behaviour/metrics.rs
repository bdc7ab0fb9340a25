//! What is counted of an operator, read as Prometheus reads it.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::num::NonZero;
use std::sync::Arc;
use std::time::Duration;

use evenkeel_tests::listener::{get, listening, samples};
use evenkeel_tests::test_env::{Running, Server, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition, is_ready, widget};
use serde_json::json;

async fn world() -> World {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    world
}

fn start(world: &World, lab: &Arc<Lab>) -> (Running, SocketAddr) {
    let (operator, address) = listening(world.prepare::<widget>(lab.clone()));
    (Running::start(operator), address)
}

/// The samples of these names, without those that are 0.
fn told(samples: &BTreeMap<String, f64>, names: &[&str]) -> BTreeSet<String> {
    let wanted =
        samples.iter().filter(|(name, value)| **value != 0.0 && names.contains(&name.split('{').next().unwrap()));
    wanted.map(|(name, value)| format!("{name} {value}")).collect()
}

fn set(lines: &[&str]) -> BTreeSet<String> {
    lines.iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn every_pass_step_and_call_is_counted_exactly() {
    let world = world().await;
    let (operator, address) = start(&world, &Lab::at("a"));
    for name in ["a", "b", "c"] {
        world.create::<Widget>(a_widget(name, json!({ "child": "x", "record": true, "interval": "10m" }))).await;
    }
    world.create::<Widget>(a_widget("stuck", json!({ "store": "invalid" }))).await;
    for name in ["a", "b", "c"] {
        world.until::<Widget>(name, "ready", is_ready).await;
    }
    world.until::<Widget>("stuck", "told", |object| object["status"]["conditions"].is_array()).await;
    world.quiet().await;
    let samples = samples(address).await;
    let passes = [
        "controller_runtime_reconcile_total",
        "controller_runtime_reconcile_errors_total",
        "controller_runtime_terminal_reconcile_errors_total",
        "controller_runtime_reconcile_time_seconds_count",
    ];
    assert_eq!(
        told(&samples, &passes),
        set(&[
            "controller_runtime_reconcile_total{controller=\"widget\",result=\"requeue_after\"} 3",
            "controller_runtime_reconcile_total{controller=\"widget\",result=\"error\"} 1",
            "controller_runtime_reconcile_errors_total{controller=\"widget\"} 1",
            "controller_runtime_terminal_reconcile_errors_total{controller=\"widget\"} 1",
            "controller_runtime_reconcile_time_seconds_count{controller=\"widget\"} 4",
        ])
    );
    assert_eq!(
        told(&samples, &["evenkeel_step_total", "evenkeel_step_duration_seconds_count"]),
        set(&[
            "evenkeel_step_total{controller=\"widget\",step=\"fetch\",result=\"success\"} 4",
            "evenkeel_step_total{controller=\"widget\",step=\"store\",result=\"success\"} 3",
            "evenkeel_step_total{controller=\"widget\",step=\"store\",result=\"stalled\"} 1",
            "evenkeel_step_duration_seconds_count{controller=\"widget\",step=\"fetch\"} 4",
            "evenkeel_step_duration_seconds_count{controller=\"widget\",step=\"store\"} 4",
        ])
    );
    let writes: BTreeSet<String> = told(&samples, &["evenkeel_api_calls_total"])
        .into_iter()
        .filter(|line| !line.contains("verb=\"list\"") && !line.contains("verb=\"watch\""))
        .collect();
    assert_eq!(
        writes,
        set(&[
            "evenkeel_api_calls_total{verb=\"get\",kind=\"CustomResourceDefinition\",code=\"200\",step=\"\"} 1",
            "evenkeel_api_calls_total{verb=\"patch\",kind=\"Widget\",code=\"200\",step=\"\"} 4",
            "evenkeel_api_calls_total{verb=\"apply\",kind=\"Widget\",code=\"200\",step=\"fetch\"} 4",
            "evenkeel_api_calls_total{verb=\"apply\",kind=\"ConfigMap\",code=\"201\",step=\"store\"} 3",
            "evenkeel_api_calls_total{verb=\"apply\",kind=\"Widget\",code=\"200\",step=\"\"} 4",
            "evenkeel_api_calls_total{verb=\"create\",kind=\"Event\",code=\"201\",step=\"\"} 4",
        ])
        .into_iter()
        .filter(|line| !line.contains("step=\"fetch\""))
        .chain(["evenkeel_api_calls_total{verb=\"apply\",kind=\"Widget\",code=\"200\",step=\"fetch\"} 3".to_owned()])
        .collect()
    );
    let all: f64 =
        samples.iter().filter(|(name, _)| name.starts_with("evenkeel_api_calls_total")).map(|(_, n)| n).sum();
    let requests: f64 =
        samples.iter().filter(|(name, _)| name.starts_with("rest_client_requests_total")).map(|(_, n)| n).sum();
    assert_eq!((all, requests), (world.wire.calls().len() as f64, all), "the wire has seen as many");
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_queue_is_told_to_the_second() {
    let world = world().await;
    let lab = Lab::at("a");
    let (operator, address) =
        listening(world.prepare::<widget>(lab.clone()).concurrency(const { NonZero::new(1).unwrap() }));
    let operator = Running::start(operator);
    world.quiet().await;
    let held = lab.hold.lock().await;
    for name in ["a", "b", "c"] {
        world.create::<Widget>(a_widget(name, json!({}))).await;
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    let names = [
        "workqueue_depth",
        "workqueue_adds_total",
        "workqueue_retries_total",
        "controller_runtime_active_workers",
        "controller_runtime_max_concurrent_reconciles",
    ];
    let samples_now = samples(address).await;
    assert_eq!(
        told(&samples_now, &names),
        set(&[
            "controller_runtime_active_workers{controller=\"widget\"} 1",
            "controller_runtime_max_concurrent_reconciles{controller=\"widget\"} 1",
            "workqueue_adds_total{controller=\"widget\",name=\"widget\"} 3",
            "workqueue_depth{controller=\"widget\",name=\"widget\"} 2",
        ])
    );
    for name in ["workqueue_unfinished_work_seconds", "workqueue_longest_running_processor_seconds"] {
        let time = samples_now[&format!("{name}{{controller=\"widget\",name=\"widget\"}}")];
        assert!((2.0..2.2).contains(&time), "{name}: {time}");
    }
    drop(held);
    for name in ["a", "b", "c"] {
        world.until::<Widget>(name, "ready", is_ready).await;
    }
    world.quiet().await;
    let samples = samples(address).await;
    let of = |name: &str| samples[&format!("{name}{{controller=\"widget\",name=\"widget\"}}")];
    assert_eq!((of("workqueue_queue_duration_seconds_count"), of("workqueue_work_duration_seconds_count")), (3.0, 3.0));
    let (waited, worked) = (of("workqueue_queue_duration_seconds_sum"), of("workqueue_work_duration_seconds_sum"));
    assert!(
        (4.0..4.4).contains(&waited) && (2.0..2.4).contains(&worked),
        "two waited for the first: {waited}, {worked}"
    );
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn failures_retries_panics_and_time_outs_have_counts_of_their_own() {
    let world = world().await;
    let (operator, address) = start(&world, &Lab::at("a"));
    world.quiet().await;
    for (name, fetch) in [("broken", "broken"), ("panic", "panic"), ("hang", "hang"), ("poll", "poll")] {
        world.create::<Widget>(a_widget(name, json!({ "fetch": fetch }))).await;
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let names = ["controller_runtime_reconcile_panics_total", "evenkeel_step_total", "workqueue_retries_total"];
    assert_eq!(
        told(&samples(address).await, &names),
        set(&[
            "controller_runtime_reconcile_panics_total{controller=\"widget\"} 1",
            "evenkeel_step_total{controller=\"widget\",step=\"fetch\",result=\"panic\"} 1",
            "evenkeel_step_total{controller=\"widget\",step=\"fetch\",result=\"transient\"} 1",
            "evenkeel_step_total{controller=\"widget\",step=\"fetch\",result=\"waiting\"} 1",
            "workqueue_retries_total{controller=\"widget\",name=\"widget\"} 2",
        ])
    );
    tokio::time::sleep(Duration::from_secs(3)).await;
    let late = told(&samples(address).await, &["controller_runtime_reconcile_timeouts_total"]);
    assert_eq!(late, set(&["controller_runtime_reconcile_timeouts_total{controller=\"widget\"} 1"]));
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn conditions_are_counted_by_status_and_follow_the_objects() {
    let world = world().await;
    let (operator, address) = start(&world, &Lab::at("a"));
    for (name, fetch) in [("a", "ok"), ("b", "ok"), ("c", "invalid")] {
        world.create::<Widget>(a_widget(name, json!({ "fetch": fetch }))).await;
    }
    world.until::<Widget>("a", "ready", is_ready).await;
    world.until::<Widget>("b", "ready", is_ready).await;
    world.quiet().await;
    let condition = |condition: &str, status: &str| {
        format!("evenkeel_condition{{kind=\"Widget\",condition=\"{condition}\",status=\"{status}\"}}")
    };
    let now = samples(address).await;
    let of = |type_: &str| ["True", "False", "Unknown"].map(|status| now[&condition(type_, status)]);
    assert_eq!((of("Ready"), of("Stalled"), of("Fetched")), ([2.0, 1.0, 0.0], [1.0, 0.0, 0.0], [2.0, 1.0, 0.0]));
    world.api::<Widget>().delete("a", &Default::default()).await.unwrap();
    world.quiet().await;
    assert_eq!(samples(address).await[&condition("Ready", "True")], 1.0);
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn policies_are_counted_and_follow_the_objects() {
    let world = world().await;
    let (operator, address) = start(&world, &Lab::at("a"));
    // Nothing may be said of it.
    world.wire.observers().excuse("b");
    for (name, policy) in [("a", "manage"), ("b", "skip"), ("c", "Skip"), ("d", "")] {
        let mut object = a_widget(name, json!({}));
        object["metadata"]["annotations"] = json!({ "evenkeel.dev/policy": policy });
        world.create::<Widget>(object).await;
    }
    let counted = async || {
        let samples = samples(address).await;
        let of = |policy: &str| samples[&format!("evenkeel_policy{{controller=\"widget\",policy=\"{policy}\"}}")];
        ["manage", "skip", "detach-on-delete", "unknown"].map(of)
    };
    world.quiet().await;
    assert_eq!(counted().await, [2.0, 1.0, 0.0, 1.0]);
    let detach = json!({ "metadata": { "annotations": { "evenkeel.dev/policy": "detach-on-delete" } } });
    world.merge::<Widget>("c", detach).await;
    world.delete::<Widget>("a").await;
    world.quiet().await;
    assert_eq!(counted().await, [1.0, 1.0, 1.0, 0.0]);
    operator.stop().await.unwrap();
}

/// The series there are, whatever their values; a code may come late.
async fn series(address: SocketAddr) -> BTreeSet<String> {
    samples(address).await.into_keys().collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_objects_add_no_series() {
    let world = world().await;
    let (operator, address) = start(&world, &Lab::at("a"));
    let fill = async |from: usize, to: usize| {
        for at in from..to {
            world.create::<Widget>(a_widget(&format!("w{at}"), json!({ "child": "x" }))).await;
        }
        world.until::<Widget>(&format!("w{}", to - 1), "ready", is_ready).await;
    };
    fill(0, 3).await;
    world.quiet().await;
    let few = series(address).await;
    fill(3, 1003).await;
    world.quiet().await;
    let many = series(address).await;
    assert_eq!(many.difference(&few).collect::<Vec<_>>(), Vec::<&String>::new());
    assert_eq!(
        samples(address).await["controller_runtime_reconcile_total{controller=\"widget\",result=\"success\"}"],
        1003.0
    );
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn the_text_is_what_prometheus_reads() {
    let world = world().await;
    let (operator, address) = start(&world, &Lab::at("a"));
    world.quiet().await;
    let answer = get(address, "/metrics").await;
    assert!(
        answer.head.contains("content-type: application/openmetrics-text; version=1.0.0; charset=utf-8"),
        "{}",
        answer.head
    );
    assert!(answer.body.ends_with("# EOF\n"));
    for family in [
        "controller_runtime_reconcile counter",
        "controller_runtime_reconcile_time_seconds histogram",
        "workqueue_depth gauge",
        "workqueue_adds counter",
        "evenkeel_condition gauge",
    ] {
        assert_eq!(answer.body.matches(&format!("# TYPE {family}\n")).count(), 1, "{family}\n{}", answer.body);
    }
    operator.stop().await.unwrap();
}
