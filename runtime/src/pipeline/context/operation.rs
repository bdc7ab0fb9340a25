//! Long operations: started once, remembered before they are waited for, and asked until they end.

use std::future::Future;

use super::{Cx, StatusOf};
use crate::api::ApiError;
use crate::pipeline::step::SubReconciler;
use crate::status::operation::Operation;

impl<S: SubReconciler> Cx<'_, S> {
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
        field: impl Fn(&mut StatusOf<S>) -> &mut Option<Operation> + Send,
        start: impl FnOnce() -> A + Send,
        poll: impl FnOnce(String) -> B + Send,
    ) -> Result<Option<T>, E>
    where
        A: Future<Output = Result<String, E>> + Send,
        B: Future<Output = Result<Option<T>, E>> + Send,
        E: From<ApiError>,
    {
        let (place, backend) = (std::any::type_name_of_val(&field), self.draft.backend.clone());
        // What could not be stored is not lost as long as the process lives.
        if let Some(running) = field(self.status()).clone().or_else(|| backend.operation(place)) {
            let Some(ended) = poll(running.handle.clone()).await? else {
                *field(self.status()) = Some(running);
                return Ok(None);
            };
            *field(self.status()) = None;
            backend.keep_operation(place, None);
            if running.generation == self.draft.generation() {
                return Ok(Some(ended));
            }
        }
        let started = Operation { handle: start().await?, generation: self.draft.generation() };
        backend.keep_operation(place, Some(started.clone()));
        *field(self.status()) = Some(started);
        self.store(true).await?;
        Ok(None)
    }
}
