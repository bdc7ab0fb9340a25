//! The pause of one kind: no pass of its reconciler starts, and its keys stay queued.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

/// Whether the passes of a reconciler are paused. Clones share one state.
#[derive(Clone, Debug)]
pub(crate) struct Pause(Arc<watch::Sender<Option<Why>>>);

#[derive(Clone, Debug)]
struct Why {
    since: Instant,
    text: String,
}

impl Default for Pause {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(None)))
    }
}

impl Pause {
    /// Whether no pass may start.
    pub(crate) fn is_on(&self) -> bool {
        self.0.borrow().is_some()
    }

    /// Pauses the reconciler. Returns false if it is already paused for the same reason.
    pub(crate) fn begin(&self, text: &str) -> bool {
        self.0.send_if_modified(|why| {
            if why.as_ref().is_some_and(|why| why.text == text) {
                return false;
            }
            let since = why.as_ref().map_or_else(Instant::now, |why| why.since);
            *why = Some(Why { since, text: text.to_owned() });
            true
        })
    }

    /// Resumes the reconciler. Returns false if it was not paused.
    pub(crate) fn end(&self) -> bool {
        self.0.send_if_modified(|why| why.take().is_some())
    }

    /// Waits until passes may start.
    pub(crate) async fn over(&self) {
        // The sender lives as long as the pause, so waiting cannot fail.
        let _ = self.0.subscribe().wait_for(Option::is_none).await;
    }

    /// How long the pause has lasted, and its reason.
    #[cfg_attr(not(feature = "metrics"), allow(dead_code, reason = "who asks is in a feature"))]
    pub(crate) fn why(&self) -> Option<(Duration, String)> {
        self.0.borrow().as_ref().map(|why| (why.since.elapsed(), why.text.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_pause_retains_its_start_when_the_reason_changes() {
        let pause = Pause::default();
        assert!(!pause.is_on() && !pause.end());
        assert!(pause.begin("a") && !pause.begin("a"));
        tokio::time::advance(Duration::from_secs(3)).await;
        assert!(pause.begin("b"));
        assert_eq!(pause.why(), Some((Duration::from_secs(3), "b".to_owned())));
        assert!(pause.end() && !pause.is_on());
        pause.over().await;
    }
}
