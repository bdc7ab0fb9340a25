//! Turns of joined steps, which write their progress one after another.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Poll, Waker};

use super::DesiredStatus;
use crate::lock::{Mutex, MutexGuard};
use crate::status::fields::Fields;

/// The state that the forks of joined steps share.
#[derive(Clone)]
pub(crate) struct Joined {
    /// The author's fields at the time of the fork.
    pub(super) base: Fields,
    /// The turns for progress writes.
    pub(super) turns: WriteTurns,
}

/// The turns of the joined steps of one pass.
#[derive(Clone, Default)]
pub(crate) struct WriteTurns(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    taken: bool,
    waiting: Vec<Waker>,
    /// The last status that was written.
    last: Option<DesiredStatus>,
}

impl WriteTurns {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock()
    }

    /// The last progress write of all joined steps.
    pub(crate) fn last(&self) -> Option<DesiredStatus> {
        self.state().last.clone()
    }

    /// Waits until no other step holds the turn, and takes it.
    pub(crate) async fn take(&self) -> WriteTurn {
        poll_fn(|cx| {
            let mut state = self.state();
            if state.taken {
                state.waiting.push(cx.waker().clone());
                return Poll::Pending;
            }
            state.taken = true;
            Poll::Ready(WriteTurn(self.clone()))
        })
        .await
    }
}

/// The turn of one step. Dropping it releases the turn.
pub(crate) struct WriteTurn(WriteTurns);

impl WriteTurn {
    /// The last progress write of an earlier turn.
    pub(crate) fn last(&self) -> Option<DesiredStatus> {
        self.0.last()
    }

    /// Records the status that this step wrote.
    pub(crate) fn wrote(&self, intent: DesiredStatus) {
        self.0.state().last = Some(intent);
    }
}

impl Drop for WriteTurn {
    fn drop(&mut self) {
        let waiting = {
            let mut state = self.0.state();
            state.taken = false;
            std::mem::take(&mut state.waiting)
        };
        waiting.into_iter().for_each(Waker::wake);
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[test]
    fn a_write_turn_is_exclusive_and_wakes_the_next_step() {
        let turns = WriteTurns::default();
        let first = turns.take().now_or_never().expect("the turn is free");
        let (waker, mut second) = (futures_test_waker(), Box::pin(turns.take()));
        let mut cx = std::task::Context::from_waker(&waker.1);
        assert!(second.as_mut().poll_unpin(&mut cx).is_pending());
        drop(first);
        assert_eq!(waker.0.load(std::sync::atomic::Ordering::SeqCst), 1);
        assert!(second.as_mut().poll_unpin(&mut cx).is_ready());
    }

    /// A waker that counts.
    fn futures_test_waker() -> (Arc<std::sync::atomic::AtomicUsize>, Waker) {
        struct Count(Arc<std::sync::atomic::AtomicUsize>);
        impl std::task::Wake for Count {
            fn wake(self: Arc<Self>) {
                self.0.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            }
        }
        let count = Arc::default();
        (Arc::clone(&count), Arc::new(Count(count)).into())
    }
}
