//! How often the status of an object is written because more of its dependents are ready.

use std::time::Duration;

use tokio::time::Instant;

/// The writes that may follow one another at once.
const BURST: u32 = 3;

/// The time after which another one is allowed.
const PAUSE: Duration = Duration::from_secs(15);

/// The writes of an object whose dependents become ready.
#[derive(Debug)]
pub(in crate::pass) struct ProgressWrites {
    left: u32,
    /// When `left` was last right.
    since: Instant,
}

impl ProgressWrites {
    pub(in crate::pass) fn new(now: Instant) -> Self {
        Self { left: BURST, since: now }
    }

    /// Takes one write. `Err`: the time until one is allowed.
    pub(in crate::pass) fn take(&mut self, now: Instant) -> Result<(), Duration> {
        while self.left < BURST && self.since + PAUSE <= now {
            (self.left, self.since) = (self.left + 1, self.since + PAUSE);
        }
        if self.left == BURST {
            self.since = now;
        }
        match self.left.checked_sub(1) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(self.since + PAUSE - now),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_burst_there_is_a_write_every_15_seconds() {
        let (start, second) = (Instant::now(), Duration::from_secs);
        let mut writes = ProgressWrites::new(start);
        let allowed = (0..60).filter(|i| writes.take(start + second(*i)).is_ok()).collect::<Vec<_>>();
        assert_eq!(allowed, [0, 1, 2, 15, 30, 45]);
        assert_eq!(writes.take(start + second(59)), Err(second(1)));
        // After a pause there may be a burst again.
        let later = (100..104).filter(|i| writes.take(start + second(*i)).is_ok()).collect::<Vec<_>>();
        assert_eq!(later, [100, 101, 102]);
    }
}
