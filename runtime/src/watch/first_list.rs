//! The first list of a watch: how far it is, and who waits for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::watch;

use super::error::WatchError;
use super::watch_target::WatchTarget;
use crate::api::ApiError;

/// How far a watch is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// It has neither listed nor failed.
    Pending,
    /// Its first list is in; later failures are repaired by the watch itself.
    Listed,
    /// It has not listed yet, and failed the last time it tried.
    Failed(WatchError),
}

/// A watch, and how far it is.
pub(crate) type WatchHandle = (WatchTarget, watch::Receiver<Progress>);

/// How long a pass waits for the first list of a watch. Its object is woken by the list itself, if that comes later.
const PATIENCE: Duration = Duration::from_secs(10);

/// The first list of a watch, awaited by passes.
#[derive(Debug)]
pub(super) struct First {
    progress: Arc<watch::Sender<Progress>>,
    /// Somebody was told an error and has to be woken once the list is in.
    refused: AtomicBool,
}

impl First {
    /// Of a watch that tells how far it is.
    pub(super) fn of(progress: Arc<watch::Sender<Progress>>) -> Self {
        Self { progress, refused: AtomicBool::new(false) }
    }

    /// Tells how far the watch is.
    pub(super) fn progress(&self) -> watch::Receiver<Progress> {
        self.progress.subscribe()
    }

    /// The list is on its way.
    pub(super) fn is_early(&self) -> bool {
        *self.progress.borrow() != Progress::Listed
    }

    /// # Errors
    /// The watch failed and has not listed yet, or does not answer.
    pub(super) async fn listed(&self, place: &WatchTarget) -> Result<(), ApiError> {
        let mut progress = self.progress.subscribe();
        let known = tokio::time::timeout(PATIENCE, progress.wait_for(|progress| *progress != Progress::Pending)).await;
        let error = match known {
            Ok(Ok(progress)) => match &*progress {
                Progress::Failed(trouble) => trouble.error(place),
                Progress::Listed | Progress::Pending => return Ok(()),
            },
            Ok(Err(_)) => ApiError::Failed(format!("the watch of {place} has ended")),
            Err(_) => ApiError::Failed(format!("the watch of {place} has not answered for {PATIENCE:?}")),
        };
        self.refused.store(true, Ordering::SeqCst);
        // The list may have come in between: then nobody would be woken.
        if *self.progress.borrow() == Progress::Listed { Ok(()) } else { Err(error) }
    }

    /// The list is in. True if somebody was told an error before.
    pub(super) fn is_awaited(&self) -> bool {
        self.refused.swap(false, Ordering::SeqCst)
    }
}
