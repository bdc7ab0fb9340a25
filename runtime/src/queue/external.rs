//! A queue under a scheduler that is not ours: triggers, history and back-off are kept here, turns are given there.

use std::sync::Arc;
use std::time::Duration;

use futures::Stream;
use tokio::time::Instant;

use super::Queue;
use super::config::CachedVersionFn;
use super::key::Key;
use super::run::{finish, run};
use super::worker::Worker;

/// How a turn of a key ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ExternalTurn {
    /// The pass did not end well.
    pub(crate) failed: bool,
    /// When the next turn is due without a change; `None`: not at all.
    pub(crate) next: Option<Duration>,
}

impl Queue {
    /// Runs the pass of a key whose turn it is. Without a cause none runs, and what was due stays due.
    pub(crate) async fn turn(&self, worker: Arc<impl Worker>, key: &Key, version: &CachedVersionFn) -> ExternalTurn {
        let task = self.lock().claim(key, Instant::now());
        let mut failed = false;
        if let Some(task) = task {
            let (key, ended, tail) = run(worker, task, None).await;
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

    /// The keys that should have a turn, each once until it has had it.
    pub(crate) fn wakes(&self) -> impl Stream<Item = Key> + Send + use<> {
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
