//! The blocking work of one pass.

#[cfg(feature = "__test-hooks")]
use std::cell::Cell;
use std::sync::OnceLock;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio_util::task::TaskTracker;

/// The work that runs on threads for blocking tasks. Dropping its future does not end it. Most passes have none.
#[derive(Default)]
pub(in crate::pass) struct BlockingWork(OnceLock<TaskTracker>);

impl BlockingWork {
    /// Runs the work. The result is dropped: the caller detects work that never ran by its missing value.
    pub(in crate::pass) fn run(&self, work: Box<dyn FnOnce() + Send>) -> BoxFuture<'static, ()> {
        #[cfg(feature = "__test-hooks")]
        if RUNS_HERE.get() {
            work();
            return std::future::ready(()).boxed();
        }
        self.0.get_or_init(TaskTracker::new).spawn_blocking(work).map(drop).boxed()
    }

    /// Waits for the work that a timed-out pass left behind. Until it ends, no other pass of the key starts.
    pub(in crate::pass) async fn ended(&self) {
        if let Some(work) = self.0.get() {
            work.close();
            work.wait().await;
        }
    }
}

#[cfg(feature = "__test-hooks")]
thread_local! {
    static RUNS_HERE: Cell<bool> = const { Cell::new(false) };
}

/// Lets the blocking work of passes on this thread run on it, for a bench that counts the allocations of the thread.
#[cfg(feature = "__test-hooks")]
pub fn block_here() {
    RUNS_HERE.set(true);
}
