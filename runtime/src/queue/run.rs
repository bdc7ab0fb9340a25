//! The loop that runs passes, each in its own task, up to the concurrency limit.

use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use super::Queue;
use super::after_pass::AfterPassTasks;
use super::concurrency::Slot;
use super::config::{CachedVersionFn, QueueConfig};
use super::key::Key;
use super::next::Next;
use super::state::{FinishedPass, Task};
use super::stats::QueueStats;
use super::worker::{AfterPass, PassOutput, Worker};
use crate::backoff::Backoff;
use crate::leadership::{PassPermit, ShardGates};
use crate::random::uniform;

/// A pass that has ended, with its after-pass work.
type Done = (Key, FinishedPass, Option<AfterPass>);

/// Time limit for dropping passes: each ends at its next await point.
const DROPPING: Duration = Duration::from_millis(500);

/// Runs passes until `stop`. While all gates are closed or the pause is on, no key is taken.
/// After the stop it waits for running passes up to the shutdown timeout, drops the rest, and returns their keys. A pass that blocks its
/// thread cannot be dropped and keeps running.
///
/// # Cancellation
/// Dropping the future drops the running passes.
pub(crate) async fn drain(
    queue: Queue,
    worker: Arc<impl Worker>,
    config: QueueConfig,
    gates: ShardGates,
    stop: CancellationToken,
) -> Vec<Key> {
    let (mut passes, mut tails) = (JoinSet::new(), AfterPassTasks::default());
    let mut slots = config.slots.clone();
    let mut alarm = pin!(sleep_until(Instant::now()));
    loop {
        let (due, waits) = queue.enqueue_due();
        let most = config.concurrency.get();
        let may_start = gates.may_start() && !config.pause.is_on();
        let wanted = waits && may_start && passes.len() < most && tails.len() <= most;
        if let Some(due) = due.filter(|due| *due != alarm.deadline()) {
            alarm.as_mut().reset(due);
        }
        tokio::select! {
            biased;
            () = stop.cancelled() => break,
            slot = slots.next(), if wanted => {
                // Only this loop takes keys, so one is still queued; but the pause may have begun meanwhile.
                let task = if config.pause.is_on() { None } else { queue.lock().take(Instant::now()) };
                if let Some(task) = task {
                    let permit = gates.pass(|| worker.uid(&task.key));
                    passes.spawn(run(worker.clone(), task, permit, slot).in_current_span().boxed());
                }
            }
            // Before the passes: under load one of them has always just ended.
            () = alarm.as_mut(), if due.is_some() => {}
            Some(ended) = passes.join_next(), if !passes.is_empty() => joined(&queue, &config, &mut tails, ended.ok()),
            Some(()) = tails.next(), if tails.len() > 0 => {}
            () = queue.0.added.notified() => {
                if gates.is_leased() && !gates.may_start() {
                    queue.lock().prune(|key| worker.is_known(key));
                }
            }
            () = gates.opened(), if !gates.may_start() => {}
            () = config.pause.over(), if config.pause.is_on() => {}
        }
    }
    report(&queue);
    let ended = async {
        loop {
            tokio::select! {
                Some(ended) = passes.join_next() => joined(&queue, &config, &mut tails, ended.ok()),
                Some(()) = tails.next() => {}
                else => break,
            }
        }
    };
    if tokio::time::timeout(config.shutdown_timeout, ended).await.is_ok() {
        return Vec::new();
    }
    tails.warn();
    let dropped = queue.lock().running();
    let _ = tokio::time::timeout(DROPPING, passes.shutdown()).await;
    dropped
}

/// Runs one pass in its slot, and drops it when its permit ends. A panic is a failure of this key only. It is spawned in a box: tokio aligns
/// a task to 128 bytes, which takes malloc longer, the larger the task is.
pub(super) async fn run<W: Worker>(
    worker: Arc<W>,
    task: Task,
    permit: Option<PassPermit>,
    _slot: Option<Slot>,
) -> Done {
    let Task { key, triggers, attempt } = task;
    let failure = worker.backoff();
    let ended = permitted(permit.as_ref(), AssertUnwindSafe(worker.run(&key, triggers, attempt)).catch_unwind()).await;
    let ended = ended.unwrap_or_else(|| Ok(worker.dropped(&key).into()));
    let PassOutput { next, tail, outage } = ended.unwrap_or_else(|panic| {
        tracing::error!(object = %key, panic = text(&*panic), "the pass panicked; retrying with back-off");
        Next::NotStarted { at_least: None }.into()
    });
    let curve = if outage { Backoff::OUTAGE } else { failure };
    (key, FinishedPass { next, curve, drawn: uniform() }, tail)
}

/// Runs the future until its permit ends; `None`: it was dropped then.
async fn permitted<F: Future>(permit: Option<&PassPermit>, future: F) -> Option<F::Output> {
    let future = pin!(future);
    let Some(permit) = permit else { return Some(future.await) };
    tokio::select! {
        biased;
        () = permit.expired() => None,
        output = future => Some(output),
    }
}

fn joined(queue: &Queue, config: &QueueConfig, tails: &mut AfterPassTasks, ended: Option<Done>) {
    // A task fails to join only if the runtime shuts down.
    let Some((key, ended, tail)) = ended else { return };
    if let Some(tail) = tail {
        tails.add(&key, tail);
    }
    finish(queue, config.version.as_ref(), &key, ended);
}

pub(super) fn finish(queue: &Queue, version: Option<&CachedVersionFn>, key: &Key, ended: FinishedPass) {
    let awaits = queue.lock().finish(key, ended, Instant::now());
    // The watch may have delivered the newer version while the pass was ending.
    if let Some(version) = version.filter(|_| awaits) {
        let held = version(key);
        queue.lock().seen(key, held.as_deref(), Instant::now());
    }
}

/// Logs the statistics of the queue.
fn report(queue: &Queue) {
    let figures = queue.figures();
    let (depth, QueueStats { started, running, sleeping, deferred, waited, longest, worked, .. }) =
        (figures.depth(), figures);
    tracing::debug!(started, running, depth, sleeping, deferred, ?waited, ?longest, ?worked, "no further pass starts");
}

fn text(panic: &(dyn std::any::Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no text")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logged::logged;
    use crate::queue::TriggerSet;

    #[test]
    fn a_panic_message_is_extracted_from_any_payload() {
        assert_eq!(text(&"borrowed"), "borrowed");
        assert_eq!(text(&String::from("owned")), "owned");
        assert_eq!(text(&7_u8), "no text");
    }

    #[test]
    fn a_stopped_queue_logs_its_statistics() {
        let queue = Queue::default();
        queue.add(&Key::new(None, "a"), TriggerSet::GENERATION);
        let lines = logged(|| report(&queue));
        let found = lines.iter().any(|line| line.starts_with("no further pass starts") && line.contains(" depth=1"));
        assert!(found, "{lines:?}");
    }
}
