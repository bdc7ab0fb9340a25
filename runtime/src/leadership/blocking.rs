//! Work on threads, which no one can drop when a term ends.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The calls that run now. Clones share one list.
#[derive(Clone, Debug, Default)]
pub(super) struct BlockingCalls(Arc<Mutex<Calls>>);

#[derive(Debug, Default)]
struct Calls {
    begun: u64,
    running: Vec<(u64, String)>,
}

impl BlockingCalls {
    fn lock(&self) -> MutexGuard<'_, Calls> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The names of the calls that run now.
    pub(super) fn names(&self) -> Vec<String> {
        self.lock().running.iter().map(|(_, name)| name.clone()).collect()
    }
}

/// A call that runs until this is dropped.
#[derive(Debug)]
pub(crate) struct BlockingCall {
    calls: BlockingCalls,
    number: u64,
}

impl BlockingCall {
    pub(super) fn begin(calls: &BlockingCalls, name: String) -> Self {
        let mut list = calls.lock();
        list.begun += 1;
        let number = list.begun;
        list.running.push((number, name));
        drop(list);
        Self { calls: calls.clone(), number }
    }
}

impl Drop for BlockingCall {
    fn drop(&mut self) {
        self.calls.lock().running.retain(|(number, _)| *number != self.number);
    }
}
