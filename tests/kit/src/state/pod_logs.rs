//! The logs of containers, as set by a test.

use std::collections::HashMap;
use std::sync::Arc;

use crate::lock::Mutex;

/// Texts by namespace, pod and container.
#[derive(Debug, Default)]
pub(crate) struct Texts(Mutex<HashMap<[String; 3], Arc<str>>>);

impl Texts {
    pub(crate) fn set(&self, place: [&str; 3], text: &str) {
        self.0.lock().insert(place.map(str::to_owned), text.into());
    }

    pub(crate) fn of(&self, place: [&str; 3]) -> Option<Arc<str>> {
        self.0.lock().get(&place.map(str::to_owned)).cloned()
    }
}
