//! Status writes in the middle of a pass: the author's fields, and the handles of long-running operations.

use std::future::Future;

use super::{Cx, StatusOf};
use crate::api::ApiError;
use crate::pipeline::state::PassState;
use crate::pipeline::step::SubReconciler;
use crate::status::operation::RemoteOperation;

impl<S: SubReconciler> Cx<'_, S> {
    /// Stores the author's fields of the status now, for example before a side effect.
    ///
    /// Without this call they are stored at the end of the pass. Stores what was changed through [`status`](Self::status) and
    /// [`write`](Self::write). Each call with a changed field sends one write, and returns when the API server has stored it. An id that is
    /// stored before a call to another system therefore survives a crash of the operator. A call without a changed field sends no request.
    ///
    /// ```ignore
    /// let id = Uuid::new_v4();
    /// cx.status().order = Some(id);
    /// cx.commit().await?;
    /// shop.order(id).await?; // after a crash the next pass finds `status.order`, and asks for the same one
    /// ```
    ///
    /// Only the status is written, and no condition: conditions are computed when the pass ends. To store a value in the metadata or the spec
    /// before the steps run, such as a generated name, use a [claim](macro@crate::claim), which stores it together with the finalizer.
    ///
    /// # Errors
    /// The write failed. After a conflict the pass is discarded and runs again, even if the step ignores the error.
    pub async fn commit(&mut self) -> Result<(), ApiError> {
        store(self.state, false).await
    }

    /// Starts a long-running operation for the current spec, or polls the one that is running.
    ///
    /// Returns `Some` when the operation has ended, and `None` while it is running. For `None`, return an error of class `waiting(poll = ..)`
    /// and call this method again in the next pass.
    ///
    /// - `start` starts the operation and returns its handle. The handle is stored in the status field immediately, so that the operator polls
    ///   this operation after a restart instead of starting another one.
    /// - `poll` queries the operation. It returns `None` while the operation is running, and `Some` when it has ended, successfully or not.
    ///   `T` must therefore distinguish success from failure.
    ///
    /// If an operation ends that was started for an earlier generation of the object, its result is dropped and `start` is called again.
    ///
    /// `start` can run twice for one operation in two cases: the operator crashes before the handle is stored, or the API server stays
    /// unreachable until the operator is restarted. If this matters, derive the name of the operation from the UID of the object, and let
    /// `start` look for an existing one first.
    ///
    /// ```ignore
    /// let created = cx.operation(
    ///     |status| &mut status.creation,
    ///     || cloud.begin_create(&database.spec),
    ///     |handle| cloud.created(handle),
    /// );
    /// let Some(id) = created.await? else { return Err(DatabaseError::Creating) };
    /// ```
    ///
    /// # Errors
    /// `start` or `poll` failed, or the handle could not be stored. The next call tries again.
    pub async fn operation<T, E, A, B>(
        &mut self,
        field: impl Fn(&mut StatusOf<S>) -> &mut Option<RemoteOperation> + Send,
        start: impl FnOnce() -> A + Send,
        poll: impl FnOnce(String) -> B + Send,
    ) -> Result<Option<T>, E>
    where
        A: Future<Output = Result<String, E>> + Send,
        B: Future<Output = Result<Option<T>, E>> + Send,
        E: From<ApiError>,
    {
        self.state.halt_before("the operation").await;
        let (place, backend) = (std::any::type_name_of_val(&field), self.state.backend.clone());
        // A handle that could not be stored is still available while the process runs.
        if let Some(running) = field(self.status()).clone().or_else(|| backend.operation(place)) {
            let Some(ended) = poll(running.handle.clone()).await? else {
                *field(self.status()) = Some(running);
                return Ok(None);
            };
            *field(self.status()) = None;
            backend.keep_operation(place, None);
            if running.generation == self.state.generation() {
                return Ok(Some(ended));
            }
        }
        let started = RemoteOperation { handle: start().await?, generation: self.state.generation() };
        backend.keep_operation(place, Some(started.clone()));
        *field(self.status()) = Some(started);
        store(self.state, true).await?;
        Ok(None)
    }
}

/// Stores the author's fields in the middle of the pass. An `urgent` write is sent even if the spec has changed since the pass began.
async fn store(state: &mut PassState, urgent: bool) -> Result<(), ApiError> {
    let turn = state.turn().await;
    let (intent, found) = (state.progress_beside(turn.as_ref()), state.found());
    if intent == found {
        return Ok(());
    }
    let (intent, backend) = (intent.unfinished(), state.backend.clone());
    match backend.record(state.step_name(), found, intent.clone(), urgent).await {
        Ok(()) => {
            if let Some(turn) = &turn {
                turn.wrote(intent.clone());
            }
            state.recorded(intent);
        }
        Err(error) => {
            state.write_error = Some(error.clone());
            return Err(error);
        }
    }
    Ok(())
}
