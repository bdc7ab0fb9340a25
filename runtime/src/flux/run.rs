//! The end of a run and a progress in its middle, patch included.

use serde::Serialize;

use super::{
    Error, Object, PatchError, Port, Reconciled, ResultBuilder, ResultProcessor, RunEnd, RuntimeResult, SerialPatcher,
    Summarize,
};

impl Summarize<'_> {
    /// [Ends](Self::end) a run and writes what changed: `SummarizeAndPatch`.
    ///
    /// # Errors
    /// That of the run, that of the patch, or both as one. An object that is gone is no error if it was being deleted and
    /// [`ignore_not_found`](Self::ignore_not_found) says so.
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

    /// Summarises and writes in the middle of a run.
    ///
    /// # Errors
    /// That of the patch. A step makes a typed error of it: `Error::generic("PatchOperationFailed", error)`.
    pub async fn patch_progress<K: Object + Serialize, P: Port>(
        &self,
        patcher: &mut SerialPatcher<P>,
        object: &mut K,
    ) -> Result<(), PatchError> {
        let options = self.intermediate(object);
        patcher.patch(object, &options).await
    }
}
