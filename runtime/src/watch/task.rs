//! A task that ends with its owner.

use tokio::task::AbortHandle;

/// Aborts the task when dropped.
#[derive(Debug)]
pub(super) struct Task(AbortHandle);

impl Task {
    pub(super) fn spawn(future: impl Future<Output = ()> + Send + 'static) -> Self {
        Self(tokio::spawn(future).abort_handle())
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}
