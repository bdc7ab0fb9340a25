//! A write of a dependent that is under way.

use std::sync::Arc;

use kube::api::DynamicObject;
use serde_json::json;

use super::known::{KnownDependent, Reader};
use super::store::{Id, Store};
use crate::dependent_rules::response::FieldOwner;
use crate::lock::{Mutex, MutexGuard};
use crate::queue::Key;
use crate::wiring::KindInfo;

/// The write of an object. Its response is recorded before the watch delivers it.
#[must_use = "the write ends when this is dropped"]
pub(crate) struct Writing {
    store: Arc<Store>,
    reader: Reader,
    kind: KindInfo,
    id: Id,
    /// The component of an object that may be created although no answer comes.
    unanswered: Mutex<Option<Key>>,
}

impl Writing {
    pub(super) fn begin(store: Arc<Store>, reader: Reader, kind: KindInfo, id: Id) -> Self {
        store.begin_write(&id);
        Self { store, reader, kind, id, unanswered: Mutex::default() }
    }

    /// Announces that the object may be created for this component. If the write ends without an answer, it counts as possible for a while.
    pub(crate) fn may_create(&self, component: &Key) {
        *self.unanswered() = Some(component.clone());
    }

    /// Records that an answer came.
    pub(crate) fn answered(&self) {
        *self.unanswered() = None;
    }

    fn unanswered(&self) -> MutexGuard<'_, Option<Key>> {
        self.unanswered.lock()
    }

    /// Records the response of an apply, with `managedFields`.
    pub(crate) fn wrote(&self, object: &DynamicObject) {
        self.answered();
        let read = json!(object);
        let owners = FieldOwner::all(&read);
        if let Some(known) = self.reader.read(&self.kind, &object.metadata, (read, &owners)) {
            let baseline = known.fields;
            self.store.wrote(&self.id, KnownDependent { baseline, ..known });
        }
    }

    /// Records that the object with this uid was deleted, and whether it is gone already.
    pub(crate) fn deleted(&self, uid: &str, is_gone: bool) {
        self.store.deleted(&self.id, uid, is_gone);
    }

    /// Records that the object with this uid is no dependent any more.
    pub(crate) fn released(&self, uid: &str) {
        self.store.deleted(&self.id, uid, true);
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        if let Some(component) = self.unanswered().take() {
            self.store.unanswered(&self.id, component);
        }
        self.store.end_write(&self.id);
    }
}
