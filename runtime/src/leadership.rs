//! The gate in front of the queue and of writes: closed while another replica may be active.

use std::sync::Arc;

use tokio::sync::watch;

/// The error of a write after the gate closed.
pub(crate) const GATE_CLOSED: &str = "the gate closed during the pass: another replica may be active";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    open: bool,
    epoch: u64,
}

/// Whether this process may work. Clones share one gate. Each opening starts a new epoch.
#[derive(Clone, Debug)]
pub(crate) struct Leadership(Arc<watch::Sender<State>>);

impl Leadership {
    /// Creates an open gate.
    pub(crate) fn open() -> Self {
        Self(Arc::new(watch::Sender::new(State { open: true, epoch: 0 })))
    }

    pub(crate) fn is_open(&self) -> bool {
        self.0.borrow().open
    }

    /// A permit to write in the current epoch; valid until the gate closes.
    pub(crate) fn permit(&self) -> WritePermit {
        WritePermit { gate: self.clone(), taken: *self.0.borrow() }
    }

    /// Waits until the gate is open.
    pub(crate) async fn opened(&self) {
        // The sender lives as long as the gate, so waiting cannot fail.
        let _ = self.0.subscribe().wait_for(|state| state.open).await;
    }

    /// Closes the gate: no key is taken, and all permits become invalid.
    #[cfg_attr(not(test), allow(dead_code, reason = "the seam for leader election"))]
    pub(crate) fn close(&self) {
        self.0.send_modify(|state| state.open = false);
    }

    /// Opens the gate again, in the next epoch.
    #[cfg_attr(not(test), allow(dead_code, reason = "the seam for leader election"))]
    pub(crate) fn reopen(&self) {
        self.0.send_modify(|state| *state = State { open: true, epoch: state.epoch + 1 });
    }
}

/// A permit to write, checked before each write.
#[derive(Clone, Debug)]
pub(crate) struct WritePermit {
    gate: Leadership,
    taken: State,
}

impl WritePermit {
    /// Whether the gate has been open since the permit was taken.
    pub(crate) fn is_valid(&self) -> bool {
        self.taken.open && *self.gate.0.borrow() == self.taken
    }

    /// Waits until the permit is invalid.
    pub(crate) async fn expired(&self) {
        // The sender lives as long as the gate, so waiting cannot fail.
        let _ = self.gate.0.subscribe().wait_for(|state| !self.taken.open || *state != self.taken).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permit_is_invalid_in_a_later_epoch() {
        let gate = Leadership::open();
        let early = gate.permit();
        assert!(early.is_valid());
        gate.close();
        assert!(!early.is_valid() && !gate.permit().is_valid());
        gate.reopen();
        assert!(!early.is_valid(), "an earlier epoch");
        assert!(gate.permit().is_valid());
    }
}
