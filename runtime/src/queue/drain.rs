//! The loop that runs passes: as many at a time as are allowed, each in a task of its own.

use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;

use futures::FutureExt;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use super::curve::Curve;
use super::slots::Slot;
use super::state::{Ended, Task};
use super::{Figures, Key, Next, Queue, QueueConfig, Version, Worker};
use crate::client;
use crate::gate::Gate;

/// Runs passes until `stop`; takes no key while the gate is closed. Then waits for the running ones as long as the grace lasts, drops
/// the rest, and returns their keys.
///
/// # Cancellation
/// Dropping the future drops the running passes.
pub(crate) async fn drain(
    queue: Queue,
    worker: Arc<impl Worker>,
    config: QueueConfig,
    gate: Gate,
    stop: CancellationToken,
) -> Vec<Key> {
    let mut passes = JoinSet::new();
    let mut slots = config.slots.clone();
    let mut alarm = pin!(sleep_until(Instant::now()));
    loop {
        let (due, waits) = queue.wake();
        let wanted = waits && gate.is_open() && passes.len() < config.concurrency.get();
        if let Some(due) = due.filter(|due| *due != alarm.deadline()) {
            alarm.as_mut().reset(due);
        }
        tokio::select! {
            biased;
            () = stop.cancelled() => break,
            slot = slots.next(), if wanted => {
                // Only this loop takes keys, so one still waits.
                let task = queue.lock().take(Instant::now());
                if let Some(task) = task {
                    passes.spawn(run(worker.clone(), task, slot).in_current_span());
                }
            }
            // Before the passes: under load one of them has always just ended.
            () = alarm.as_mut(), if due.is_some() => {}
            Some(ended) = passes.join_next(), if !passes.is_empty() => joined(&queue, &config, ended.ok()),
            () = queue.0.added.notified() => {}
            () = gate.opened(), if !gate.is_open() => {}
        }
    }
    report(&queue);
    let ended = async {
        while let Some(ended) = passes.join_next().await {
            joined(&queue, &config, ended.ok());
        }
    };
    if tokio::time::timeout(config.grace, ended).await.is_ok() {
        return Vec::new();
    }
    let dropped = queue.lock().running();
    passes.shutdown().await;
    dropped
}

/// One pass, in its slot. A panic is a failure of this key, and of nothing else.
pub(super) async fn run<W: Worker>(worker: Arc<W>, task: Task, _slot: Option<Slot>) -> (Key, Ended) {
    let Task { key, causes, attempt } = task;
    let pass = AssertUnwindSafe(worker.run(&key, causes, attempt)).catch_unwind();
    let (ended, answers) = client::noting(pass).await;
    let next = ended.unwrap_or_else(|panic| {
        tracing::error!(object = %key, panic = text(&*panic), "a pass panicked; it is tried again with back-off");
        Next::Retry { progressed: false, at_least: None }
    });
    let curve = if answers.outage { Curve::OUTAGE } else { Curve::FAILURE };
    (key, Ended { next, curve, drawn: rand::random() })
}

fn joined(queue: &Queue, config: &QueueConfig, ended: Option<(Key, Ended)>) {
    // A task fails to join only if the runtime shuts down.
    let Some((key, ended)) = ended else { return };
    finish(queue, config.version.as_ref(), &key, ended);
}

pub(super) fn finish(queue: &Queue, version: Option<&Version>, key: &Key, ended: Ended) {
    let awaits = queue.lock().finish(key, ended, Instant::now());
    // The watch may have delivered the newer version while the pass was on its way out.
    if let Some(version) = version.filter(|_| awaits) {
        let held = version(key);
        queue.lock().seen(key, held.as_deref(), Instant::now());
    }
}

/// Says what the queue has done.
fn report(queue: &Queue) {
    let figures = queue.figures();
    let (depth, Figures { started, running, sleeping, deferred, waited, longest, worked, .. }) =
        (figures.depth(), figures);
    tracing::debug!(started, running, depth, sleeping, deferred, ?waited, ?longest, ?worked, "no further pass starts");
}

fn text(panic: &(dyn std::any::Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no text")
}
