//! The hooks for tests: faults, the request log, compaction, dropped watches, virtual time.

use std::time::Duration;

use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::api::{ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams};
use serde_json::json;
use tokio::time::{Instant, sleep, timeout};

use crate::{Cluster, Effect, Fault, Verb};

fn maps(cluster: &Cluster) -> Api<ConfigMap> {
    Api::namespaced(cluster.client(), "default")
}

fn map(name: &str) -> ConfigMap {
    serde_json::from_value(json!({"metadata": {"name": name}})).unwrap()
}

#[tokio::test]
async fn a_fault_affects_the_nth_matching_request_once() {
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
async fn the_log_distinguishes_writes_and_has_codes() {
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
async fn the_log_has_the_impersonated_user() {
    let cluster = Cluster::start().await;
    let served = cluster.serve().await.unwrap();
    let account = "system:serviceaccount:default:robot";
    let mut over_http = kube::Config::new(served.url().parse().unwrap());
    over_http.auth_info.impersonate = Some(account.to_owned());
    let over_http = kube::Client::try_from(over_http).unwrap();
    for client in [cluster.client(), cluster.client_as("jane"), over_http] {
        Api::<ConfigMap>::namespaced(client, "default").list(&ListParams::default()).await.unwrap();
    }
    let users: Vec<Option<String>> = cluster.log().entries().into_iter().map(|entry| entry.impersonated).collect();
    assert_eq!(users, [None, Some("jane".to_owned()), Some(account.to_owned())]);
    let shown = cluster.log().requests().to_string();
    assert!(shown.contains("200 list configmaps default by unknown as jane\n"), "{shown}");
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
    maps(&cluster).create(&PostParams::default(), &map("a")).await.unwrap();
    let events: Vec<_> = events.try_collect().await.unwrap();
    let bookmarks = events.iter().filter(|event| matches!(event, WatchEvent::Bookmark(_))).count();
    assert_eq!((bookmarks, events.len()), (2, 3));
    assert_eq!(began.elapsed().as_secs(), 150);
}

/// An API server sends none for minutes at the start version (1.36; 1.20 even while other kinds are written), then one per minute.
#[tokio::test(start_paused = true)]
async fn bookmarks_start_with_the_first_write_of_any_kind() {
    let cluster = Cluster::start().await;
    let listed = maps(&cluster).list(&ListParams::default()).await.unwrap().metadata.resource_version.unwrap();
    let (began, before) = (Instant::now(), cluster.work());
    let events = maps(&cluster).watch(&WatchParams::default().timeout(290), &listed).await.unwrap();
    let timed = events.map_ok(|event| (began.elapsed().as_secs(), matches!(event, WatchEvent::Bookmark(_))));
    let write = async {
        sleep(Duration::from_secs(150)).await;
        assert_eq!((cluster.work() - before).due, 1, "one look at a quiet kind, and no more");
        cluster.seed("{apiVersion: v1, kind: Secret, metadata: {name: a}}").await.unwrap();
    };
    let (timed, ()) = tokio::join!(timed.try_collect::<Vec<_>>(), write);
    assert_eq!(timed.unwrap(), [(180, true), (240, true)]);
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

async fn codes(cluster: &Cluster, manager: &str, writes: usize) -> Vec<u16> {
    let maps = maps(cluster);
    let params = PatchParams { field_manager: Some(manager.to_owned()), ..PatchParams::default() };
    let mut codes = Vec::new();
    for value in 0..writes {
        let patch = Patch::Merge(json!({"data": {"k": value.to_string()}}));
        codes.push(match maps.patch("a", &params, &patch).await {
            Ok(_) => 200,
            Err(kube::Error::Api(status)) => status.code,
            Err(error) => panic!("{error}"),
        });
    }
    codes
}

#[tokio::test]
async fn a_fault_may_affect_every_nth_request() {
    let cluster = Cluster::start().await;
    cluster.seed("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}").await.unwrap();
    cluster.faults().add(Fault::new(Effect::Unavailable).caller("backup").group("").every(3));
    assert_eq!(codes(&cluster, "other", 4).await, [200; 4]);
    assert_eq!(codes(&cluster, "backup", 7).await, [200, 200, 503, 200, 200, 503, 200]);
}

#[tokio::test]
async fn a_user_agent_identifies_a_caller() {
    let cluster = Cluster::start().await;
    cluster.faults().add(Fault::new(Effect::Timeout).caller("watcher").always());
    let ask = |agent: &'static str| {
        let request = http::Request::get("/api/v1/namespaces").header("user-agent", agent).body(Vec::new()).unwrap();
        let client = cluster.client();
        async move { client.request::<serde_json::Value>(request).await }
    };
    assert!(ask("other/1.0").await.is_ok());
    let Err(kube::Error::Api(status)) = ask("watcher/1.0 kube").await else { panic!("it is struck") };
    assert_eq!((status.code, status.reason.as_str()), (504, "Timeout"));
    cluster.log().requests().by("watcher").assert_eq(["list namespaces"]);
}

#[tokio::test]
async fn every_fault_code_has_its_reason() {
    let cluster = Cluster::start().await;
    cluster.faults().add(Fault::new(Effect::Status(401)));
    let Err(kube::Error::Api(status)) = maps(&cluster).list(&ListParams::default()).await else { panic!("refused") };
    assert_eq!((status.code, status.reason.as_str()), (401, "Unauthorized"));
}

#[tokio::test]
#[should_panic(expected = "- create configmaps default/b\n  + patch configmaps default/a")]
async fn different_requests_are_shown() {
    let cluster = Cluster::start().await;
    cluster.seed("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}").await.unwrap();
    codes(&cluster, "me", 1).await;
    cluster.log().requests().assert_eq(["create configmaps default/b"]);
}

#[tokio::test]
#[should_panic(expected = "200 patch configmaps default/a by me")]
async fn an_unexpected_write_is_shown() {
    let cluster = Cluster::start().await;
    cluster.seed("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}").await.unwrap();
    codes(&cluster, "me", 1).await;
    cluster.log().requests().reads().assert_none();
    cluster.log().requests().writes().assert_none();
}

#[tokio::test]
async fn the_log_contains_the_sent_body() {
    let cluster = Cluster::start().await;
    cluster.seed("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}").await.unwrap();
    codes(&cluster, "me", 1).await;
    assert_eq!(cluster.log().writes()[0].json().unwrap(), json!({"data": {"k": "0"}}));
    cluster.log().requests().assert_counts([("me: patch configmaps", 1)]);
}
