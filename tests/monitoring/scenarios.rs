//! Each alert about reconcilers fires in a scenario that breaks just what it is about.

use std::net::SocketAddr;
use std::num::NonZero;
use std::time::Duration;

use evenkeel::Operator;
use evenkeel::monitoring::{AlertName, AlertSet};
use evenkeel_testkit::{Cluster, Effect, Fault, eventually};
use evenkeel_tests::listener::{listening, samples};
use evenkeel_tests::test_env::{Running, SOON};

use crate::kinds::{OPERATOR, a_task, cluster, long, operator, short};
use crate::promtool::fire;
use crate::recording::Recording;

/// An operator that runs, with its alerts.
struct Stage {
    cluster: Cluster,
    running: Running,
    address: SocketAddr,
    alerts: AlertSet,
}

impl Stage {
    async fn new(change: impl FnOnce(Operator) -> Operator) -> Self {
        let cluster = cluster().await;
        let operator = change(operator(&cluster));
        let alerts = operator.alert_set();
        let (operator, address) = listening(operator);
        Self { cluster, running: Running::start(operator), address, alerts }
    }

    /// Three tasks that end well, and this one.
    async fn with(end: &str) -> (Self, Recording) {
        let stage = Self::new(|operator| operator).await;
        // Prometheus sees a counter rise only if it has seen it before.
        let mut recording = Recording::of(stage.address, 1).await;
        for (name, end) in [("a", "done"), ("b", "done"), ("c", "done"), ("d", end)] {
            stage.cluster.seed(&a_task(name, end)).await.unwrap();
        }
        recording.extend(stage.address, 44).await;
        (stage, recording)
    }

    /// Checks which alerts fire at these minutes, and stops the operator.
    async fn fires(self, recording: &Recording, expected: &[(u64, &[&str])]) {
        self.running.stop().await.unwrap();
        for (minute, expected) in expected {
            fire(&self.alerts, &[recording], *minute, expected);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_fires_while_all_is_well() {
    let (stage, recording) = Stage::with("done").await;
    stage.fires(&recording, &[(1, &[]), (10, &[]), (44, &[])]).await;
}

#[tokio::test(start_paused = true)]
async fn an_object_that_needs_a_user_is_stalled() {
    let (stage, recording) = Stage::with("invalid").await;
    stage.fires(&recording, &[(10, &[]), (20, &["Stalled"]), (40, &["NotReady", "Stalled"])]).await;
}

#[tokio::test(start_paused = true)]
async fn an_object_that_waits_is_not_ready() {
    let (stage, recording) = Stage::with("waiting").await;
    stage.fires(&recording, &[(20, &[]), (40, &["NotReady"])]).await;
}

#[tokio::test(start_paused = true)]
async fn passes_that_fail_again_and_again_are_failing() {
    let (stage, recording) = Stage::with("broken").await;
    stage.fires(&recording, &[(10, &[]), (30, &["Failing"]), (40, &["Failing", "NotReady"])]).await;
}

#[tokio::test(start_paused = true)]
async fn a_panic_is_reported_at_once() {
    let (stage, recording) = Stage::with("panic").await;
    stage.fires(&recording, &[(3, &["Panics"]), (40, &["Failing", "NotReady", "Panics"])]).await;
}

#[tokio::test(start_paused = true)]
async fn objects_that_wait_for_a_worker_fill_the_queue() {
    let stage = Stage::new(|operator| operator.concurrency(const { NonZero::new(1).unwrap() })).await;
    let mut recording = Recording::of(stage.address, 1).await;
    for at in 0..40 {
        stage.cluster.seed(&a_task(&format!("t{at}"), "slow")).await.unwrap();
    }
    recording.extend(stage.address, 30).await;
    stage.fires(&recording, &[(5, &[]), (30, &["Queue"])]).await;
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_is_refused_is_broken() {
    let stage = Stage::new(|operator| operator).await;
    let mut recording = Recording::of(stage.address, 5).await;
    stage.cluster.faults().add(Fault::new(Effect::Forbidden).resource("tasks").always());
    stage.cluster.drop_watches();
    recording.extend(stage.address, 10).await;
    stage.fires(&recording, &[(4, &[]), (14, &["WatchBroken"])]).await;
}

#[tokio::test(start_paused = true)]
async fn an_operator_that_is_not_scraped_is_down() {
    let stage = Stage::new(|operator| operator).await;
    let mut recording = Recording::of(stage.address, 10).await;
    recording.is_down_for(10);
    stage.fires(&recording, &[(9, &[]), (18, &["Down"])]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_pass_that_blocks_its_thread_is_stuck() {
    let cluster = cluster().await;
    let operator = Operator::new(OPERATOR).client(cluster.client()).reconciler::<short::task>(());
    // Twice the time limit of one second.
    let operator = operator.alerts(|set| set.change(AlertName::Stuck, |alert| alert.threshold = 2.0));
    let alerts = operator.alert_set();
    let (operator, address) = listening(operator);
    let running = Running::start(operator);
    tokio::time::sleep(Duration::from_millis(300)).await;
    let mut recording = Recording(vec![Some(samples(address).await)]);
    recording.stays_for(2);
    cluster.seed(&a_task("a", "blocking")).await.unwrap();
    let longest = "workqueue_longest_running_processor_seconds{controller=\"task\",name=\"task\"}";
    let blocked = eventually(SOON, || async {
        let scrape = samples(address).await;
        (scrape[longest] > 2.1).then_some(scrape)
    })
    .await;
    recording.0.push(Some(blocked));
    recording.stays_for(2);
    running.stop().await.unwrap();
    fire(&alerts, &[&recording], 1, &[]);
    fire(&alerts, &[&recording], 4, &["Stuck"]);
}

#[test]
fn a_pass_is_stuck_after_twice_the_longest_time_limit() {
    let threshold = |operator: Operator| {
        let alerts = operator.alert_set().alerts;
        alerts.into_iter().find(|alert| alert.name == AlertName::Stuck.as_str()).unwrap().threshold
    };
    // Time limits below the default one do not lower it.
    assert!((threshold(Operator::new(OPERATOR).reconciler::<short::task>(())) - 600.0).abs() < f64::EPSILON);
    assert!((threshold(Operator::new(OPERATOR).reconciler::<long::task>(())) - 2400.0).abs() < f64::EPSILON);
}
