//! Components whose API server is slow, or does not answer: in virtual time.

use std::time::Duration;

use evenkeel_bench::fleet::fleet;
use evenkeel_testkit::{Effect, Fault, eventually};
use evenkeel_tests::recording_client::{self, Call};
use evenkeel_tests::widget::{condition, is_ready, message};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::cost::{Life, SIZE, Who, components};

/// The time of each call.
const LATENCY: Duration = Duration::from_millis(20);
/// The calls of a component at the same time.
const CONCURRENCY: u32 = 8;

#[tokio::test(start_paused = true)]
async fn the_calls_of_a_large_set_are_sent_eight_at_a_time() {
    let life = Life::begin(Who::Ours, 1).await;
    let size = 20 * components();
    life.cluster.faults().add(Fault::new(Effect::Latency(LATENCY)).always());
    life.cluster.seed(fleet("fleet-0000", size)).await.unwrap();
    let start = Instant::now();
    while !is_ready(&json!(life.fleets().get("fleet-0000").await.unwrap())) {
        assert!(start.elapsed() < Duration::from_secs(600), "it is never ready");
    }
    let rounds = u32::try_from(size).unwrap() / CONCURRENCY;
    assert!(start.elapsed() <= 2 * rounds * LATENCY, "{:?} for {size} objects", start.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_large_set_on_a_slow_server_does_not_time_out() {
    const SIZE: usize = 1_000;
    let life = Life::begin(Who::Ours, 1).await;
    // Together the calls take longer than the five minutes of a pass.
    life.cluster.faults().add(Fault::new(Effect::Latency(Duration::from_secs(3))).always());
    life.cluster.seed(fleet("fleet-0000", SIZE)).await.unwrap();
    let start = Instant::now();
    while !is_ready(&json!(life.fleets().get("fleet-0000").await.unwrap())) {
        assert!(start.elapsed() < Duration::from_secs(600), "it is never ready");
    }
    assert!(start.elapsed() > Duration::from_secs(300), "{:?}", start.elapsed());
    let calls = life.wire.calls();
    assert!(!calls.iter().any(|call| call.body.contains("TimedOut")), "a pass has timed out");
    let applied = calls.iter().filter(|call| call.is_write() && call.path.contains("/fleet-0000-")).count();
    assert_eq!(applied, SIZE, "each object is applied once");
}

#[tokio::test(start_paused = true)]
async fn an_outage_costs_few_calls_of_each_component_and_recovery_takes_a_minute() {
    const MOST_CALLS: usize = 20;
    let life = Life::begin(Who::Ours, components()).await;
    life.wire.fault(|call| (!call.is_watch()).then_some(recording_client::Fault::Answer(503, None)));
    for name in life.names() {
        life.cluster.seed(fleet(&name, SIZE)).await.unwrap();
    }
    sleep(Duration::from_secs(600)).await;
    let count = |name: String| life.wire.count(|call| call.path.contains(&*name) && !call.is_event());
    let tried: Vec<usize> = life.names().map(count).collect();
    assert!(tried.iter().all(|tried| (1..=MOST_CALLS).contains(tried)), "{tried:?}");
    life.wire.mend();
    sleep(Duration::from_secs(60)).await;
    life.assert_ready().await;
}

#[tokio::test(start_paused = true)]
async fn a_busy_server_does_not_get_the_rest_of_a_wave() {
    let life = Life::begin(Who::Ours, 1).await;
    let is_dependent = |call: &Call| call.is_write() && call.path.contains("/fleet-0000-");
    life.wire.fault(move |call| is_dependent(call).then_some(recording_client::Fault::Answer(429, None)));
    life.cluster.seed(fleet("fleet-0000", 100)).await.unwrap();
    let is_refused = |fleet: &Value| condition(fleet, "Ready").is_some_and(|ready| ready["reason"] == "ServerBusy");
    let read = || async { Some(json!(life.fleets().get("fleet-0000").await.ok()?)).filter(is_refused) };
    let fleet = eventually(Duration::from_secs(60), read).await;
    let sent = life.wire.count(is_dependent);
    assert!((1..=CONCURRENCY as usize).contains(&sent), "{sent}");
    let message = message(&fleet, "Ready");
    assert!(message.ends_with("; and 97 more objects"), "{message}");
    life.wire.mend();
    sleep(Duration::from_secs(60)).await;
    assert!(is_ready(&json!(life.fleets().get("fleet-0000").await.unwrap())));
}
