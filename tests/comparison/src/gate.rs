//! The gate that each request of an operator passes twice, on its way there and back. It can kill the operator at one of these points.

use std::process::Child;
use std::sync::{Arc, Mutex, PoisonError};

/// A process that can be killed.
pub type Victim = Arc<Mutex<Child>>;

#[derive(Default)]
struct State {
    passed: u64,
    kill: Option<(u64, Victim)>,
    killed: bool,
}

#[derive(Default)]
pub struct Gate(Mutex<State>);

impl Gate {
    /// Counts a point, and kills the process if it is the chosen one. Returns `false` if the process was killed here.
    pub fn pass(&self) -> bool {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.passed += 1;
        let passed = state.passed;
        if let Some((_, victim)) = state.kill.take_if(|(at, _)| *at == passed) {
            // It may have ended by itself.
            _ = victim.lock().unwrap_or_else(PoisonError::into_inner).kill();
            state.killed = true;
            return false;
        }
        true
    }

    /// Kills the process at the point with this number, counted from now on.
    pub fn kill_at(&self, point: u64, victim: Victim) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) =
            State { passed: 0, kill: Some((point, victim)), killed: false };
    }

    /// Cancels the kill, and returns whether it has happened.
    pub fn disarm(&self) -> bool {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.kill = None;
        state.killed
    }

    pub fn killed(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).killed
    }

    /// How many points were passed since the start, or since the last kill was set.
    pub fn passed(&self) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).passed
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn the_process_is_killed_at_the_chosen_point() {
        let victim = Arc::new(Mutex::new(Command::new("sleep").arg("60").spawn().unwrap()));
        let gate = Gate::default();
        gate.kill_at(2, victim.clone());
        assert!(gate.pass() && !gate.killed());
        assert!(!gate.pass() && gate.killed());
        assert!(gate.pass(), "later requests are those of the next process");
        assert!(!victim.lock().unwrap().wait().unwrap().success());
        assert!(gate.disarm());
    }
}
