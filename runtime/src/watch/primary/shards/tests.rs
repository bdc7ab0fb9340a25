//! Two shards in one cache, whose watches deliver events in any order.

use std::num::NonZeroU16;

use kube::api::DynamicObject;
use serde_json::{Value, json};

use super::*;
use crate::client::decode::Decoder;
use crate::queue::QueueStats;
use crate::watch::primary::tests::{Thing, filter, key, thing};
use crate::wiring::WatcherWiring;

/// UIDs in the first and in the second of two shards.
const UIDS: [&str; 2] = ["x1", "a"];

/// The watches of both shards.
struct Shards {
    primary: Primary,
    queue: Queue,
    feeds: [(ShardFeed, Arc<AtomicBool>); 2],
}

impl Shards {
    fn new() -> Self {
        Self::with(filter())
    }

    fn with(filter: PrimaryPredicate) -> Self {
        let (primary, queue) = (Primary::new(Decoder::of::<Thing>()), Queue::default());
        let filter = Arc::new(filter);
        let feeds = [0, 1].map(|index| {
            let shard = UidShard { index, of: NonZeroU16::new(2).unwrap() };
            assert!(shard.contains(UIDS[usize::from(index)]));
            let area = Area { namespace: None, shard: Some(shard) };
            let feed = Feed::new(primary.clone(), filter.clone(), queue.clone(), area);
            (ShardFeed { feed, shard }, Arc::default())
        });
        Self { primary, queue, feeds }
    }

    fn send(&mut self, shard: usize, event: Event<Decoded>) {
        let (feed, has_left) = &mut self.feeds[shard];
        feed.take(event, has_left);
    }

    /// The list of a shard consists of these objects.
    fn list(&mut self, shard: usize, objects: impl IntoIterator<Item = Decoded>) {
        self.send(shard, Event::Init);
        objects.into_iter().for_each(|object| self.send(shard, Event::InitApply(object)));
        self.send(shard, Event::InitDone);
    }

    fn leave(&self, shard: usize) -> Vec<Key> {
        let (ShardFeed { feed, .. }, has_left) = &self.feeds[shard];
        let feeds = vec![Feed::new(feed.primary.clone(), feed.filter.clone(), feed.queue.clone(), feed.area.clone())];
        let watches = SharedWatches::new(client(), crate::watch::Health::default(), crate::watch::Streaming::default());
        let (watches, lists) = watches.run_typed(&feed.primary.decoder, []);
        JoinedShard { feeds, lists, watches, has_left: has_left.clone() }.leave()
    }

    /// UID and version of the cached object of the usual name.
    fn cached(&self) -> Option<(String, String)> {
        self.primary.seen_uid(&key())
    }

    fn added(&self) -> u64 {
        let QueueStats { added, .. } = self.queue.figures();
        added
    }
}

fn client() -> kube::Client {
    let service = tower::service_fn(|_: http::Request<kube::client::Body>| {
        std::future::pending::<Result<http::Response<kube::client::Body>, std::convert::Infallible>>()
    });
    kube::Client::new(service, "default")
}

/// The object of the usual name in a shard.
fn of(shard: usize, version: &str) -> Decoded {
    changed(shard, version, &[])
}

fn changed(shard: usize, version: &str, changes: &[(&str, Value)]) -> Decoded {
    let mut all = json!({ "/metadata/uid": UIDS[shard] });
    all.as_object_mut().unwrap().extend(changes.iter().map(|(path, value)| ((*path).to_owned(), value.clone())));
    thing(version, &all)
}

/// An object of another name in a shard.
fn named(shard: usize, name: &str, version: &str) -> Decoded {
    changed(shard, version, &[("/metadata/name", json!(name))])
}

fn entry(shard: usize, version: &str) -> Option<(String, String)> {
    Some((UIDS[shard].to_owned(), version.to_owned()))
}

fn names(keys: &[Key]) -> Vec<&str> {
    let mut names: Vec<&str> = keys.iter().map(|key| &*key.name).collect();
    names.sort_unstable();
    names
}

/// All ways to interleave the events of two watches. The events of one watch stay in their order.
fn merges(left: usize, right: usize) -> Vec<Vec<usize>> {
    match (left, right) {
        (0, right) => vec![vec![1; right]],
        (left, 0) => vec![vec![0; left]],
        _ => {
            let begin = |shard: usize, rest: Vec<Vec<usize>>| {
                rest.into_iter().map(move |mut rest| {
                    rest.insert(0, shard);
                    rest
                })
            };
            begin(0, merges(left - 1, right)).chain(begin(1, merges(left, right - 1))).collect()
        }
    }
}

#[test]
fn an_object_created_again_in_another_shard_survives_each_order_of_events() {
    let orders = merges(3, 2);
    assert_eq!(orders.len(), 10);
    for order in orders {
        let mut shards = Shards::new();
        let mut events = [
            vec![Event::Apply(of(0, "1")), Event::Apply(of(0, "2")), Event::Delete(of(0, "3"))].into_iter(),
            vec![Event::Apply(of(1, "4")), Event::Apply(of(1, "5"))].into_iter(),
        ];
        for shard in &order {
            let event = events[*shard].next().unwrap();
            shards.send(*shard, event);
        }
        assert_eq!(shards.cached(), entry(1, "5"), "{order:?}");
        assert!(shards.primary.older.lock().is_empty(), "{order:?}");
    }
}

#[test]
fn an_object_that_a_restore_brings_back_is_cached_when_the_newer_one_is_gone() {
    for relist in [true, false] {
        let mut shards = Shards::new();
        shards.send(1, Event::Apply(of(1, "9")));
        shards.list(0, [of(0, "4")]);
        assert_eq!(shards.cached(), entry(1, "9"), "the versions went back");
        match relist {
            true => shards.list(1, []),
            false => shards.send(1, Event::Delete(of(1, "9"))),
        }
        assert_eq!(shards.cached(), entry(0, "4"));
        assert!(shards.primary.older.lock().is_empty());
    }
}

#[test]
fn an_older_object_is_forgotten_unless_it_is_listed_again() {
    let mut shards = Shards::new();
    shards.send(1, Event::Apply(of(1, "9")));
    shards.list(0, [of(0, "4")]);
    shards.list(0, []);
    shards.list(1, []);
    assert_eq!(shards.cached(), None);
}

#[test]
fn a_replaced_object_that_kept_its_finalizer_is_cleaned_up() {
    let mut shards = Shards::new();
    shards.send(0, Event::Apply(of(0, "1")));
    shards.send(1, Event::Apply(of(1, "4")));
    shards.send(0, Event::Delete(of(0, "3")));
    let vanished = shards.primary.vanished(&key()).unwrap();
    assert_eq!((vanished.uid(), shards.cached()), (UIDS[0], entry(1, "4")));
    let deletion = ("/metadata/deletionTimestamp", json!("2024-01-01T00:00:00Z"));
    let mut shards = Shards::new();
    shards.send(0, Event::Apply(of(0, "1")));
    shards.send(1, Event::Apply(of(1, "4")));
    shards.send(0, Event::Delete(changed(0, "3", &[deletion])));
    assert!(shards.primary.vanished(&key()).is_none(), "its finalizers were removed after its cleanup");
}

#[test]
fn a_relist_removes_only_objects_of_its_shard() {
    let mut shards = Shards::new();
    let broken =
        |shard, name: &str| changed(shard, "3", &[("/metadata/name", json!(name)), ("/spec/size", json!("big"))]);
    shards.list(0, [named(0, "a", "1"), named(0, "b", "2"), broken(0, "c")]);
    shards.list(1, [named(1, "d", "1"), broken(1, "e")]);
    shards.list(0, [named(0, "b", "2")]);
    assert_eq!(names(&shards.primary.keys()), ["b", "d"]);
    let seen = |name| shards.primary.seen_version(&Key::new(Some("a"), name)).is_some();
    assert_eq!((seen("c"), seen("e")), (false, true), "also of those that do not fit their type");
}

#[tokio::test]
async fn a_shard_that_leaves_takes_exactly_its_objects() {
    let mut shards = Shards::new();
    let misfit =
        |shard, name: &str| changed(shard, "2", &[("/metadata/name", json!(name)), ("/spec/size", json!("big"))]);
    shards.list(0, [named(0, "a", "1"), named(0, "b", "1"), misfit(0, "c")]);
    shards.list(1, [named(1, "d", "1"), misfit(1, "e")]);
    // Their finalizers are still there.
    shards.send(0, Event::Delete(named(0, "b", "3")));
    shards.send(1, Event::Delete(named(1, "d", "3")));
    shards.list(1, [named(1, "f", "1"), misfit(1, "e")]);
    let (added, key) = (shards.added(), |name: &str| Key::new(Some("a"), name));
    assert_eq!(names(&shards.leave(0)), ["a", "c"]);
    assert_eq!(shards.added(), added, "that triggers nothing");
    assert_eq!(names(&shards.primary.keys()), ["f"]);
    assert!(shards.primary.undecodable(&key("c")).is_none() && shards.primary.undecodable(&key("e")).is_some());
    assert!(shards.primary.vanished(&key("b")).is_none() && shards.primary.vanished(&key("d")).is_some());
    // The watch may be in the middle of an event.
    shards.send(0, Event::Apply(named(0, "g", "4")));
    assert_eq!(names(&shards.primary.keys()), ["f"]);
    assert_eq!(names(&shards.leave(0)), Vec::<&str>::new());
}

#[tokio::test]
async fn an_older_object_appears_when_the_shard_of_the_newer_one_leaves() {
    let mut shards = Shards::new();
    shards.send(1, Event::Apply(of(1, "9")));
    shards.send(0, Event::Apply(of(0, "4")));
    shards.leave(1);
    assert_eq!(shards.cached(), entry(0, "4"));
}

#[tokio::test]
async fn a_watcher_forgets_the_changes_of_a_shard_that_leaves() {
    let mut shards = Shards::with(PrimaryPredicate { watcher: Some(WatcherWiring::DEFAULT), ..filter() });
    for (shard, name) in [(0, "a"), (1, "b")] {
        shards.send(shard, Event::Apply(named(shard, name, "1")));
        let labels = [("/metadata/name", json!(name)), ("/metadata/labels", json!({}))];
        shards.send(shard, Event::Apply(changed(shard, "2", &labels)));
        assert!(shards.primary.before(&Key::new(Some("a"), name), UIDS[shard]).is_some());
    }
    shards.leave(0);
    assert!(shards.primary.before(&Key::new(Some("a"), "a"), UIDS[0]).is_none());
    assert!(shards.primary.before(&Key::new(Some("a"), "b"), UIDS[1]).is_some());
}

#[tokio::test]
async fn a_late_answer_to_a_write_does_not_bring_an_object_back() {
    let mut shards = Shards::new();
    shards.send(0, Event::Apply(of(0, "1")));
    shards.leave(0);
    let written: DynamicObject = serde_json::from_value(json!({
        "apiVersion": "example.com/v1", "kind": "Thing", "spec": { "size": 1 },
        "metadata": { "name": "t", "namespace": "a", "uid": UIDS[0], "resourceVersion": "2" },
    }))
    .unwrap();
    assert!(shards.primary.take_answer(&written).is_some());
    assert_eq!(shards.cached(), None);
}
