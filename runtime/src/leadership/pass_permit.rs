//! The permit of a pass, and the wait for the end of all passes before a lease is given back.

use std::time::Duration;

use tokio::time::{Instant, timeout, timeout_at};

use super::{Leadership, WritePermit};

/// How often a drain checks whether blocking work has ended.
const CHECK: Duration = Duration::from_secs(1);

/// A permit for a pass. While it exists, the pass counts as running.
#[derive(Debug)]
pub(crate) struct PassPermit {
    permit: WritePermit,
}

impl PassPermit {
    pub(super) fn new(permit: WritePermit) -> Self {
        permit.gate().running().send_modify(|running| *running += 1);
        Self { permit }
    }

    /// Waits until the pass must not write any more.
    pub(crate) async fn expired(&self) {
        self.permit.expired().await;
    }
}

impl Drop for PassPermit {
    fn drop(&mut self) {
        self.permit.gate().running().send_modify(|running| *running -= 1);
    }
}

impl Leadership {
    /// Closes the gate once the running passes have ended. No pass starts from now on. After the limit, passes are dropped. Blocking work
    /// cannot be dropped, so it is waited for.
    #[cfg_attr(not(any(test, feature = "lease")), allow(dead_code, reason = "only replicas have terms"))]
    pub(crate) async fn drain(&self, limit: Duration) {
        self.stop_passes();
        let mut running = self.running().subscribe();
        let deadline = Instant::now() + limit;
        // The sender lives as long as the gate, so waiting cannot fail.
        let mut is_idle = timeout_at(deadline, running.wait_for(|running| *running == 0)).await.is_ok();
        while !is_idle && self.is_open() && !self.blocking_calls().is_empty() {
            is_idle = timeout(CHECK, running.wait_for(|running| *running == 0)).await.is_ok();
        }
        self.close();
        // Dropped passes end at their next await point.
        let _ = timeout(CHECK, running.wait_for(|running| *running == 0)).await;
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::sleep;

    use super::*;
    use crate::clock::Reading;
    use crate::leadership::Term;

    const SECOND: Duration = Duration::from_secs(1);

    fn leader() -> Leadership {
        let gate = Leadership::closed();
        gate.grant(Term { epoch: 1, renewed: Reading::now(), lasts: 60 * SECOND });
        gate
    }

    #[tokio::test(start_paused = true)]
    async fn a_drain_waits_for_passes_and_renewals_do_not_end_it() {
        let gate = leader();
        let (pass, began) = (gate.pass(), Instant::now());
        let draining = gate.clone();
        let drain = tokio::spawn(async move { draining.drain(5 * SECOND).await });
        sleep(SECOND).await;
        assert!(!gate.may_start() && gate.is_open(), "the pass may still write");
        gate.grant(Term { epoch: 1, renewed: Reading::now(), lasts: 60 * SECOND });
        assert!(!gate.may_start(), "a renewal starts no pass");
        drop(pass);
        drain.await.unwrap();
        assert!(!gate.is_open() && began.elapsed() == SECOND);
        gate.grant(Term { epoch: 2, renewed: Reading::now(), lasts: 60 * SECOND });
        assert!(gate.may_start());
    }

    #[tokio::test(start_paused = true)]
    async fn a_pass_that_takes_too_long_is_dropped() {
        let gate = leader();
        let (pass, began) = (gate.pass(), Instant::now());
        let drain = tokio::spawn({
            let gate = gate.clone();
            async move { gate.drain(5 * SECOND).await }
        });
        pass.expired().await;
        assert_eq!(began.elapsed(), 5 * SECOND);
        drop(pass);
        drain.await.unwrap();
        assert_eq!(began.elapsed(), 5 * SECOND);
    }

    #[tokio::test(start_paused = true)]
    async fn blocking_work_is_waited_for() {
        let gate = leader();
        let (pass, call, began) = (gate.pass(), gate.permit().blocks(|| "clone".to_owned()), Instant::now());
        let drain = tokio::spawn({
            let gate = gate.clone();
            async move { gate.drain(5 * SECOND).await }
        });
        sleep(20 * SECOND).await;
        assert!(gate.is_open(), "it cannot be dropped");
        drop((call, pass));
        drain.await.unwrap();
        assert_eq!(began.elapsed(), 20 * SECOND);
    }
}
