//! Counts the calls of the operator under test and disrupts one of them.

use std::io;
use std::time::Duration;

use tokio::sync::watch;

use super::injection_point::{Crash, Disruption, Plan, Point};
use crate::effect::Effect;
use crate::lock::Mutex;

/// How a call is handled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Interception {
    /// The call is carried out.
    Pass,
    /// The call has this effect.
    Fault(Effect),
    /// The call is not carried out and never returns: its caller has crashed.
    Lost,
    /// The call is carried out and never returns.
    LostAfter,
}

/// The calls and awaits of one trial.
#[derive(Debug)]
pub(crate) struct Interceptor {
    state: Mutex<State>,
    /// The number of crashes so far. Calls of an operator from before the last crash are lost.
    crashes: watch::Sender<u64>,
    /// The read timeout of the operator's client; `None` for no limit.
    read_timeout: Option<Duration>,
}

#[derive(Debug)]
struct State {
    plan: Option<Plan>,
    points: Vec<Point>,
    awaits: usize,
    injected: bool,
}

impl Interceptor {
    pub(super) fn new(plan: Option<Plan>, read_timeout: Option<Duration>) -> Self {
        let state = State { plan, points: Vec::new(), awaits: 0, injected: false };
        Self { state: Mutex::new(state), crashes: watch::Sender::new(0), read_timeout }
    }

    /// Waits for the response, up to the client's read timeout.
    pub(crate) async fn with_read_timeout<T>(&self, answer: impl Future<Output = T>) -> io::Result<T> {
        let Some(read_timeout) = self.read_timeout else { return Ok(answer.await) };
        tokio::time::timeout(read_timeout, answer).await.map_err(io::Error::from)
    }

    /// Returns the current life of the operator: the number of crashes so far.
    pub(super) fn life(&self) -> u64 {
        *self.crashes.borrow()
    }

    /// Waits for the crash that ends a life.
    pub(super) async fn crashed(&self, life: u64) {
        let mut crashes = self.crashes.subscribe();
        // `self` holds the sender, so this cannot fail.
        let _ = crashes.wait_for(|now| *now > life).await;
    }

    /// Records a call that the operator makes in the given life, and decides how it is handled.
    pub(crate) fn intercept(&self, life: u64, point: Point) -> Interception {
        if life != self.life() {
            return Interception::Lost;
        }
        let mut state = self.state.lock();
        let before = state.points.iter().filter(|other| other.line == point.line).count();
        let disruption = match &state.plan {
            Some(Plan::Call { line, nth, disruption }) if *line == point.line && *nth == before + 1 => {
                Some(disruption.clone())
            }
            _ => None,
        };
        state.points.push(point);
        let Some(disruption) = disruption else { return Interception::Pass };
        state.injected = true;
        drop(state);
        match disruption {
            Disruption::Fault(effect) => Interception::Fault(effect),
            Disruption::Crash(Crash::After) => Interception::LostAfter,
            Disruption::Crash(_) => {
                self.crash();
                Interception::Lost
            }
        }
    }

    /// Ends the current life of the operator.
    pub(crate) fn crash(&self) {
        self.crashes.send_modify(|crashes| *crashes += 1);
    }

    /// Counts a poll, and returns whether the operator must be dropped instead.
    pub(super) fn drops(&self) -> bool {
        let mut state = self.state.lock();
        let number = state.awaits;
        state.awaits += 1;
        let drops = matches!(state.plan, Some(Plan::Await(at)) if at == number);
        state.injected |= drops;
        drops
    }

    /// Returns the calls and the number of awaits so far.
    pub(super) fn visited(&self) -> (Vec<Point>, usize) {
        let state = self.state.lock();
        (state.points.clone(), state.awaits)
    }

    pub(super) fn was_injected(&self) -> bool {
        self.state.lock().injected
    }
}
