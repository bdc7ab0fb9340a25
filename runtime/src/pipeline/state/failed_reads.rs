//! Reads that failed in the current step. The pass is repeated, although the step waits for the object: no watch triggers a pass when the
//! API server answers again.

use std::fmt::Display;
use std::sync::Arc;

use crate::api::ApiError;
use crate::lock::Mutex;

/// The messages of the reads that failed in the current step. The futures of its reads share them.
#[derive(Clone, Default)]
pub(crate) struct FailedReads(Option<Arc<Mutex<Vec<String>>>>);

impl FailedReads {
    /// The list to which a read adds its error. It is created for the first read, since most steps read nothing.
    pub(crate) fn shared(&mut self) -> Self {
        self.0.get_or_insert_default();
        self.clone()
    }

    /// Records a failed read, and returns its error.
    pub(crate) fn note(&self, error: ApiError) -> ApiError {
        if let Some(messages) = &self.0 {
            messages.lock().push(error.to_string());
        }
        error
    }

    /// Forgets the reads when another step begins.
    pub(super) fn clear(&mut self) {
        self.0 = None;
    }

    /// Whether the error of a step comes from one of these reads. It contains the message of the read.
    pub(crate) fn caused(&self, error: &dyn Display) -> bool {
        let Some(messages) = &self.0 else { return false };
        let messages = messages.lock();
        if messages.is_empty() {
            return false;
        }
        let error = error.to_string();
        messages.iter().any(|message| error.contains(message.as_str()))
    }
}
