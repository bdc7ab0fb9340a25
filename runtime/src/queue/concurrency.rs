//! The slots that the queues of an operator share.

use std::future::poll_fn;
use std::num::NonZeroUsize;
use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::PollSemaphore;

/// Leave to run a pass, until it is dropped.
pub(super) type Slot = OwnedSemaphorePermit;

/// How many passes run at a time in all queues together; any number by default. All clones share their slots, and each stands in
/// line once: who asked first is next.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConcurrencyLimit(Option<PollSemaphore>);

impl ConcurrencyLimit {
    pub(crate) fn new(passes: NonZeroUsize) -> Self {
        let passes = passes.get().min(Semaphore::MAX_PERMITS);
        Self(Some(PollSemaphore::new(Arc::new(Semaphore::new(passes)))))
    }

    /// The next free slot; none where they are not counted.
    ///
    /// # Cancellation
    /// Asking again goes on waiting in the same place.
    pub(super) async fn next(&mut self) -> Option<Slot> {
        let slots = self.0.as_mut()?;
        // The semaphore is never closed.
        poll_fn(|cx| slots.poll_acquire(cx)).await
    }
}
