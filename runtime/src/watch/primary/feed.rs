//! The events of one watch, as changes of the cache and additions to the queue.

use std::sync::Arc;

use kube::runtime::watcher::Event;

use super::area::Area;
use super::listing::{CacheChange, Listing};
use super::predicate::PrimaryPredicate;
use super::rollback::{Newest, Source};
use super::{Primary, version_of};
use crate::client::decode::Decoded;
use crate::queue::{Key, Queue, TriggerSet};
use crate::watch::first_list::WatchHandle;
use crate::watch::shared::SharedWatches;
use crate::watch::watch_target::WatchTarget;

impl Primary {
    /// Joins the watch of one target and enqueues objects on its events. The objects of a list are enqueued when the list is complete.
    pub(crate) fn join(
        &self,
        watches: &SharedWatches,
        place: &WatchTarget,
        filter: Arc<PrimaryPredicate>,
        queue: Queue,
    ) -> WatchHandle {
        let mut feed = Feed::new(self.clone(), filter, queue, Area::of(place));
        watches.join_typed(place, self.decoder.clone(), move |event| feed.take(event))
    }
}

/// The effects of one watch on the cache and the queue.
pub(super) struct Feed {
    pub(super) primary: Primary,
    pub(super) filter: Arc<PrimaryPredicate>,
    pub(super) queue: Queue,
    pub(super) area: Area,
    list: Listing,
    newest: Newest,
}

impl Feed {
    pub(super) fn new(primary: Primary, filter: Arc<PrimaryPredicate>, queue: Queue, area: Area) -> Self {
        Self { primary, filter, queue, area, list: Listing::default(), newest: Newest::default() }
    }

    /// Changes the cache, and enqueues objects. The objects of a list are enqueued when the list is complete.
    pub(super) fn take(&mut self, event: Event<Decoded>) {
        match event {
            // The changes of an earlier, incomplete list were not enqueued yet, and the watch does not deliver them again as changes.
            Event::Init => {
                let changes = std::mem::take(&mut self.list.changes);
                self.list = Listing { wrote: self.primary.outstanding(&self.area), changes, ..Listing::default() };
            }
            Event::InitApply(object) => self.list_object(object),
            Event::InitDone => {
                let Listing { seen, changes, newest, .. } = std::mem::take(&mut self.list);
                self.newest = newest;
                self.enqueue(changes);
                self.enqueue(self.primary.retain(&self.area, &seen, &self.filter));
            }
            Event::Apply(object) => {
                self.newest.raise(version_of(object.metadata()));
                self.enqueue(self.primary.apply(object, &self.filter));
            }
            Event::Delete(object) => {
                self.newest.raise(version_of(object.metadata()));
                self.enqueue(self.primary.delete(object, &self.filter));
            }
        }
    }

    fn list_object(&mut self, object: Decoded) {
        let list = &mut self.list;
        let key = Key::of(object.metadata());
        list.newest.raise(version_of(object.metadata()));
        let source = Source::List { wrote: list.wrote.get(&key).map(|v| &**v), newest: &self.newest };
        list.changes.extend(self.primary.take(&key, object, &self.filter, source));
        list.seen.insert(key);
    }

    pub(super) fn enqueue(&self, changes: impl IntoIterator<Item = CacheChange>) {
        for CacheChange { key, triggers } in changes {
            match self.primary.seen_version(&key) {
                Some(version) => self.queue.seen(&key, &version),
                None => tracing::debug!(object = %key, "the object was deleted"),
            }
            if !triggers.is_empty() {
                self.queue.add(&key, triggers);
            }
            for dependent in self.filter.dependents.of(&key) {
                self.queue.add(&dependent, TriggerSet::WATCHED);
            }
        }
    }
}
