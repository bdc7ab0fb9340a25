//! A queue while the API server does not respond.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::{RETRY, key};
use crate::leadership::{Leadership, ShardGates};
use crate::queue::{Attempt, Key, PassOutput, Queue, QueueConfig, TriggerSet, Worker, drain};
use crate::trigger::EnabledTriggers;

/// Each pass fails, since the server does not respond.
struct Unanswered {
    started: Instant,
    times: Mutex<Vec<f64>>,
}

impl Worker for Unanswered {
    async fn run(&self, _: &Key, _: TriggerSet, _: Attempt) -> PassOutput {
        self.times.lock().unwrap().push(self.started.elapsed().as_secs_f64());
        PassOutput { outage: true, ..RETRY.into() }
    }
}

#[tokio::test(start_paused = true)]
async fn an_outage_costs_few_calls_and_retries_within_a_minute() {
    let config = QueueConfig::default();
    let queue = Queue::new(EnabledTriggers::default(), config.rate.clone());
    let worker = Arc::new(Unanswered { started: Instant::now(), times: Mutex::default() });
    let stop = CancellationToken::new();
    tokio::spawn(drain(queue.clone(), worker.clone(), config, ShardGates::one(Leadership::open()), stop));
    queue.add(&key("a"), TriggerSet::GENERATION);
    sleep(Duration::from_secs(600)).await;
    let times = worker.times.lock().unwrap();
    assert!(times.len() <= 22, "{}", times.len());
    assert!(times.windows(2).all(|pair| pair[1] - pair[0] <= 50.1));
}
