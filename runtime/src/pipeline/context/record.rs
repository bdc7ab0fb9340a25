//! What a step stores in the middle of a pass: fields of the status, and the handles of long operations.

use std::future::Future;

use super::{Cx, StatusOf};
use crate::api::ApiError;
use crate::pipeline::state::PassState;
use crate::pipeline::step::SubReconciler;
use crate::status::operation::RemoteOperation;

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
        store(self.state, false).await
    }

    /// Stores now what the author's fields of the status hold, each time it is called; otherwise they are written at the end of the pass.
    /// Conditions are found out in the end only: they stay as they are until then. Each call that has something to store costs a write.
    ///
    /// # Errors
    /// As [`record`](Self::record).
    pub async fn commit(&mut self) -> Result<(), ApiError> {
        store(self.state, false).await
    }

    /// Makes sure that an operation that takes long has ended for the spec as it is now. `None`: it runs; say so by an error of class
    /// `waiting(poll = ..)`, and ask again in the next pass.
    ///
    /// `start` starts it and returns its handle, which the status field keeps from then on: it is stored at once, before anything waits
    /// for the operation, so that a restart asks for this one instead of starting another. `poll` asks for it; `None`: it still runs. One that
    /// failed has ended as well, so that `T` says which of both. What ended for an earlier generation is dropped, and it starts again: the
    /// spec moved meanwhile. Only a crash between the two, or an API server that cannot be reached until the operator is restarted, can
    /// make `start` run twice; where that matters, it starts under a name made of the object's UID and finds what it made before.
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
    /// Those of `start` and `poll`, after which the operation is asked for again, or the handle could not be stored.
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
        let (place, backend) = (std::any::type_name_of_val(&field), self.state.backend.clone());
        // What could not be stored is not lost as long as the process lives.
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

/// Stores the author's fields in the middle of the pass. An `urgent` record is stored although the spec has changed since the pass began.
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
            state.trouble = Some(error.clone());
            return Err(error);
        }
    }
    Ok(())
}
