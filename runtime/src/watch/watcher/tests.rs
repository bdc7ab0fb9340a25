//! Watches of a shard, on servers that obey, ignore or reject its selector.

use std::num::NonZeroU16;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use evenkeel_testkit::{Cluster, eventually};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::api::{DeleteParams, PostParams};
use serde_json::json;

use super::*;
use crate::client::decode::Meta;
use crate::uid_shard::UidShard;
use crate::watch::Scope;
use crate::wiring::KindInfo;

const MINUTE: Duration = Duration::from_secs(60);

/// The names in the events of a watch of the first half, and the number of foreign objects.
struct Events {
    names: Arc<Mutex<Vec<String>>>,
    health: Health,
    progress: watch::Receiver<Progress>,
    _watch: tokio_util::task::AbortOnDropHandle<()>,
}

impl Events {
    fn of(client: Client, streams: bool) -> Self {
        let (names, health) = (Arc::<Mutex<Vec<String>>>::default(), Health::default());
        let streaming = Streaming::wanted(streams);
        let setup = Setup { client: client.clone(), health: health.clone(), streaming, span: Span::none() };
        let half = UidShard { index: 0, of: NonZeroU16::new(2).unwrap() };
        let place = Scope::default().place(&KindInfo::of::<ConfigMap>(), Some("default".into())).in_shard(half);
        let progress = Arc::new(watch::Sender::new(Progress::Pending));
        let receiver = progress.subscribe();
        let seen = names.clone();
        let name = |type_: &str, object: &Meta| format!("{type_} {}", object.0.name.as_deref().unwrap_or_default());
        let follow = setup.watch(client, &place, None, progress).follow::<Meta>(move |event| {
            seen.lock().unwrap().extend(match &event {
                Event::InitApply(object) => Some(name("listed", object)),
                Event::Apply(object) => Some(name("applied", object)),
                Event::Delete(object) => Some(name("deleted", object)),
                Event::Init | Event::InitDone => None,
            });
        });
        let handle = tokio_util::task::AbortOnDropHandle::new(tokio::spawn(follow));
        Self { names, health, progress: receiver, _watch: handle }
    }

    async fn listed(&mut self) {
        self.progress.wait_for(|progress| *progress == Progress::Listed).await.unwrap();
    }

    async fn are(&self, wanted: &[String]) {
        eventually(MINUTE, async || (*self.names.lock().unwrap() == wanted).then_some(())).await;
    }
}

/// Creates a map, and returns its name, and whether it is in the first half.
async fn create(cluster: &Cluster, name: &str) -> (String, bool) {
    let map = serde_json::from_value(json!({ "metadata": { "name": name } })).unwrap();
    let maps = Api::<ConfigMap>::namespaced(cluster.client(), "default");
    let made = maps.create(&PostParams::default(), &map).await.unwrap();
    (name.to_owned(), UidShard::of(&made.metadata.uid.unwrap(), NonZeroU16::new(2).unwrap()).index == 0)
}

/// The events of eight listed and eight later maps, which are deleted then, and the number of all maps in the other half.
async fn expected(cluster: &Cluster, streams: bool) -> (Events, Vec<String>, u64) {
    let (mut maps, mut wanted) = (Vec::new(), Vec::new());
    for index in 0..8 {
        maps.push(create(cluster, &format!("a{index}")).await);
    }
    wanted.extend(maps.iter().filter(|(_, mine)| *mine).map(|(name, _)| format!("listed {name}")));
    let mut events = Events::of(cluster.client(), streams);
    events.listed().await;
    for index in 0..8 {
        maps.push(create(cluster, &format!("b{index}")).await);
    }
    wanted.extend(maps[8..].iter().filter(|(_, mine)| *mine).map(|(name, _)| format!("applied {name}")));
    let api = Api::<ConfigMap>::namespaced(cluster.client(), "default");
    for (name, mine) in &maps {
        api.delete(name, &DeleteParams::default()).await.unwrap();
        wanted.extend(mine.then(|| format!("deleted {name}")));
    }
    let foreign = maps.iter().filter(|(_, mine)| !mine).count();
    (events, wanted, foreign.try_into().unwrap())
}

#[tokio::test(start_paused = true)]
async fn a_watch_of_a_shard_receives_only_its_objects() {
    for streams in [false, true] {
        let cluster = Cluster::builder().sharding().start().await;
        let (events, wanted, _) = expected(&cluster, streams).await;
        events.are(&wanted).await;
        assert_eq!(events.health.foreign_objects(), Some(0));
    }
}

#[tokio::test(start_paused = true)]
async fn foreign_objects_are_dropped_and_counted() {
    for streams in [false, true] {
        let cluster = Cluster::start().await;
        let (events, wanted, foreign) = expected(&cluster, streams).await;
        // Each of them is created and deleted.
        eventually(MINUTE, async || (events.health.foreign_objects() == Some(2 * foreign)).then_some(())).await;
        events.are(&wanted).await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_unreadable_selector_is_retried_rarely() {
    let requests = Arc::new(AtomicUsize::new(0));
    let counted = requests.clone();
    let service = tower::service_fn(move |_: http::Request<kube::client::Body>| {
        counted.fetch_add(1, Ordering::SeqCst);
        let status =
            json!({ "kind": "Status", "status": "Failure", "code": 500, "message": "invalid shard selector: x" });
        let body = kube::client::Body::from(status.to_string().into_bytes());
        std::future::ready(http::Response::builder().status(500).body(body))
    });
    for streams in [false, true] {
        requests.store(0, Ordering::SeqCst);
        let events = Events::of(Client::new(service.clone(), "default"), streams);
        tokio::time::sleep(10 * MINUTE - Duration::from_secs(1)).await;
        assert_eq!(requests.load(Ordering::SeqCst), 20);
        let failing = events.health.failing();
        let (_, why, help) = failing[0].broken.as_ref().unwrap();
        assert_eq!(why, "the API server does not understand the shard selector: invalid shard selector: x");
        assert!(help.contains("ShardedListAndWatch"));
        assert_eq!(events.health.foreign_objects(), Some(0));
    }
}
