//! A server of one object, whose generation the case sets.

use std::sync::{Mutex, PoisonError};

use evenkeel::ApiError;
use evenkeel::flux::{Part, Port};
use evenkeel_testkit::patch::merge_patch;
use serde_json::Value;

/// The object and the received writes.
#[derive(Debug)]
pub(crate) struct Memory(Mutex<(Value, Vec<Part>)>);

impl Memory {
    pub(crate) fn new(document: Value) -> Self {
        Self(Mutex::new((document, Vec::new())))
    }

    pub(crate) fn stored(&self) -> Value {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0.clone()
    }

    pub(crate) fn status_writes(&self) -> usize {
        let writes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        writes.1.iter().filter(|part| **part == Part::Status).count()
    }
}

impl Port for &Memory {
    async fn read(&self) -> Result<Value, ApiError> {
        Ok(self.stored())
    }

    async fn write(&self, part: Part, patch: Value, _: Option<&str>) -> Result<Value, ApiError> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        merge_patch(&mut held.0, &patch);
        held.1.push(part);
        Ok(held.0.clone())
    }

    async fn pause(&self) {}
}
