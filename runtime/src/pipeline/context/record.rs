//! What a step stores in the middle of a pass.

use super::{Cx, StatusOf};
use crate::api::ApiError;
use crate::pipeline::step::SubReconciler;

impl<S: SubReconciler> Cx<'_, S> {
    /// Stores author fields before a side effect: what `change` does, and what [`write`](Self::write) did.
    ///
    /// Each call that changes something is one write, and returns when the API server has stored it: an id that was recorded before a call
    /// to another system survives a crash of the operator. A call that changes nothing costs nothing.
    ///
    /// ```ignore
    /// let id = Uuid::new_v4();
    /// cx.record(|status| status.order = Some(id)).await?;
    /// shop.order(id).await?; // after a crash the next pass finds `status.order`, and asks for the same one
    /// ```
    ///
    /// Only the status is written. What has to be in the metadata or the spec before a step runs, a name that was drawn say, is stored by a
    /// [claim](macro@crate::claim), together with the finalizer.
    ///
    /// # Errors
    /// The write failed. After a conflict the pass is discarded and runs again, whatever the step makes of the error.
    pub async fn record(&mut self, change: impl FnOnce(&mut StatusOf<S>) + Send) -> Result<(), ApiError> {
        change(self.status());
        self.store(false).await
    }

    /// Stores now what the author's fields of the status hold, each time it is called; otherwise they are written at the end of the pass.
    /// Conditions are found out in the end only: they stay as they are until then. Each call that has something to store costs a write.
    ///
    /// # Errors
    /// As [`record`](Self::record).
    pub async fn commit(&mut self) -> Result<(), ApiError> {
        self.store(false).await
    }

    /// Stores the author's fields in the middle of the pass. An `urgent` record is stored although the spec has changed since the pass began.
    pub(super) async fn store(&mut self, urgent: bool) -> Result<(), ApiError> {
        let turn = self.draft.turn().await;
        let (intent, found) = (self.draft.progress_beside(turn.as_ref()), self.draft.found());
        if intent == found {
            return Ok(());
        }
        let (intent, backend) = (intent.unfinished(), self.draft.backend.clone());
        match backend.record(found, intent.clone(), urgent).await {
            Ok(()) => {
                if let Some(turn) = &turn {
                    turn.wrote(intent.clone());
                }
                self.draft.recorded(intent);
            }
            Err(error) => {
                self.draft.trouble = Some(error.clone());
                return Err(error);
            }
        }
        Ok(())
    }
}
