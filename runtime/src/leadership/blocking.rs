//! Work on threads, which no one can drop when a term ends.

use std::sync::Arc;

use crate::lock::Mutex;

/// The calls that run now. Clones share one list.
#[derive(Clone, Debug, Default)]
pub(super) struct BlockingCalls(Arc<Mutex<Calls>>);

#[derive(Debug, Default)]
struct Calls {
    begun: u64,
    running: Vec<(u64, String)>,
}

impl BlockingCalls {
    /// The names of the calls that run now.
    pub(super) fn names(&self) -> Vec<String> {
        self.0.lock().running.iter().map(|(_, name)| name.clone()).collect()
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
        let mut list = calls.0.lock();
        list.begun += 1;
        let number = list.begun;
        list.running.push((number, name));
        drop(list);
        Self { calls: calls.clone(), number }
    }
}

impl Drop for BlockingCall {
    fn drop(&mut self) {
        self.calls.0.lock().running.retain(|(number, _)| *number != self.number);
    }
}
