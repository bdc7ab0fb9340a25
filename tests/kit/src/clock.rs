//! The server's clock: starts at the wall clock and advances with tokio's clock, so that it supports paused time.

use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

/// The server's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clock {
    began: Timestamp,
    at: Instant,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Clock { began: Timestamp::now(), at: Instant::now() }
    }

    pub(crate) fn now(self) -> Timestamp {
        let passed = SignedDuration::try_from(self.at.elapsed()).unwrap_or_default();
        self.began.checked_add(passed).unwrap_or(self.began)
    }

    /// Returns the current time in RFC 3339 to the second, like `metav1.Time`.
    pub(crate) fn stamp(self) -> String {
        self.stamp_in(0)
    }

    /// Returns the time after this many seconds, in the same format.
    pub(crate) fn stamp_in(self, seconds: i64) -> String {
        let then = self.now().checked_add(SignedDuration::from_secs(seconds)).unwrap_or_else(|_| self.now());
        then.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    }
}
