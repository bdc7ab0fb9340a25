//! A writer by chance, watchers of every sort, cut streams and forgotten history: every store ends as the server is.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::runtime::reflector::{self, Store, reflector};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, ResourceExt};
use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use serde_json::{Value, json};
use tokio::time::sleep;
use tokio_util::task::AbortOnDropHandle;

use crate::random_cases::{Case, seeds};
use crate::{Cluster, Effect, Fault, Verb};

const CASES: u64 = 6;
const WRITES: usize = 300;
/// Longer than any back-off of a watcher and the longest watch.
const CALM: Duration = Duration::from_secs(1200);
const NAMESPACES: [&str; 2] = ["default", "kube-public"];

/// A store that follows the server by a watch, and what it is to hold.
struct Mirror {
    api: Api<ConfigMap>,
    labels: &'static str,
    store: Store<ConfigMap>,
    _task: AbortOnDropHandle<()>,
}

impl Mirror {
    fn start(api: Api<ConfigMap>, labels: &'static str, config: watcher::Config) -> Self {
        let (store, writer) = reflector::store();
        let config = if labels.is_empty() { config } else { config.labels(labels) };
        let stream = reflector(writer, watcher::watcher(api.clone(), config).default_backoff());
        let task = AbortOnDropHandle::new(tokio::spawn(stream.for_each(|_| async {})));
        Mirror { api, labels, store, _task: task }
    }

    async fn assert_agrees(&self, at: usize) {
        let stored = self.api.list(&ListParams::default().labels(self.labels)).await.unwrap().items;
        let mirrored: Vec<ConfigMap> = self.store.state().iter().map(|map| (**map).clone()).collect();
        assert_eq!(by_place(mirrored), by_place(stored), "mirror {at}");
    }
}

fn by_place(maps: Vec<ConfigMap>) -> BTreeMap<String, ConfigMap> {
    maps.into_iter().map(|map| (format!("{}/{}", map.namespace().unwrap(), map.name_any()), map)).collect()
}

/// Every way to list, every scope, with and without a selector.
fn mirrors(cluster: &Cluster) -> Vec<Mirror> {
    let config = watcher::Config::default;
    let ways =
        [config(), config().page_size(2), config().streaming_lists(), config().any_semantic(), config().timeout(7)];
    let all = || Api::all(cluster.client());
    let one = || Api::namespaced(cluster.client(), NAMESPACES[0]);
    let each = |way: watcher::Config| {
        [(all(), ""), (one(), ""), (all(), "colour=red"), (one(), "colour notin (red)")]
            .map(|(api, labels)| Mirror::start(api, labels, way.clone()))
    };
    ways.into_iter().flat_map(each).collect()
}

fn map(name: &str, rng: &mut StdRng) -> Value {
    let colour = ["red", "green"].choose(rng).unwrap();
    json!({"metadata": {"name": name, "labels": {"colour": colour}}, "data": {"k": rng.random_range(0..9).to_string()}})
}

/// One write; that it is refused is as good.
async fn write(cluster: &Cluster, rng: &mut StdRng) {
    let maps: Api<ConfigMap> = Api::namespaced(cluster.client(), NAMESPACES.choose(rng).unwrap());
    let name = format!("m{}", rng.random_range(0..8));
    let _ = match rng.random_range(0..4) {
        0 => maps.delete(&name, &DeleteParams::default()).await.map(|_| ()),
        1 | 2 => {
            let map = serde_json::from_value(map(&name, rng)).unwrap();
            maps.create(&PostParams::default(), &map).await.map(|_| ())
        }
        _ => maps.patch(&name, &PatchParams::default(), &Patch::Merge(map(&name, rng))).await.map(|_| ()),
    };
}

/// What befalls the watchers meanwhile.
async fn misfortune(cluster: &Cluster, rng: &mut StdRng) {
    let watches = |effect| Fault::new(effect).resource("configmaps").verb(Verb::Watch);
    let lists = |effect| Fault::new(effect).resource("configmaps").verb(Verb::List);
    match rng.random_range(0..60) {
        0 | 1 => cluster.compact(),
        2 => cluster.drop_watches(),
        3 => cluster.faults().add(watches(Effect::Expired)),
        4 => cluster.faults().add(watches(Effect::DropWatch(Duration::from_millis(rng.random_range(0..50))))),
        5 => cluster.faults().add(lists(Effect::Unavailable)),
        6 => cluster.faults().add(watches(Effect::TooManyRequests(1))),
        7..=20 => sleep(Duration::from_millis(rng.random_range(1..3000))).await,
        // Some writes come in a row before any watcher looks.
        21..=40 => tokio::task::yield_now().await,
        _ => {}
    }
}

#[tokio::test(start_paused = true)]
async fn every_store_ends_as_the_server_is() {
    for seed in seeds(CASES) {
        let (_case, mut rng) = Case::new(seed);
        // A short history: who is away for a while has missed something.
        let cluster = Cluster::builder().watch_history(rng.random_range(2..30)).start().await;
        let mirrors = mirrors(&cluster);
        for _ in 0..WRITES {
            write(&cluster, &mut rng).await;
            misfortune(&cluster, &mut rng).await;
        }
        cluster.faults().clear();
        sleep(CALM).await;
        for (at, mirror) in mirrors.iter().enumerate() {
            mirror.assert_agrees(at).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_storm_makes_watchers_list_again_and_resume() {
    let (_case, mut rng) = Case::new(1);
    let cluster = Cluster::builder().watch_history(10).start().await;
    let mirrors = mirrors(&cluster);
    for _ in 0..WRITES {
        write(&cluster, &mut rng).await;
        misfortune(&cluster, &mut rng).await;
    }
    let count = |verb: Verb| cluster.log().count(|entry| entry.resource == "configmaps" && entry.verb == verb);
    let (lists, watches) = (count(Verb::List), count(Verb::Watch));
    assert!(lists > 2 * mirrors.len() && watches > 4 * mirrors.len(), "too calm: {lists} lists, {watches} watches");
}
