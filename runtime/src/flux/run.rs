//! The end and the progress of a run, including the patch.

use serde::Serialize;

use super::{
    Error, Object, PatchError, Port, Reconciled, ResultBuilder, ResultProcessor, RunEnd, RuntimeResult, SerialPatcher,
    Summarize,
};

impl Summarize<'_> {
    /// [Ends](Self::end) a run and writes the changes: `SummarizeAndPatch`.
    ///
    /// # Errors
    /// The error of the run, that of the patch, or both as one. With [`ignore_not_found`](Self::ignore_not_found), a missing object is no
    /// error if it was being deleted.
    pub async fn end_and_patch<K: Object + Serialize, P: Port>(
        &self,
        patcher: &mut SerialPatcher<P>,
        object: &mut K,
        reconciled: Reconciled,
        builder: &dyn ResultBuilder,
        processors: &mut [&mut dyn ResultProcessor<K>],
    ) -> Result<RuntimeResult, Error> {
        let RunEnd { returned, options } = self.end(object, reconciled, builder, processors);
        match patcher.patch(object, &options).await {
            Ok(()) => returned,
            Err(gone) if self.ignore_not_found && object.is_deleting() && gone.is_not_found() => returned,
            Err(patch) => Err(match returned {
                Ok(_) => Error::plain(patch),
                Err(error) => Error::plain(format!("[{error}, {patch}]")),
            }),
        }
    }

    /// Computes the summaries and writes the changes in the middle of a run.
    ///
    /// # Errors
    /// The error of the patch. Steps turn it into a typed error: `Error::generic("PatchOperationFailed", error)`.
    pub async fn patch_progress<K: Object + Serialize, P: Port>(
        &self,
        patcher: &mut SerialPatcher<P>,
        object: &mut K,
    ) -> Result<(), PatchError> {
        let options = self.intermediate(object);
        patcher.patch(object, &options).await
    }
}
