//! Streaming lists: whether the objects that are there come in the watch itself, instead of in pages before it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::list_watch::Error;

/// Whether first lists are asked for as streams. All clones are one: a server that refuses is asked once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Streaming(Arc<AtomicBool>);

impl Streaming {
    /// They are, until a server refuses.
    pub(crate) fn wanted(wanted: bool) -> Self {
        Self(Arc::new(AtomicBool::new(wanted)))
    }

    /// Whether a watch that begins now streams.
    pub(super) fn is_wanted(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    /// Whether the error says that the server knows no streaming lists; then nobody asks for them any more. Kubernetes before 1.27, and
    /// later ones without the feature gate `WatchList`, take the request for invalid.
    pub(super) fn ends_with(&self, error: &Error) -> bool {
        let Error::Start(kube::Error::Api(status)) = error else { return false };
        let refused = matches!(status.code, 400 | 422);
        if refused {
            self.end(&status.message);
        }
        refused
    }

    /// Nobody asks for them any more.
    pub(super) fn end(&self, why: &str) {
        if self.0.swap(false, Ordering::SeqCst) {
            tracing::info!("the API server has no streaming lists, so lists come in pages: {why}");
        }
    }
}
