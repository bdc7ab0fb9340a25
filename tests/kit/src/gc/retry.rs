//! Tasks whose deletions a webhook refused, which the controllers try again.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::task::Task;

/// The delays of the work queues of Kubernetes controllers: 5 ms, doubled with each try, at most 1,000 s.
const FIRST: Duration = Duration::from_millis(5);
const LONGEST: Duration = Duration::from_secs(1000);

/// The refused tasks, with the number of their tries and the time of the next one.
#[derive(Debug, Default)]
pub(super) struct Retries(HashMap<Task, (u32, Instant)>);

impl Retries {
    /// Schedules the next try of a task.
    pub(super) fn refused(&mut self, task: Task) {
        let (tries, at) = self.0.entry(task).or_insert((0, Instant::now()));
        let delay = FIRST.saturating_mul(2_u32.saturating_pow(*tries)).min(LONGEST);
        (*tries, *at) = (*tries + 1, Instant::now() + delay);
    }

    /// Forgets a task that was not refused.
    pub(super) fn done(&mut self, task: &Task) {
        self.0.remove(task);
    }

    /// Waits until a task is due, and returns all due tasks.
    pub(super) async fn due(&self) -> Vec<Task> {
        match self.0.values().map(|(_, at)| *at).min() {
            None => std::future::pending().await,
            Some(at) => sleep_until(at).await,
        }
        let now = Instant::now();
        self.0.iter().filter(|(_, (_, at))| *at <= now).map(|(task, _)| task.clone()).collect()
    }
}
