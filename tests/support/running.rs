//! An operator that runs in its test.

use evenkeel::Operator;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A running operator.
pub struct Running {
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<evenkeel::Result<()>>,
}

impl Running {
    /// Runs it until it is stopped.
    #[must_use]
    pub fn start(operator: Operator) -> Self {
        let (stop, stopped) = oneshot::channel();
        let stopped = async {
            // A dropped sender stops it as well.
            let _ = stopped.await;
        };
        Self { stop: Some(stop), task: tokio::spawn(operator.run_until(stopped)) }
    }

    /// Stops it gracefully and returns its result.
    ///
    /// # Panics
    /// It panicked.
    pub async fn stop(mut self) -> evenkeel::Result<()> {
        drop(self.stop.take());
        self.task.await.expect("an operator does not panic")
    }

    /// Whether it has ended.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.task.is_finished()
    }

    /// Ends it at once, as a crash would.
    pub async fn crash(mut self) {
        std::mem::forget(self.stop.take());
        self.task.abort();
        let _ = (&mut self.task).await;
    }
}
