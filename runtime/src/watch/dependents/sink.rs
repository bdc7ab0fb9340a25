//! What becomes of the events of one watch of dependents.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kube::runtime::watcher::Event;

use super::known::Reader;
use super::store::Store;
use crate::client::decode::{METADATA, Marked, READINESS, WHOLE};
use crate::queue::{Key, Queue, TriggerSet};
use crate::watch::first_list::First;
use crate::watch::form::ObjectForm;
use crate::watch::shared::SharedWatches;
use crate::watch::watch_target::WatchTarget;
use crate::wiring::KindInfo;

/// Receives the events of one watch.
pub(super) struct Sink {
    pub(super) at: usize,
    pub(super) kind: KindInfo,
    pub(super) namespace: Option<String>,
    pub(super) reader: Reader,
    pub(super) store: Arc<Store>,
    pub(super) live: Arc<AtomicBool>,
    pub(super) queue: Queue,
}

impl Sink {
    /// Joins the watch of one place.
    pub(super) fn join(self, watches: &SharedWatches, place: &WatchTarget) -> Arc<First> {
        match self.reader.part(&self.kind) {
            WHOLE => self.join_form::<WHOLE>(watches, place),
            READINESS => self.join_form::<READINESS>(watches, place),
            _ => self.join_form::<METADATA>(watches, place),
        }
    }

    fn join_form<const PART: u8>(self, watches: &SharedWatches, place: &WatchTarget) -> Arc<First>
    where
        Marked<PART>: ObjectForm,
    {
        let first = Arc::new(First::of(watches.progress::<Marked<PART>>(place)));
        let result = first.clone();
        watches.join(place, move |event: Event<Marked<PART>>| {
            let is_complete = matches!(event, Event::InitDone);
            let mut components = match event {
                Event::Init => {
                    self.store.begin_list(self.at);
                    Vec::new()
                }
                Event::InitApply(marked) => self.apply(marked, true),
                Event::Apply(marked) => self.apply(marked, false),
                Event::Delete(Marked { meta, .. }) => {
                    self.store.remove(self.at, &Key::of(&meta), meta.uid.as_deref().unwrap_or_default())
                }
                Event::InitDone => self.store.end_list(self.at, self.namespace.as_deref()),
            };
            if is_complete && first.completes() {
                components = self.store.components();
            }
            if self.live.load(Ordering::SeqCst) {
                components.iter().for_each(|component| self.queue.add(component, TriggerSet::OWNED));
            }
        });
        result
    }

    fn apply<const PART: u8>(&self, marked: Marked<PART>, is_listed: bool) -> Vec<Key> {
        let Marked { meta, object, owners } = marked;
        let id = (self.at, Key::of(&meta));
        match self.reader.read(&self.kind, &meta, (object, &owners)) {
            Some(known) => self.store.apply(id, known, is_listed),
            // Its mark is a copy, or that of another reconciler, or was removed.
            None => self.store.remove(id.0, &id.1, meta.uid.as_deref().unwrap_or_default()),
        }
    }
}
