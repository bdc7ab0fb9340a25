//! Work on threads, which no one can drop when a term ends.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Leadership;

/// The calls that run now.
#[derive(Debug, Default)]
pub(super) struct BlockingCalls(Mutex<Calls>);

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
    gate: Leadership,
    number: u64,
}

impl BlockingCall {
    pub(super) fn begin(gate: Leadership, name: String) -> Self {
        let mut calls = gate.0.blocking.lock();
        calls.begun += 1;
        let number = calls.begun;
        calls.running.push((number, name));
        drop(calls);
        Self { gate, number }
    }
}

impl Drop for BlockingCall {
    fn drop(&mut self) {
        self.gate.0.blocking.lock().running.retain(|(number, _)| *number != self.number);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::clock::Reading;
    use crate::leadership::Term;

    #[tokio::test(start_paused = true)]
    async fn work_that_outlives_its_term_is_named() {
        let gate = Leadership::closed();
        let term = |epoch| Term { epoch, renewed: Reading::now(), lasts: Duration::from_secs(10) };
        gate.grant(term(1));
        let waits = gate.clone();
        let outlived = tokio::spawn(async move { waits.outlived().await });
        drop(gate.permit().blocks(|| "done".to_owned()));
        tokio::time::sleep(Duration::from_secs(11)).await;
        assert!(!outlived.is_finished(), "none runs");
        gate.grant(term(2));
        let call = gate.permit().blocks(|| "clone".to_owned());
        assert_eq!(outlived.await.unwrap(), ["clone"]);
        drop(call);
        assert!(gate.0.blocking.names().is_empty());
        assert!(Leadership::open().permit().blocks(|| unreachable!()).is_none(), "it has no term");
    }
}
