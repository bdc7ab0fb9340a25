//! A queue under an external scheduler: it stores triggers, history and back-off; the scheduler decides when a key runs.

use std::sync::Arc;
use std::time::Duration;

use futures::Stream;
use tokio::time::Instant;

use super::Queue;
use super::config::CachedVersionFn;
use super::key::Key;
use super::run::{finish, run};
use super::worker::Worker;

/// Result of a turn of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ExternalTurn {
    /// The pass failed.
    pub(crate) failed: bool,
    /// The delay until the next turn if nothing changes. `None`: no turn is scheduled.
    pub(crate) next: Option<Duration>,
}

impl Queue {
    /// Runs the pass of a key. Without a trigger no pass runs, and its timer stays set.
    pub(crate) async fn turn(&self, worker: Arc<impl Worker>, key: &Key, version: &CachedVersionFn) -> ExternalTurn {
        let task = self.lock().claim(key, Instant::now());
        let mut failed = false;
        if let Some(task) = task {
            let (key, ended, tail) = run(worker, task, None, None).await;
            if let Some(tail) = tail {
                tail.await;
            }
            failed = ended.next.failed();
            finish(self, Some(version), &key, ended);
        }
        let now = Instant::now();
        let due = self.lock().due(key, now);
        ExternalTurn { failed, next: due.map(|due| due - now) }
    }

    /// The keys that the scheduler should run. A queued key is yielded once.
    pub(crate) fn keys_to_run(&self) -> impl Stream<Item = Key> + Send + use<> {
        let queue = self.clone();
        futures::stream::unfold((queue, Vec::new().into_iter()), |(queue, mut keys)| async move {
            loop {
                if let Some(key) = keys.next() {
                    return Some((key, (queue, keys)));
                }
                keys = queue.lock().announce().into_iter();
                if keys.len() == 0 {
                    queue.0.added.notified().await;
                }
            }
        })
    }
}
