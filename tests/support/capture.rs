//! Captures what is logged and traced on one thread while other tests run on other threads of the process.

use std::sync::LazyLock;

use tracing::subscriber::{DefaultGuard, NoSubscriber, set_default};
use tracing::{Dispatch, Subscriber};

/// While a process has one subscriber, the first thread that meets a span or event decides for all threads whether anybody listens, by its
/// own subscriber (tracing-core: `Rebuilder::JustOne`). A test without one would turn a span off for a test that captures it.
static OTHERS: LazyLock<[Dispatch; 2]> = LazyLock::new(|| [0; 2].map(|_| Dispatch::new(NoSubscriber::default())));

/// Makes the subscriber that of this thread until the guard is dropped.
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
    fn a_thread_without_a_subscriber_turns_no_event_off_for_another() {
        let (logs, _capture) = Logs::capture();
        thread::spawn(log).join().unwrap();
        log();
        assert_eq!(logs.with(&["a line"]).len(), 1);
    }
}
