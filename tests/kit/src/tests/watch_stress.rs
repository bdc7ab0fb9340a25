//! A writer by chance, watchers of every sort, cut streams and forgotten history: every store ends as the server is.

use std::collections::BTreeMap;
use std::time::Duration;

use evenkeel_random_cases::{Choices, each_paused};
use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::runtime::reflector::{self, Store, reflector};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, ResourceExt};
use serde_json::{Value, json};
use tokio::time::sleep;
use tokio_util::task::AbortOnDropHandle;

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

fn map(name: &str, choices: &mut Choices) -> Value {
    let colour = choices.pick(&["red", "green"]);
    json!({"metadata": {"name": name, "labels": {"colour": colour}}, "data": {"k": choices.range(0..9).to_string()}})
}

/// One write; that it is refused is as good.
async fn write(cluster: &Cluster, choices: &mut Choices) {
    let maps: Api<ConfigMap> = Api::namespaced(cluster.client(), choices.pick(&NAMESPACES));
    let name = format!("m{}", choices.range(0..8));
    let _ = match choices.range(0..4) {
        0 => maps.delete(&name, &DeleteParams::default()).await.map(|_| ()),
        1 | 2 => {
            let map = serde_json::from_value(map(&name, choices)).unwrap();
            maps.create(&PostParams::default(), &map).await.map(|_| ())
        }
        _ => maps.patch(&name, &PatchParams::default(), &Patch::Merge(map(&name, choices))).await.map(|_| ()),
    };
}

/// What befalls the watchers meanwhile.
async fn misfortune(cluster: &Cluster, choices: &mut Choices) {
    let watches = |effect| Fault::new(effect).resource("configmaps").verb(Verb::Watch);
    let lists = |effect| Fault::new(effect).resource("configmaps").verb(Verb::List);
    match choices.range(0..60) {
        58 | 59 => cluster.compact(),
        57 => cluster.drop_watches(),
        56 => cluster.faults().add(watches(Effect::Expired)),
        55 => cluster.faults().add(watches(Effect::DropWatch(Duration::from_millis(choices.range(0..50))))),
        54 => cluster.faults().add(lists(Effect::Unavailable)),
        53 => cluster.faults().add(watches(Effect::TooManyRequests(1))),
        39..=52 => sleep(Duration::from_millis(choices.range(1..3000))).await,
        // Some writes come in a row before any watcher looks.
        19..=38 => tokio::task::yield_now().await,
        _ => {}
    }
}

async fn storm(cluster: &Cluster, choices: &mut Choices) {
    for _ in 0..WRITES {
        if choices.are_over() {
            break;
        }
        write(cluster, choices).await;
        misfortune(cluster, choices).await;
    }
}

#[test]
fn every_store_ends_as_the_server_is() {
    each_paused(CASES, async |choices| {
        // A short history: who is away for a while has missed something.
        let cluster = Cluster::builder().watch_history(choices.range(2..30)).start().await;
        let mirrors = mirrors(&cluster);
        storm(&cluster, choices).await;
        cluster.faults().clear();
        sleep(CALM).await;
        for (at, mirror) in mirrors.iter().enumerate() {
            mirror.assert_agrees(at).await;
        }
    });
}

#[tokio::test(start_paused = true)]
async fn the_storm_makes_watchers_list_again_and_resume() {
    let cluster = Cluster::builder().watch_history(10).start().await;
    let mirrors = mirrors(&cluster);
    storm(&cluster, &mut Choices::of(1)).await;
    let count = |verb: Verb| cluster.log().count(|entry| entry.resource == "configmaps" && entry.verb == verb);
    let (lists, watches) = (count(Verb::List), count(Verb::Watch));
    assert!(lists > 2 * mirrors.len() && watches > 4 * mirrors.len(), "too calm: {lists} lists, {watches} watches");
}
