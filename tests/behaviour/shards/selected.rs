//! Shards that the API server selects: their watches, and how a replica joins and leaves them.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU16;

use evenkeel::ShardMode;
use evenkeel::testing::fault::{ShardedCache, offers_sharding, selector, shard_of};
use evenkeel_testkit::{Cluster, Verb, eventually_eq};
use evenkeel_tests::logs::Logs;
use evenkeel_tests::real::{RealServer, Version};
use evenkeel_tests::test_env::{SOON, Server, World};
use futures::{StreamExt, TryStreamExt, stream};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{DeleteParams, ListParams, PostParams};
use kube::{Api, Client};
use serde_json::json;

const OF: NonZeroU16 = NonZeroU16::new(8).unwrap();
const GATE: &str = "--feature-gates=ShardedListAndWatch=true";

/// Creates a map, and returns its shard.
async fn create(maps: &Api<ConfigMap>, name: &str) -> u16 {
    let map = serde_json::from_value(json!({ "metadata": { "name": name } })).unwrap();
    shard_of(&maps.create(&PostParams::default(), &map).await.unwrap().metadata.uid.unwrap(), OF)
}

/// The names of the maps in these shards.
async fn expected(maps: &Api<ConfigMap>, shards: impl IntoIterator<Item = u16>) -> BTreeSet<String> {
    let (all, shards) = (maps.list(&ListParams::default()).await.unwrap(), BTreeSet::from_iter(shards));
    let metadata = all.items.into_iter().map(|map| map.metadata);
    let mine = metadata.filter(|meta| shards.contains(&shard_of(meta.uid.as_deref().unwrap(), OF)));
    mine.filter_map(|meta| meta.name).collect()
}

/// Runs two replicas with half of the shards each, and moves one shard from the first to the second.
async fn two_replicas(client: Client, namespace: &str, streams: bool) -> [ShardedCache; 2] {
    let maps = Api::namespaced(client.clone(), namespace);
    for index in 0..32 {
        create(&maps, &format!("m{index}")).await;
    }
    let [mut one, mut other] = [(); 2].map(|()| ShardedCache::new(client.clone(), namespace, OF, streams));
    for index in 0..4 {
        one.join(index).await;
        other.join(index + 4).await;
    }
    assert_eq!(one.names(), expected(&maps, 0..4).await);
    assert_eq!(other.names(), expected(&maps, 4..8).await);
    for index in 0..16 {
        let name = format!("m{index}");
        maps.delete(&name, &DeleteParams::default()).await.unwrap();
        // Half of them come back, most of them in another shard.
        if index % 2 == 0 {
            create(&maps, &name).await;
        }
        create(&maps, &format!("n{index}")).await;
    }
    eventually_eq(SOON, expected(&maps, 0..4).await, || async { one.names() }).await;
    eventually_eq(SOON, expected(&maps, 4..8).await, || async { other.names() }).await;
    let added = one.added();
    one.leave(3);
    assert_eq!(one.names(), expected(&maps, 0..3).await);
    other.join(3).await;
    assert_eq!(other.names(), expected(&maps, 3..8).await);
    for index in 16..32 {
        maps.delete(&format!("m{index}"), &DeleteParams::default()).await.unwrap();
    }
    eventually_eq(SOON, expected(&maps, 3..8).await, || async { other.names() }).await;
    eventually_eq(SOON, expected(&maps, 0..3).await, || async { one.names() }).await;
    assert!(one.added() - added <= 16, "only the deletions trigger passes");
    [one, other]
}

#[tokio::test(start_paused = true)]
async fn each_object_is_in_the_cache_of_one_replica() {
    for streams in [false, true] {
        let cluster = Cluster::builder().sharding().start().await;
        let replicas = two_replicas(cluster.client(), "default", streams).await;
        assert_eq!(replicas.map(|replica| replica.foreign()), [Some(0); 2]);
        let requests = cluster.log().entries();
        let watches = requests.iter().filter(|request| request.verb == Verb::Watch);
        assert!(watches.clone().count() >= 9);
        assert!(watches.clone().all(|request| request.query.contains("shardSelector=shardRange")));
    }
}

#[tokio::test(start_paused = true)]
async fn the_caches_are_the_same_if_the_server_ignores_shards() {
    for streams in [false, true] {
        let (logs, _guard) = Logs::capture();
        let cluster = Cluster::start().await;
        let replicas = two_replicas(cluster.client(), "default", streams).await;
        assert!(replicas.iter().all(|replica| replica.foreign().unwrap() > 100));
        assert_eq!(logs.with(&["ignores the shard selector", "in shard"]).len(), 9, "once for each watch");
    }
}

#[tokio::test(start_paused = true)]
async fn a_shard_moves_without_a_trigger_or_a_write() {
    let cluster = Cluster::builder().sharding().start().await;
    let maps = Api::namespaced(cluster.client(), "default");
    for index in 0..50 {
        create(&maps, &format!("m{index}")).await;
    }
    let mut cache = ShardedCache::new(cluster.client(), "default", OF, false);
    for index in 0..4 {
        cache.join(index).await;
    }
    let (added, version) = (cache.added(), cluster.version());
    assert_eq!(added, u64::try_from(cache.names().len()).unwrap());
    cache.leave(2);
    assert_eq!(cache.names(), expected(&maps, [0, 1, 3]).await);
    // Later events of the shard do not arrive.
    let mut shards = BTreeMap::<u16, u64>::new();
    for index in 0..50 {
        *shards.entry(create(&maps, &format!("n{index}")).await).or_default() += 1;
    }
    eventually_eq(SOON, expected(&maps, [0, 1, 3]).await, || async { cache.names() }).await;
    let created = [0, 1, 3].map(|shard| shards.get(&shard).copied().unwrap_or_default());
    assert_eq!(cache.added(), added + created.iter().sum::<u64>());
    assert_eq!(cluster.version(), version + 50, "the cache has written nothing");
    cache.join(2).await;
    assert_eq!(cache.names(), expected(&maps, 0..4).await);
    cache.leave(2);
    assert_eq!(cache.names(), expected(&maps, [0, 1, 3]).await);
}

#[tokio::test(start_paused = true)]
async fn missed_deletions_are_found_in_each_shard() {
    let cluster = Cluster::builder().sharding().start().await;
    let maps = Api::namespaced(cluster.client(), "default");
    for index in 0..50 {
        create(&maps, &format!("m{index}")).await;
    }
    let mut cache = ShardedCache::new(cluster.client(), "default", OF, false);
    for index in [1, 5, 6] {
        cache.join(index).await;
    }
    for _ in 0..3 {
        let before = cache.names();
        cluster.drop_watches();
        for name in before.iter().step_by(2) {
            maps.delete(name, &DeleteParams::default()).await.unwrap();
        }
        cluster.compact();
        let wanted = expected(&maps, [1, 5, 6]).await;
        assert!(wanted.len() < before.len() || before.is_empty());
        eventually_eq(SOON, wanted, || async { cache.names() }).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_real_server_with_the_feature_gate_selects_our_shards() {
    let Some(server) = RealServer::start_with(Version::Modern, false, GATE).await else { return };
    let world = World::over(Server::Modern, server.client().await).await;
    assert!(offers_sharding(&world.client, &world.namespace).await.unwrap());
    for streams in [false, true] {
        let namespace = if streams { world.another_namespace().await } else { world.namespace.clone() };
        let replicas = two_replicas(world.client.clone(), &namespace, streams).await;
        assert_eq!(replicas.map(|replica| replica.foreign()), [Some(0); 2]);
    }
    equal_ranges(world.client.clone(), &world.namespace).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_share_the_shards_of_a_real_server() {
    let Some(server) = RealServer::start_with(Version::Modern, false, GATE).await else { return };
    let world = World::over(Server::Modern, server.client().await).await;
    super::server::shared_in(world, ShardMode::Server).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn real_servers_without_the_feature_gate_offer_no_shards() {
    for server in [Server::Modern, Server::Full] {
        let Some(world) = World::on(server).await else { return };
        if server == Server::Full || !offers_sharding(&world.client, &world.namespace).await.unwrap() {
            two_replicas(world.client.clone(), &world.namespace, false).await;
        }
        world.clean().await;
    }
}

#[tokio::test(start_paused = true)]
async fn our_shards_are_the_ranges_of_the_server() {
    let cluster = Cluster::builder().sharding().start().await;
    equal_ranges(cluster.client(), "default").await;
}

/// Compares the ranges for 10,000 objects.
async fn equal_ranges(client: Client, namespace: &str) {
    let maps = Api::<ConfigMap>::namespaced(client.clone(), namespace);
    let create = |index: usize| {
        let maps = maps.clone();
        async move {
            let map = serde_json::from_value(json!({ "metadata": { "name": format!("many-{index}") } })).unwrap();
            let made: ConfigMap = maps.create(&PostParams::default(), &map).await?;
            Ok::<_, kube::Error>((made.metadata.name.unwrap(), made.metadata.uid.unwrap()))
        }
    };
    let all: Vec<(String, String)> =
        stream::iter(0..10_000).map(create).buffer_unordered(16).try_collect().await.unwrap();
    for of in [1, 7, 48, 64].map(|of| NonZeroU16::new(of).unwrap()) {
        let mut ours = BTreeMap::<u16, BTreeSet<&str>>::new();
        for (name, uid) in &all {
            ours.entry(shard_of(uid, of)).or_default().insert(name);
        }
        for index in 0..of.get() {
            let path = format!("/api/v1/namespaces/{namespace}/configmaps?shardSelector=");
            let path = format!("{path}{}", selector(index, of).replace(' ', "%20"));
            let accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
            let request = http::Request::get(path).header("Accept", accept).body(Vec::new()).unwrap();
            let list: serde_json::Value = client.request(request).await.unwrap();
            let items = list["items"].as_array().unwrap().iter();
            let names = items.map(|item| item["metadata"]["name"].as_str().unwrap());
            let theirs: BTreeSet<&str> = names.filter(|name| name.starts_with("many-")).collect();
            assert_eq!(theirs, ours.remove(&index).unwrap_or_default(), "shard {index} of {of}");
        }
    }
}
