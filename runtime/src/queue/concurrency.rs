//! The slots that the queues of an operator share.

use std::future::poll_fn;
use std::num::NonZeroUsize;
use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::PollSemaphore;

/// A permit to run a pass, until it is dropped.
pub(super) type Slot = OwnedSemaphorePermit;

/// Limit on the concurrent passes of all queues together; unlimited by default. All clones share the slots. Each clone waits in line once,
/// and slots are granted in order of request.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConcurrencyLimit(Option<PollSemaphore>);

impl ConcurrencyLimit {
    pub(crate) fn new(passes: NonZeroUsize) -> Self {
        let passes = passes.get().min(Semaphore::MAX_PERMITS);
        Self(Some(PollSemaphore::new(Arc::new(Semaphore::new(passes)))))
    }

    /// Waits for the next free slot. `None`: the slots are unlimited.
    ///
    /// # Cancellation
    /// Cancel safe: the next call continues to wait at the same position.
    pub(super) async fn next(&mut self) -> Option<Slot> {
        let slots = self.0.as_mut()?;
        // The semaphore is never closed.
        poll_fn(|cx| slots.poll_acquire(cx)).await
    }
}
