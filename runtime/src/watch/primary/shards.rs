//! The shards of a cache, whose watches begin and end while the operator runs.
//!
//! The watch of each shard has its own connection, so the events of two shards arrive in any order. That matters for an object that is
//! deleted and created again: its UID changes, and with it the shard. The cache holds one object per name, the newer one. An older object
//! is set aside until its deletion arrives, since a restored API server lowers all versions: then the newer one disappears instead.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kube::runtime::watcher::Event;

use super::area::Area;
use super::feed::Feed;
use super::listing::CacheChange;
use super::older::OlderObjects;
use super::predicate::PrimaryPredicate;
use super::vanished::has_vanished;
use super::{Primary, version_of};
use crate::client::decode::Decoded;
use crate::queue::{Key, Queue, TriggerSet};
use crate::resource_version::is_newer;
use crate::uid_shard::UidShard;
use crate::watch::first_list::{Progress, WatchHandle};
use crate::watch::shared::{SharedWatches, Started};
use crate::watch::watch_target::WatchTarget;

/// A shard whose objects the cache holds. Dropping it ends the watch and removes these objects, without a trigger or a deletion.
#[cfg_attr(not(feature = "lease"), allow(dead_code, reason = "only replicas have shards"))]
pub(crate) struct JoinedShard {
    feeds: Vec<Feed>,
    lists: Vec<WatchHandle>,
    watches: Started,
    has_left: Arc<AtomicBool>,
}

impl Primary {
    /// Starts the watches of one shard of these targets, which fill this cache and enqueue its objects.
    pub(crate) fn join_shard(
        &self,
        watches: &SharedWatches,
        (shard, places): (UidShard, &[WatchTarget]),
        filter: &Arc<PrimaryPredicate>,
        queue: &Queue,
    ) -> JoinedShard {
        let has_left = Arc::<AtomicBool>::default();
        let places: Vec<_> = places.iter().map(|place| place.clone().in_shard(shard)).collect();
        let feed = |place| Feed::new(self.clone(), filter.clone(), queue.clone(), Area::of(place));
        let sinks = places.iter().map(|place| {
            let (mut feed, has_left) = (ShardFeed { feed: feed(place), shard }, has_left.clone());
            let sink = move |event| feed.take(event, &has_left);
            (place.clone(), Box::new(sink) as Box<_>)
        });
        let (watches, lists) = watches.run_typed(&self.decoder, sinks);
        JoinedShard { feeds: places.iter().map(feed).collect(), lists, watches, has_left }
    }

    /// Removes the objects of an area, and everything else that is known about them. Returns their names.
    fn forget(&self, area: &Area) -> Vec<Key> {
        let mut objects = self.lock();
        let mine = objects.iter().filter(|(key, known)| area.contains(key, &known.uid()));
        let keys: Vec<Key> = mine.map(|(key, _)| key.clone()).collect();
        keys.iter().for_each(|key| objects.discard(key));
        drop(objects);
        let is_other = |key: &Key, uid: &str| !area.contains(key, uid);
        self.aside.retain(is_other);
        self.vanished.retain(is_other);
        self.changed.retain(is_other);
        keys
    }

    /// The UID of the object of this name, and the version that the watch delivered.
    fn seen_uid(&self, key: &Key) -> Option<(String, String)> {
        self.lock().peek(key).map(|known| (known.uid().into_owned(), known.version().into_owned()))
    }
}

#[cfg_attr(not(feature = "lease"), allow(dead_code, reason = "only replicas have shards"))]
impl JoinedShard {
    /// Waits until all objects of the shard are listed. The cache holds them then, and they are enqueued.
    pub(crate) fn listed(&self) -> impl Future<Output = ()> + Send + use<> {
        let lists = self.lists.clone();
        async move {
            for (_, mut progress) in lists {
                if progress.wait_for(|progress| *progress == Progress::Listed).await.is_err() {
                    // The watch has ended, which `ended` reports.
                    std::future::pending::<()>().await;
                }
            }
        }
    }

    /// Waits until a watch ends, which watches do not do on their own. Returns its name and the reason.
    pub(crate) async fn ended(&mut self) -> (String, String) {
        self.watches.ended().await
    }

    /// Ends the watches and removes the objects of the shard from the cache. Returns their names.
    #[cfg(test)]
    pub(crate) fn leave(mut self) -> Vec<Key> {
        self.forget()
    }
}

impl JoinedShard {
    fn forget(&mut self) -> Vec<Key> {
        let Some(primary) = self.feeds.first().map(|feed| feed.primary.clone()) else { return Vec::new() };
        let mut older = primary.older.lock();
        // A sink that waits for the lock changes nothing any more.
        if self.has_left.swap(true, Ordering::SeqCst) {
            return Vec::new();
        }
        let keys = self.feeds.iter().flat_map(|feed| {
            older.retain(|key, object| !feed.area.contains(key, uid_of(object)));
            primary.forget(&feed.area)
        });
        let keys = keys.collect();
        self.feeds.iter().for_each(|feed| restore_older(feed, &mut older));
        keys
    }
}

impl Drop for JoinedShard {
    fn drop(&mut self) {
        self.forget();
    }
}

/// The events of the watch of a shard.
struct ShardFeed {
    feed: Feed,
    shard: UidShard,
}

impl ShardFeed {
    fn take(&mut self, event: Event<Decoded>, has_left: &AtomicBool) {
        let objects = self.feed.primary.older.clone();
        let mut older = objects.lock();
        if has_left.load(Ordering::SeqCst) {
            return;
        }
        match event {
            Event::Apply(object) | Event::InitApply(object) if self.is_older(&object) => {
                older.insert(Key::of(object.metadata()), object);
            }
            Event::Delete(object) if self.is_replaced(&object) => {
                let key = Key::of(object.metadata());
                if older.get(&key).is_some_and(|older| uid_of(older) == uid_of(&object)) {
                    older.remove(&key);
                }
                self.delete_replaced(key, object);
            }
            Event::Init => {
                // The list delivers those that still exist.
                older.retain(|key, object| !self.feed.area.contains(key, uid_of(object)));
                self.feed.take(Event::Init);
            }
            event => {
                self.feed.take(event);
                restore_older(&self.feed, &mut older);
            }
        }
    }

    /// Whether the cache holds a newer object of this name from another shard.
    fn is_older(&self, object: &Decoded) -> bool {
        let known = self.feed.primary.seen_uid(&Key::of(object.metadata()));
        known.is_some_and(|(uid, version)| {
            uid != uid_of(object) && !self.shard.contains(&uid) && is_newer(&version, version_of(object.metadata()))
        })
    }

    /// Whether the cache holds another object of this name.
    fn is_replaced(&self, object: &Decoded) -> bool {
        let known = self.feed.primary.seen_uid(&Key::of(object.metadata()));
        known.is_some_and(|(uid, _)| uid != uid_of(object))
    }

    /// Records the deletion of an object of whose name the cache holds another one. It still needs its cleanup if it had our finalizer.
    fn delete_replaced(&self, key: Key, object: Decoded) {
        let Feed { primary, filter, .. } = &self.feed;
        let Decoded::Valid(object, _) = object else { return };
        if filter.watcher.is_none_or(|watcher| watcher.mark != crate::wiring::Mark::None)
            && has_vanished(object.meta(), &filter.finalizers)
        {
            primary.vanished.put(&key, primary.reduced(object));
            self.feed.enqueue([CacheChange { key, triggers: TriggerSet::DELETION }]);
        }
    }
}

/// Caches the older objects whose newer one has disappeared.
fn restore_older(feed: &Feed, older: &mut OlderObjects<'_>) {
    if older.is_empty() {
        return;
    }
    let alone: Vec<Key> = older.keys().filter(|key| feed.primary.seen_version(key).is_none()).cloned().collect();
    for object in alone.iter().filter_map(|key| older.remove(key)) {
        feed.enqueue(feed.primary.apply(object, &feed.filter));
    }
}

fn uid_of(object: &Decoded) -> &str {
    object.metadata().uid.as_deref().unwrap_or_default()
}

#[cfg(test)]
mod tests;
