//! The gate in front of the queue and of writes: closed while another replica may be active.

mod blocking;
mod pass_permit;
mod shard_gates;
mod term;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

pub(crate) use self::blocking::BlockingCall;
use self::blocking::BlockingCalls;
pub(crate) use self::pass_permit::PassPermit;
pub(crate) use self::shard_gates::ShardGates;
pub(crate) use self::term::Term;
use crate::clock::Reading;

/// The error of a write after the gate closed.
pub(crate) const GATE_CLOSED: &str = "the gate closed during the pass: another replica may be active";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    /// Whether it opens only for terms.
    leased: bool,
    open: bool,
    /// Whether passes end, and none starts.
    draining: bool,
    /// The number of this opening.
    opening: u64,
    /// The end of the opening, if it has one.
    term: Option<Term>,
}

impl State {
    fn is_open(&self) -> bool {
        self.open && self.term.is_none_or(|term| term.left(&Reading::now()).is_some())
    }

    fn may_start(&self) -> bool {
        !self.draining && self.is_open()
    }
}

/// Whether this process may work. Clones share one gate. Each opening invalidates the permits of earlier ones.
#[derive(Clone, Debug)]
pub(crate) struct Leadership(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    state: watch::Sender<State>,
    /// The number of running passes; only gates with terms count them.
    running: watch::Sender<usize>,
    /// The work that cannot be dropped; only gates with terms record it.
    blocking: Option<BlockingCalls>,
}

impl Leadership {
    /// Creates an open gate without a term.
    pub(crate) fn open() -> Self {
        Self::with(State { leased: false, open: true, draining: false, opening: 0, term: None })
    }

    /// Creates a gate that is closed until the first term.
    #[cfg_attr(not(feature = "lease"), allow(dead_code, reason = "only replicas have terms"))]
    pub(crate) fn closed() -> Self {
        Self::with(State { leased: true, open: false, draining: false, opening: 0, term: None })
    }

    fn with(state: State) -> Self {
        Self(Arc::new(Shared {
            state: watch::Sender::new(state),
            running: watch::Sender::default(),
            blocking: state.leased.then(BlockingCalls::default),
        }))
    }

    pub(crate) fn is_open(&self) -> bool {
        self.0.state.borrow().is_open()
    }

    /// Whether a pass may start.
    pub(crate) fn may_start(&self) -> bool {
        self.0.state.borrow().may_start()
    }

    /// Whether the gate opens only for terms, and closes with them.
    pub(crate) fn is_leased(&self) -> bool {
        self.0.state.borrow().leased
    }

    /// Waits until the gate is open in a later opening than that of this permit. Returns a permit of it.
    pub(crate) async fn opened_after(&self, earlier: &WritePermit) -> WritePermit {
        let mut states = self.0.state.subscribe();
        let opened = states.wait_for(|state| state.may_start() && Some(state.opening) > earlier.taken).await;
        // The sender lives as long as the gate, so waiting cannot fail.
        WritePermit { gate: self.clone(), taken: opened.map_or(earlier.taken, |state| Some(state.opening)) }
    }

    /// A permit to write in the current opening; valid until the gate closes or the term ends.
    pub(crate) fn permit(&self) -> WritePermit {
        let state = *self.0.state.borrow();
        WritePermit { gate: self.clone(), taken: state.open.then_some(state.opening) }
    }

    /// A permit that is never valid.
    pub(crate) fn no_permit(&self) -> WritePermit {
        WritePermit { gate: self.clone(), taken: None }
    }

    /// A permit for a pass, which is invalid if none may start.
    pub(crate) fn pass(&self) -> PassPermit {
        PassPermit::new(if self.may_start() { self.permit() } else { self.no_permit() })
    }

    /// Waits until a pass may start.
    pub(crate) async fn opened(&self) {
        // The sender lives as long as the gate, so waiting cannot fail.
        let _ = self.0.state.subscribe().wait_for(State::may_start).await;
    }

    /// Waits until blocking work outlives the term in which it began. Returns what it is.
    #[cfg_attr(not(feature = "lease"), allow(dead_code, reason = "only replicas have terms"))]
    pub(crate) async fn outlived(&self) -> Vec<String> {
        loop {
            self.opened().await;
            self.permit().expired().await;
            let names = self.blocking_calls();
            if !names.is_empty() {
                return names;
            }
        }
    }

    /// Opens the gate for this term, or extends the current term if it has the same epoch and has not ended.
    #[cfg_attr(not(feature = "lease"), allow(dead_code, reason = "only replicas have terms"))]
    pub(crate) fn grant(&self, term: Term) {
        self.0.state.send_modify(|state| {
            let continues = state.is_open() && state.term.is_some_and(|current| current.epoch == term.epoch);
            let opening = if continues { state.opening } else { state.opening + 1 };
            let draining = state.draining && continues;
            *state = State { leased: true, open: true, draining, opening, term: Some(term) };
        });
    }

    /// Closes the gate: no key is taken, and all permits become invalid.
    #[cfg_attr(not(any(test, feature = "lease")), allow(dead_code, reason = "only replicas have terms"))]
    pub(crate) fn close(&self) {
        self.0.state.send_if_modified(|state| std::mem::replace(&mut state.open, false));
    }

    /// Starts no pass from now on, until the gate opens anew.
    fn stop_passes(&self) {
        self.0.state.send_modify(|state| state.draining = state.open);
    }

    /// The number of running passes.
    fn running(&self) -> &watch::Sender<usize> {
        &self.0.running
    }

    /// The names of the blocking calls that run now.
    fn blocking_calls(&self) -> Vec<String> {
        self.0.blocking.as_ref().map(BlockingCalls::names).unwrap_or_default()
    }

    /// Opens the gate again, without a term.
    #[cfg(test)]
    pub(crate) fn reopen(&self) {
        self.0
            .state
            .send_modify(|state| *state = State { open: true, draining: false, opening: state.opening + 1, ..*state });
    }
}

/// A permit to write, checked before each write.
#[derive(Clone, Debug)]
pub(crate) struct WritePermit {
    gate: Leadership,
    /// The opening in which it was taken; `None`: the gate was closed.
    taken: Option<u64>,
}

impl WritePermit {
    fn gate(&self) -> &Leadership {
        &self.gate
    }

    /// The state of the gate, if it has been open since the permit was taken.
    fn current(&self) -> Option<State> {
        let state = *self.gate.0.state.borrow();
        Some(state).filter(|state| self.taken == Some(state.opening) && state.is_open())
    }

    /// Whether the gate has been open since the permit was taken.
    pub(crate) fn is_valid(&self) -> bool {
        self.current().is_some()
    }

    /// The time until the permit ends unless its term is renewed; zero after its end. `None`: it has no limit.
    #[cfg_attr(not(any(test, feature = "lease")), allow(dead_code, reason = "only replicas have terms"))]
    pub(crate) fn left(&self) -> Option<Duration> {
        match self.current() {
            Some(state) => state.term.map(|term| term.left(&Reading::now()).unwrap_or_default()),
            None => Some(Duration::ZERO),
        }
    }

    /// Records blocking work until the result is dropped; `None`: nothing has to be recorded.
    pub(crate) fn blocks(&self, name: impl FnOnce() -> String) -> Option<BlockingCall> {
        self.gate.0.blocking.as_ref().map(|calls| BlockingCall::begin(calls, name()))
    }

    /// The epoch of the current term, or of the last one; 0 for a gate without terms.
    pub(crate) fn epoch(&self) -> u64 {
        self.gate.0.state.borrow().term.map_or(0, |term| term.epoch)
    }

    /// Waits until the permit is invalid.
    pub(crate) async fn expired(&self) {
        let mut changes = self.gate.0.state.subscribe();
        loop {
            changes.mark_unchanged();
            let Some(state) = self.current() else { return };
            let left = state.term.and_then(|term| term.left(&Reading::now()));
            // The sender lives as long as the gate, so waiting cannot fail.
            match left {
                None if state.term.is_some() => return,
                None => drop(changes.changed().await),
                Some(left) => {
                    let end = sleep_until(Instant::now() + left);
                    tokio::select! {
                        _ = changes.changed() => {}
                        () = end => {}
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::{advance, sleep, timeout};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn term(epoch: u64) -> Term {
        Term { epoch, renewed: Reading::now(), lasts: 10 * SECOND }
    }

    #[test]
    fn a_permit_is_invalid_in_a_later_opening() {
        let gate = Leadership::open();
        let early = gate.permit();
        assert!(early.is_valid() && early.left().is_none());
        gate.close();
        assert!(!early.is_valid() && !gate.permit().is_valid());
        gate.reopen();
        assert!(!early.is_valid(), "an earlier opening");
        assert_eq!(early.left(), Some(Duration::ZERO));
        assert!(gate.permit().is_valid());
    }

    #[tokio::test(start_paused = true)]
    async fn a_permit_ends_with_its_term_and_lasts_as_long_as_it_is_renewed() {
        let gate = Leadership::closed();
        assert!(!gate.is_open() && !gate.permit().is_valid());
        gate.grant(term(7));
        let permit = gate.permit();
        advance(6 * SECOND).await;
        assert!(permit.is_valid() && permit.left().unwrap() <= 4 * SECOND);
        gate.grant(term(7));
        advance(6 * SECOND).await;
        assert!(permit.is_valid(), "renewed");
        advance(4 * SECOND).await;
        assert!(!permit.is_valid() && !gate.is_open(), "no task has closed it");
        gate.grant(term(7));
        assert!(!permit.is_valid() && gate.permit().is_valid(), "its opening has ended, even for the same epoch");
        gate.grant(term(8));
        assert_eq!(gate.permit().epoch(), 8);
    }

    #[tokio::test(start_paused = true)]
    async fn the_end_of_a_term_is_awaited() {
        let gate = Leadership::closed();
        gate.grant(term(1));
        let (permit, began) = (gate.permit(), Instant::now());
        let renewing = gate.clone();
        tokio::spawn(async move {
            sleep(6 * SECOND).await;
            renewing.grant(term(1));
        });
        timeout(60 * SECOND, permit.expired()).await.unwrap();
        assert_eq!(began.elapsed().as_secs(), 16);
        let opened = gate.clone();
        let waiting = tokio::spawn(async move { opened.opened().await });
        sleep(SECOND).await;
        assert!(!waiting.is_finished());
        gate.grant(term(2));
        waiting.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn work_that_outlives_its_term_is_named() {
        let gate = Leadership::closed();
        gate.grant(term(1));
        let waits = gate.clone();
        let outlived = tokio::spawn(async move { waits.outlived().await });
        drop(gate.permit().blocks(|| "done".to_owned()));
        sleep(11 * SECOND).await;
        assert!(!outlived.is_finished(), "none runs");
        gate.grant(term(2));
        let call = gate.permit().blocks(|| "clone".to_owned());
        assert_eq!(outlived.await.unwrap(), ["clone"]);
        drop(call);
        assert!(gate.0.blocking.as_ref().unwrap().names().is_empty());
        assert!(Leadership::open().permit().blocks(|| unreachable!()).is_none(), "it has no term");
    }
}
