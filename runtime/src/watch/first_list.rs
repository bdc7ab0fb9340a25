//! The first list of a watch: its progress, and the passes that wait for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::watch;

use super::error::WatchError;
use super::watch_target::WatchTarget;
use crate::api::ApiError;

/// The progress of a watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// It has neither completed its first list nor failed.
    Pending,
    /// Its first list is complete. The watch recovers from later failures on its own.
    Listed,
    /// It has not completed its first list, and its last attempt failed.
    Failed(WatchError),
}

/// A watch and its progress.
pub(crate) type WatchHandle = (WatchTarget, watch::Receiver<Progress>);

/// How long a pass waits for the first list of a watch. A list that completes later triggers a reconcile.
const PATIENCE: Duration = Duration::from_secs(10);

/// The first list of a watch, for which passes wait.
#[derive(Debug)]
pub(super) struct First {
    progress: Arc<watch::Sender<Progress>>,
    /// A pass received an error, so the complete list must trigger a reconcile.
    refused: AtomicBool,
}

impl First {
    /// The first list of the watch with this progress.
    pub(super) fn of(progress: Arc<watch::Sender<Progress>>) -> Self {
        Self { progress, refused: AtomicBool::new(false) }
    }

    /// The progress of the watch.
    pub(super) fn progress(&self) -> watch::Receiver<Progress> {
        self.progress.subscribe()
    }

    /// Whether the first list is still pending.
    pub(super) fn is_early(&self) -> bool {
        *self.progress.borrow() != Progress::Listed
    }

    /// # Errors
    /// The watch failed before its first list was complete, or the list takes too long.
    pub(super) async fn listed(&self, place: &WatchTarget) -> Result<(), ApiError> {
        let mut progress = self.progress.subscribe();
        let known = tokio::time::timeout(PATIENCE, progress.wait_for(|progress| *progress != Progress::Pending)).await;
        let error = match known {
            Ok(Ok(progress)) => match &*progress {
                Progress::Failed(watch_error) => watch_error.error(place),
                Progress::Listed | Progress::Pending => return Ok(()),
            },
            Ok(Err(_)) => ApiError::Failed(format!("the watch of {place} has ended").into()),
            Err(_) => ApiError::Failed(format!("the watch of {place} has not responded for {PATIENCE:?}").into()),
        };
        self.refused.store(true, Ordering::SeqCst);
        // The list may have completed in the meantime. In that case it would not trigger a reconcile.
        if *self.progress.borrow() == Progress::Listed { Ok(()) } else { Err(error) }
    }

    /// Ends the pause of a watch that failed before its first list was complete.
    #[cfg(feature = "dependents")]
    pub(super) fn retry(&self) {
        self.progress.send_if_modified(|progress| {
            let failed = matches!(progress, Progress::Failed(_));
            if failed {
                *progress = Progress::Pending;
            }
            failed
        });
    }

    /// Records the complete list. Returns whether a pass received an error before; the caller then triggers another one.
    pub(super) fn completes(&self) -> bool {
        // Visible before the caller triggers passes: one that still found the failure would wait for a list that is over.
        self.progress.send_replace(Progress::Listed);
        self.refused.swap(false, Ordering::SeqCst)
    }
}

/// A client of a server that rejects the first request, then lists one Secret, `team-a/x`, and never sends anything else.
#[cfg(test)]
pub(super) fn refused_once() -> kube::Client {
    use kube::client::Body;
    use serde_json::json;

    let refused = AtomicBool::new(false);
    let service = tower::service_fn(move |request: http::Request<Body>| {
        let meta = json!({ "name": "x", "namespace": "team-a", "uid": "u", "resourceVersion": "5" });
        let (code, answer) = match refused.swap(true, Ordering::SeqCst) {
            false => (401, json!({ "kind": "Status", "status": "Failure", "code": 401, "message": "not yet" })),
            true => (200, json!({ "metadata": { "resourceVersion": "5" }, "items": [{ "metadata": meta }] })),
        };
        let watches = request.uri().query().is_some_and(|query| query.contains("watch=true"));
        async move {
            if watches {
                std::future::pending::<()>().await;
            }
            let answer = http::Response::builder().status(code).body(Body::from(answer.to_string().into_bytes()));
            Ok::<_, std::convert::Infallible>(answer.unwrap())
        }
    });
    kube::Client::new(service, "default")
}
