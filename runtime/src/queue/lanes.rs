//! Two lanes: changes before timers, with ageing so that nothing starves.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

use super::Key;

/// How long a key in the slow lane is overtaken by the fast one.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// A place in a lane. It is void once the key's entry holds another number.
#[derive(Debug)]
pub(super) struct Ticket {
    pub(super) number: u64,
    pub(super) key: Key,
    since: Instant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lane {
    Fast,
    Slow,
}

#[derive(Debug, Default)]
pub(super) struct Lanes {
    fast: VecDeque<Ticket>,
    slow: VecDeque<Ticket>,
    issued: u64,
}

impl Lanes {
    /// Queues the key and returns the number of its ticket.
    pub(super) fn push(&mut self, lane: Lane, key: Key) -> u64 {
        self.issued += 1;
        let ticket = Ticket { number: self.issued, key, since: Instant::now() };
        match lane {
            Lane::Fast => self.fast.push_back(ticket),
            Lane::Slow => self.slow.push_back(ticket),
        }
        self.issued
    }

    /// The next ticket, void ones included.
    pub(super) fn pop(&mut self) -> Option<Ticket> {
        let aged = match (self.fast.front(), self.slow.front()) {
            (Some(fast), Some(slow)) => slow.since + PATIENCE <= fast.since,
            (None, _) => true,
            (Some(_), None) => false,
        };
        if aged { self.slow.pop_front() } else { self.fast.pop_front() }
    }
}
