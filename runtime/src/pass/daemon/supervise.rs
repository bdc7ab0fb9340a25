//! Runs one daemon of one object: restarts it after a failure, and pauses it while another replica may be active.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ObjectReference;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::backoff::Backoff;
use crate::leadership::{Leadership, ShardGates};
use crate::outcome::retry::Retry;
use crate::outcome::{Class, PassError};
use crate::pass::code_end::{CodeEnd, run_code};
use crate::pass::report::event::{Recorder, publish, to_send};
use crate::pipeline::daemon::Daemon;
use crate::pipeline::dyn_reconciler::DynReconciler;
use crate::pipeline::hook::Event;
use crate::pipeline::object::Object;
use crate::queue::meter::Meter;
use crate::queue::{Key, Queue, TriggerSet};
use crate::wiring::DaemonHandler;

/// What all daemons of a reconciler share.
pub(in crate::pass) struct DaemonSetup {
    pub(in crate::pass) reconciler: Arc<dyn DynReconciler>,
    pub(in crate::pass) recorder: Arc<Recorder>,
    pub(in crate::pass) queue: Queue,
    pub(in crate::pass) shard_gates: ShardGates,
    /// Stops all of them.
    pub(in crate::pass) stop: CancellationToken,
    pub(in crate::pass) meter: Meter,
    pub(in crate::pass) backoff: Backoff,
}

/// One daemon of one object.
pub(super) struct Task {
    pub(super) setup: Arc<DaemonSetup>,
    pub(super) handler: &'static DaemonHandler,
    pub(super) key: Key,
    pub(super) object: Arc<Object>,
    /// The object in events.
    pub(super) about: ObjectReference,
}

/// Runs the daemon until it has nothing more to do.
pub(super) async fn supervise(task: Task) {
    let mut failures = 0;
    loop {
        let (ended, lasted) = while_permitted(task.setup.shard_gates.of(|| Some(task.object.uid())), || async {
            let began = Instant::now();
            (task.run().await, began.elapsed())
        })
        .await;
        let Some(error) = ended else { return tracing::debug!("the daemon has ended") };
        // It ran well for longer than the longest pause.
        if lasted > task.setup.backoff.cap {
            failures = 0;
        }
        let pause = task.pause(&error, failures);
        failures += 1;
        task.report(&error, pause).await;
        let Some(pause) = pause else { return };
        sleep(pause).await;
    }
}

/// Runs the code until it returns. Drops it while this process may not write, and then starts it again.
async fn while_permitted<F: Future>(gate: &Leadership, run: impl Fn() -> F) -> F::Output {
    loop {
        gate.opened().await;
        let permit = gate.permit();
        tokio::select! {
            biased;
            () = permit.expired() => {}
            ended = run() => return ended,
        }
    }
}

/// Counts a daemon as running, and as stopped if it is dropped.
struct Counted<'t> {
    task: &'t Task,
    how: &'static str,
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.task.setup.meter.record(|counts| counts.daemon_ended(self.task.handler.step.name, self.how));
    }
}

impl Task {
    /// Runs the daemon once and returns its error, if it failed.
    async fn run(&self) -> Option<PassError> {
        let name = self.handler.step.name;
        self.setup.meter.record(|counts| counts.daemon_started(name));
        let mut counted = Counted { task: self, how: "stopped" };
        let (queue, key) = (self.setup.queue.clone(), self.key.clone());
        let handle = Daemon::new(move || queue.add(&key, TriggerSet::TRIGGERED));
        let limit = self.handler.timeout.unwrap_or(Duration::MAX);
        let (how, error) =
            match run_code(limit, (self.handler.run)(&*self.object, self.setup.reconciler.deps(), &handle)).await {
                CodeEnd::Returned(Ok(())) => ("success", None),
                CodeEnd::Returned(Err(error)) => (error.class.as_str(), Some(error)),
                CodeEnd::Panicked(text) => {
                    ("panic", Some(PassError::mishap("Panicked", &format!("{} panicked: {text}", self.part()))))
                }
                CodeEnd::TimedOut(limit) => ("timeout", Some(PassError::timed_out(&self.part(), limit))),
            };
        counted.how = how;
        error.filter(|error| error.class != Class::Ignored)
    }

    fn part(&self) -> String {
        format!("the daemon `{}`", self.handler.step.name)
    }

    /// The time until the next run; `None`: it does not run again for this version of the object.
    fn pause(&self, error: &PassError, failures: u32) -> Option<Duration> {
        match error.class {
            Class::Stalled | Class::Ignored => None,
            Class::Waiting { poll: Some(poll) } => Some(poll.max(Backoff::FAST.base)),
            Class::Waiting { poll: None } => Some(Backoff::FAST.delay(failures)),
            Class::Transient => Some(match error.retry {
                Retry::Fast => Backoff::FAST.delay(failures),
                Retry::Slow => self.setup.backoff.delay(failures),
                Retry::VerySlow => Retry::HOUR,
                Retry::After(pause) => pause,
            }),
        }
    }

    /// Logs the failure and emits an event.
    async fn report(&self, error: &PassError, pause: Option<Duration>) {
        match pause {
            Some(pause) => tracing::warn!(%error, ?pause, "the daemon failed; restarting it after the pause"),
            None => tracing::warn!(%error, "the daemon failed; it starts again when the spec changes"),
        }
        let note = format!("{} failed: {}", self.part(), error.message);
        let event = to_send(&Event { level: error.actions.event, reason: error.reason.to_owned(), note });
        let events = event.into_iter().map(|event| (event, self.about.clone())).collect();
        publish(self.setup.recorder.clone(), events).await;
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_daemon_runs_only_while_the_process_may_write() {
        let (gate, running) = (Leadership::open(), Arc::new(AtomicUsize::new(0)));
        let (own, counted) = (gate.clone(), running.clone());
        let task = tokio::spawn(async move {
            while_permitted(&own, || async {
                counted.fetch_add(1, Ordering::SeqCst);
                let _ended = Ended(&counted);
                pending::<()>().await;
            })
            .await;
        });
        let after = async |change: fn(&Leadership)| {
            change(&gate);
            sleep(Duration::from_secs(1)).await;
            running.load(Ordering::SeqCst)
        };
        assert_eq!(after(|_| ()).await, 1);
        assert_eq!(after(Leadership::close).await, 0);
        assert_eq!(after(|_| ()).await, 0);
        assert_eq!(after(Leadership::reopen).await, 1);
        task.abort();
    }

    /// Counts down when the code is dropped.
    struct Ended<'r>(&'r AtomicUsize);

    impl Drop for Ended<'_> {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_limit_of_no_time_at_all_is_no_limit() {
        let end = run_code(Duration::MAX, async {
            sleep(Duration::from_secs(3600 * 24 * 365)).await;
            Ok(())
        });
        assert!(matches!(end.await, CodeEnd::Returned(Ok(()))));
    }
}
