//! Captures the logs and spans of one thread while other tests run on other threads of the process.

use std::sync::LazyLock;

use tracing::subscriber::{DefaultGuard, NoSubscriber, set_default};
use tracing::{Dispatch, Subscriber};

/// While a process has one subscriber, the first thread that reaches a span or event decides for all threads whether it is enabled, by its
/// own subscriber (tracing-core: `Rebuilder::JustOne`). A test without a subscriber would disable a span for a test that captures it.
static OTHERS: LazyLock<[Dispatch; 2]> = LazyLock::new(|| [0; 2].map(|_| Dispatch::new(NoSubscriber::default())));

/// Sets the subscriber of this thread until the guard is dropped.
#[must_use]
pub fn capture(subscriber: impl Subscriber + Send + Sync + 'static) -> DefaultGuard {
    LazyLock::force(&OTHERS);
    set_default(subscriber)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use crate::logs::Logs;

    fn log() {
        tracing::info!("a line");
    }

    #[test]
    fn threads_without_a_subscriber_disable_no_events_elsewhere() {
        let (logs, _capture) = Logs::capture();
        thread::spawn(log).join().unwrap();
        log();
        assert_eq!(logs.with(&["a line"]).len(), 1);
    }
}
