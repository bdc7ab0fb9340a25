//! The loop that runs passes: as many at a time as are allowed, each in a task of its own.

use std::future::poll_fn;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use super::curve::Curve;
use super::state::{Ended, Task};
use super::{Key, Next, Queue, QueueConfig, Worker};
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
    loop {
        let free = gate.is_open() && passes.len() < config.concurrency.get();
        if let Some(task) = free.then(|| queue.lock().take()).flatten() {
            passes.spawn(run(worker.clone(), task).in_current_span());
            continue;
        }
        tokio::select! {
            biased;
            () = stop.cancelled() => break,
            // Before the passes: under load one of them has always just ended.
            () = poll_fn(|cx| queue.lock().poll_due(cx)) => {}
            Some(ended) = passes.join_next(), if !passes.is_empty() => finish(&queue, &config, ended.ok()),
            () = queue.0.added.notified() => {}
            () = gate.opened(), if !gate.is_open() => {}
        }
    }
    let ended = async {
        while let Some(ended) = passes.join_next().await {
            finish(&queue, &config, ended.ok());
        }
    };
    if tokio::time::timeout(config.grace, ended).await.is_ok() {
        return Vec::new();
    }
    let dropped = queue.lock().running();
    passes.shutdown().await;
    dropped
}

/// One pass. A panic is a failure of this key, and of nothing else.
async fn run<W: Worker>(worker: Arc<W>, task: Task) -> (Key, Ended) {
    let Task { key, causes, attempt } = task;
    let pass = AssertUnwindSafe(worker.run(&key, causes, attempt)).catch_unwind();
    let (ended, answers) = client::noting(pass).await;
    let next = ended.unwrap_or_else(|panic| {
        tracing::error!(object = %key, panic = text(&*panic), "a pass panicked; it is tried again with back-off");
        Next::Retry { progressed: false, at_least: None }
    });
    let curve = if answers.outage { Curve::OUTAGE } else { Curve::FAILURE };
    (key, Ended { next, curve })
}

fn finish(queue: &Queue, config: &QueueConfig, ended: Option<(Key, Ended)>) {
    // A task fails to join only if the runtime shuts down.
    let Some((key, ended)) = ended else { return };
    let awaits = queue.lock().finish(&key, ended);
    // The watch may have delivered the newer version while the pass was on its way out.
    if let Some(version) = config.version.as_ref().filter(|_| awaits) {
        let held = version(&key);
        queue.lock().seen(&key, held.as_deref());
    }
}

fn text(panic: &(dyn std::any::Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no text")
}
