//! The hooks for tests: faults, the request log, compaction, dropped watches, virtual time.

use std::time::Duration;

use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::api::{ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams};
use serde_json::json;
use tokio::time::{Instant, timeout};

use crate::{Cluster, Effect, Fault, Verb};

fn maps(cluster: &Cluster) -> Api<ConfigMap> {
    Api::namespaced(cluster.client(), "default")
}

fn map(name: &str) -> ConfigMap {
    serde_json::from_value(json!({"metadata": {"name": name}})).unwrap()
}

#[tokio::test]
async fn a_fault_strikes_the_nth_matching_request_once() {
    let cluster = Cluster::start().await;
    let maps = maps(&cluster);
    cluster.faults().add(Fault::new(Effect::Conflict).verb(Verb::Patch).resource("configmaps").nth(2));
    maps.create(&PostParams::default(), &map("a")).await.unwrap();
    let mut codes = Vec::new();
    for value in ["1", "2", "3"] {
        let patch = Patch::Merge(json!({"data": {"k": value}}));
        codes.push(match maps.patch("a", &PatchParams::default(), &patch).await {
            Ok(_) => 200,
            Err(kube::Error::Api(status)) => status.code,
            Err(error) => panic!("{error}"),
        });
    }
    assert_eq!(codes, [200, 409, 200]);
    assert_eq!(cluster.faults().pending(), 0);
}

#[tokio::test]
async fn the_log_tells_writes_from_reads_and_has_their_codes() {
    let cluster = Cluster::start().await;
    let maps = maps(&cluster);
    maps.create(&PostParams::default(), &map("a")).await.unwrap();
    maps.create(&PostParams::default(), &map("a")).await.unwrap_err();
    maps.create(&PostParams { dry_run: true, ..PostParams::default() }, &map("b")).await.unwrap();
    maps.list(&ListParams::default()).await.unwrap();
    let codes: Vec<u16> = cluster.log().writes().iter().map(|entry| entry.code).collect();
    assert_eq!(codes, [201, 409]);
    assert_eq!(cluster.log().count(|entry| entry.verb == Verb::List), 1);
    cluster.log().clear();
    assert!(cluster.log().entries().is_empty());
}

#[tokio::test]
async fn after_compaction_an_old_version_is_expired_in_the_stream() {
    let cluster = Cluster::start().await;
    let maps = maps(&cluster);
    let created = maps.create(&PostParams::default(), &map("a")).await.unwrap();
    maps.create(&PostParams::default(), &map("b")).await.unwrap();
    cluster.compact();
    let version = created.metadata.resource_version.unwrap();
    let mut events = maps.watch(&WatchParams::default(), &version).await.unwrap().boxed();
    let Some(WatchEvent::Error(error)) = events.try_next().await.unwrap() else { panic!("an error") };
    assert_eq!((error.code, error.reason.as_str()), (410, "Expired"));
    assert!(events.try_next().await.unwrap().is_none());
}

#[tokio::test]
async fn dropped_watches_end_cleanly() {
    let cluster = Cluster::start().await;
    let mut events = maps(&cluster).watch(&WatchParams::default(), "0").await.unwrap().boxed();
    cluster.drop_watches();
    assert!(events.try_next().await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn bookmarks_and_timeouts_follow_virtual_time() {
    let cluster = Cluster::builder().bookmark_interval(Duration::from_secs(60)).start().await;
    let began = Instant::now();
    let params = WatchParams::default().timeout(150);
    let events = maps(&cluster).watch(&params, "0").await.unwrap();
    let events: Vec<_> = events.try_collect().await.unwrap();
    let bookmarks = events.iter().filter(|event| matches!(event, WatchEvent::Bookmark(_))).count();
    assert_eq!((bookmarks, events.len()), (2, 2));
    assert_eq!(began.elapsed().as_secs(), 150);
}

#[tokio::test(start_paused = true)]
async fn latency_delays_and_a_hang_never_answers() {
    let cluster = Cluster::start().await;
    let maps = maps(&cluster);
    cluster.faults().add(Fault::new(Effect::Latency(Duration::from_secs(20))).verb(Verb::List));
    let began = Instant::now();
    maps.list(&ListParams::default()).await.unwrap();
    assert_eq!(began.elapsed().as_secs(), 20);
    cluster.faults().add(Fault::new(Effect::Hang).verb(Verb::List));
    assert!(timeout(Duration::from_secs(3600), maps.list(&ListParams::default())).await.is_err());
}
