//! Streaming lists: the watch itself delivers the existing objects, instead of a paginated list before it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::error::Error;

/// Whether to request lists as streams. All clones share the flag, so a server that rejects them gets one request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Streaming(Arc<AtomicBool>);

impl Streaming {
    /// The initial setting; a rejection by the server turns it off.
    pub(crate) fn wanted(wanted: bool) -> Self {
        Self(Arc::new(AtomicBool::new(wanted)))
    }

    /// Whether a watch that starts now requests a streaming list.
    pub(super) fn is_wanted(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    /// Whether the error shows that the server has no streaming lists. If so, they are turned off. Kubernetes before 1.27, and later versions
    /// without the feature gate `WatchList`, reject the request as invalid.
    pub(super) fn ends_with(&self, error: &Error) -> bool {
        let Error::Start(kube::Error::Api(status)) = error else { return false };
        let refused = matches!(status.code, 400 | 422);
        if refused {
            self.end(&status.message);
        }
        refused
    }

    /// Turns streaming lists off.
    pub(super) fn end(&self, why: &str) {
        if self.0.swap(false, Ordering::SeqCst) {
            tracing::info!(error = %why, "the API server does not support streaming lists; listing in pages");
        }
    }
}

#[cfg(test)]
mod tests {
    use kube::core::Status;

    use super::*;

    fn refused(code: u16) -> Error {
        Error::Start(kube::Error::Api(Status { code, ..Status::default() }.boxed()))
    }

    #[test]
    fn a_rejected_streaming_list_is_not_repeated() {
        assert!(!Streaming::default().is_wanted() && !Streaming::wanted(false).is_wanted());
        for code in [400, 422] {
            let (streaming, other) = (Streaming::wanted(true), Streaming::wanted(true));
            assert!(streaming.clone().ends_with(&refused(code)));
            assert!(!streaming.is_wanted() && other.is_wanted());
        }
    }

    #[test]
    fn another_error_does_not_disable_streaming() {
        let streaming = Streaming::wanted(true);
        for error in [refused(410), refused(500), Error::BrokeOff, Error::NoVersion] {
            assert!(!streaming.ends_with(&error));
        }
        assert!(streaming.is_wanted());
    }
}
