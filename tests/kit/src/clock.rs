//! The server's time: the wall clock at its start, advanced by the runtime's clock, so that paused time moves it too.

use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

/// The server's time.
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

    /// RFC 3339 to the second, as `metav1.Time` is written.
    pub(crate) fn stamp(self) -> String {
        self.stamp_in(0)
    }

    /// The stamp of a moment some seconds ahead.
    pub(crate) fn stamp_in(self, seconds: i64) -> String {
        let then = self.now().checked_add(SignedDuration::from_secs(seconds)).unwrap_or_else(|_| self.now());
        then.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    }
}
