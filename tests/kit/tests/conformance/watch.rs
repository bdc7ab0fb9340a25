//! Watches on the wire: events, their order and versions, and the end of a stream.

use std::time::Duration;

use futures::{Stream, StreamExt, TryStreamExt};
use http_body_util::BodyExt;
use kube::api::{DeleteParams, ListParams, PostParams};
use kube::client::Body;
use serde_json::{Value, json};

use crate::check::{Broken, Verdict, differ, holds, same};
use crate::env::{Env, text};
use crate::rule::rules;

rules![
    a_watch_from_a_version_returns_later_events,
    a_deletion_event_has_the_version_of_the_deletion,
    a_watch_without_a_version_starts_with_existing_objects,
    a_write_that_changes_nothing_makes_no_event,
    versions_of_events_increase,
    leaving_a_selector_is_deleted_and_entering_added,
    a_watch_of_one_name_returns_only_that_object,
    a_watch_of_one_namespace_returns_no_others,
    a_watch_ends_cleanly_after_its_timeout,
    requested_bookmarks_have_a_version,
    a_compacted_version_ends_the_stream_with_an_error,
    a_streaming_list_sends_a_marked_bookmark,
    a_streaming_list_without_a_match_is_refused,
    a_metadata_watch_has_only_metadata,
    deletion_with_a_finalizer_is_a_modification_first,
    a_status_write_is_an_event,
    a_watch_at_a_future_version_is_silent;
    embedded dropped_watches_end_and_resume,
];

/// The events of a watch, one line of JSON each.
pub(crate) async fn watch(
    env: &Env,
    path: &str,
    accept: &str,
) -> Result<impl Stream<Item = Value> + Unpin + use<>, Broken> {
    let request = http::Request::get(path).header("Accept", accept).body(Body::empty())?;
    let response = env.client.send(request).await?;
    same("status of the watch", response.status().as_u16(), 200)?;
    let chunks = response.into_body().into_data_stream().map_err(std::io::Error::other);
    let lines = tokio_lines(chunks);
    Ok(Box::pin(lines))
}

fn tokio_lines(chunks: impl Stream<Item = std::io::Result<bytes::Bytes>> + Unpin) -> impl Stream<Item = Value> {
    futures::stream::unfold((chunks, Vec::new()), |(mut chunks, mut held): (_, Vec<u8>)| async move {
        loop {
            if let Some(end) = held.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = held.drain(..=end).collect();
                let event = serde_json::from_slice(&line).unwrap_or(Value::Null);
                return Some((event, (chunks, held)));
            }
            held.extend_from_slice(&chunks.next().await?.ok()?);
        }
    })
}

/// The next event that is not a plain bookmark.
pub(crate) async fn next(events: &mut (impl Stream<Item = Value> + Unpin)) -> Result<Value, Broken> {
    loop {
        let event = tokio::time::timeout(Duration::from_secs(10), events.next()).await?.ok_or("the stream ended")?;
        if event["type"] != "BOOKMARK" || is_marked(&event) {
            return Ok(event);
        }
    }
}

fn is_marked(event: &Value) -> bool {
    event["object"]["metadata"]["annotations"]["k8s.io/initial-events-end"] == "true"
}

/// Type and name in one string.
pub(crate) fn brief(event: &Value) -> String {
    format!("{} {}", text(&event["type"]), text(&event["object"]["metadata"]["name"]))
}

fn version(object: &Value) -> u64 {
    text(&object["metadata"]["resourceVersion"]).parse().unwrap_or_default()
}

async fn listed(env: &Env, path: &str) -> Result<u64, Broken> {
    Ok(version(&env.get(path).await?.is(200)?.body))
}

async fn maps_since(env: &Env, query: &str) -> Result<impl Stream<Item = Value> + Unpin + use<>, Broken> {
    let path = env.core("configmaps");
    let since = listed(env, &path).await?;
    watch(env, &format!("{path}?watch=true&resourceVersion={since}{query}"), "application/json").await
}

async fn labelled(env: &Env, name: &str, label: Option<&str>) -> Verdict {
    env.merge(&env.core(&format!("configmaps/{name}")), &json!({"metadata": {"labels": {"l": label}}}))
        .await?
        .is(200)?;
    Ok(())
}

async fn a_watch_from_a_version_returns_later_events(env: &Env) -> Verdict {
    let path = env.core("configmaps");
    let since = listed(env, &path).await?;
    env.maps().create(&PostParams::default(), &env.map("a")).await?;
    labelled(env, "a", Some("x")).await?;
    let mut events = watch(env, &format!("{path}?watch=true&resourceVersion={since}"), "application/json").await?;
    same("replayed", brief(&next(&mut events).await?), "ADDED a")?;
    same("replayed", brief(&next(&mut events).await?), "MODIFIED a")?;
    env.maps().delete("a", &DeleteParams::default()).await?;
    same("live", brief(&next(&mut events).await?), "DELETED a")
}

async fn a_deletion_event_has_the_version_of_the_deletion(env: &Env) -> Verdict {
    let made = env.maps().create(&PostParams::default(), &env.map("a")).await?;
    let mut events = maps_since(env, "").await?;
    env.maps().delete("a", &DeleteParams::default()).await?;
    let deleted = next(&mut events).await?;
    same("event", brief(&deleted), "DELETED a")?;
    let stored: u64 = made.metadata.resource_version.unwrap_or_default().parse()?;
    holds("the deletion has a version of its own", version(&deleted["object"]) > stored)?;
    same("data", &deleted["object"]["data"]["k"], "1")?;
    // A client resumes from this version.
    let resumed = format!("{}?watch=true&resourceVersion={}", env.core("configmaps"), version(&deleted["object"]));
    let mut events = watch(env, &resumed, "application/json").await?;
    env.maps().create(&PostParams::default(), &env.map("b")).await?;
    same("next", brief(&next(&mut events).await?), "ADDED b")
}

async fn a_watch_without_a_version_starts_with_existing_objects(env: &Env) -> Verdict {
    env.maps().create(&PostParams::default(), &env.map("a")).await?;
    labelled(env, "a", Some("x")).await?;
    for query in ["", "&resourceVersion=0"] {
        let path = format!("{}?watch=true{query}", env.core("configmaps"));
        let mut events = watch(env, &path, "application/json").await?;
        let first = next(&mut events).await?;
        same("first", brief(&first), "ADDED a")?;
        // A watch cache may start slightly earlier, but catches up.
        let mut latest = first;
        while latest["object"]["metadata"]["labels"]["l"] != "x" {
            latest = next(&mut events).await?;
        }
    }
    Ok(())
}

async fn a_write_that_changes_nothing_makes_no_event(env: &Env) -> Verdict {
    env.maps().create(&PostParams::default(), &env.map("a")).await?;
    labelled(env, "a", Some("x")).await?;
    let mut events = maps_since(env, "").await?;
    labelled(env, "a", Some("x")).await?;
    labelled(env, "a", Some("y")).await?;
    same("the first event", &next(&mut events).await?["object"]["metadata"]["labels"]["l"], "y")
}

async fn versions_of_events_increase(env: &Env) -> Verdict {
    let mut events = maps_since(env, "").await?;
    for name in ["a", "b", "c"] {
        env.maps().create(&PostParams::default(), &env.map(name)).await?;
        labelled(env, name, Some("x")).await?;
        env.maps().delete(name, &DeleteParams::default()).await?;
    }
    let mut last = 0;
    for _ in 0..9 {
        let event = next(&mut events).await?;
        let this = version(&event["object"]);
        holds(&format!("{} is at {this}, after {last}", brief(&event)), this > last)?;
        last = this;
    }
    Ok(())
}

async fn leaving_a_selector_is_deleted_and_entering_added(env: &Env) -> Verdict {
    env.maps().create(&PostParams::default(), &env.map("a")).await?;
    let mut events = maps_since(env, "&labelSelector=l%3Dx").await?;
    labelled(env, "a", Some("x")).await?;
    let entered = next(&mut events).await?;
    same("entering", brief(&entered), "ADDED a")?;
    labelled(env, "a", Some("y")).await?;
    let left = next(&mut events).await?;
    same("leaving", brief(&left), "DELETED a")?;
    same("what left", &left["object"]["metadata"]["labels"]["l"], "x")?;
    holds("it left at a version of its own", version(&left["object"]) > version(&entered["object"]))?;
    env.maps().delete("a", &DeleteParams::default()).await?;
    env.maps().create(&PostParams::default(), &env.map("b")).await?;
    labelled(env, "b", Some("x")).await?;
    same("outside nothing is told", brief(&next(&mut events).await?), "ADDED b")
}

async fn a_watch_of_one_name_returns_only_that_object(env: &Env) -> Verdict {
    let mut events = maps_since(env, "&fieldSelector=metadata.name%3Db").await?;
    for name in ["a", "b"] {
        env.maps().create(&PostParams::default(), &env.map(name)).await?;
    }
    same("event", brief(&next(&mut events).await?), "ADDED b")
}

async fn a_watch_of_one_namespace_returns_no_others(env: &Env) -> Verdict {
    let mut events = maps_since(env, "").await?;
    let other = Env { namespace: "default".into(), ..env.clone() };
    let name = env.namespace.as_str();
    other.maps().create(&PostParams::default(), &other.map(name)).await?;
    other.maps().delete(name, &DeleteParams::default()).await?;
    env.maps().create(&PostParams::default(), &env.map("mine")).await?;
    same("event", brief(&next(&mut events).await?), "ADDED mine")
}

async fn a_watch_ends_cleanly_after_its_timeout(env: &Env) -> Verdict {
    let events = maps_since(env, "&timeoutSeconds=1").await?;
    let all: Vec<Value> = tokio::time::timeout(Duration::from_secs(10), events.collect()).await?;
    holds("no error was told", all.iter().all(|event| event["type"] == "BOOKMARK"))
}

async fn requested_bookmarks_have_a_version(env: &Env) -> Verdict {
    let since = listed(env, &env.core("configmaps")).await?;
    let mut events = maps_since(env, "&allowWatchBookmarks=true").await?;
    // A watch without a write since its start may have no bookmark.
    env.maps().create(&PostParams::default(), &env.map("a")).await?;
    same("what came", &next(&mut events).await?["type"], "ADDED")?;
    let bookmark = tokio::time::timeout(Duration::from_secs(90), events.next()).await?.ok_or("the stream ended")?;
    same("type", &bookmark["type"], "BOOKMARK")?;
    same("kind", &bookmark["object"]["kind"], "ConfigMap")?;
    holds("it has a version", version(&bookmark["object"]) > since)
}

async fn a_compacted_version_ends_the_stream_with_an_error(env: &Env) -> Verdict {
    env.widget("a", json!({})).await?;
    if let Some(cluster) = &env.cluster {
        cluster.compact();
    }
    let path = env.path("?watch=true&resourceVersion=1");
    let mut events = watch(env, &path, "application/json").await?;
    let error = next(&mut events).await?;
    same("type", &error["type"], "ERROR")?;
    same("code", &error["object"]["code"], 410)?;
    same("reason", &error["object"]["reason"], "Expired")?;
    same("after it", tokio::time::timeout(Duration::from_secs(10), events.next()).await?, None)
}

async fn a_streaming_list_sends_a_marked_bookmark(env: &Env) -> Verdict {
    for name in ["a", "b"] {
        env.maps().create(&PostParams::default(), &env.map(name)).await?;
    }
    let query = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    let mut events = watch(env, &format!("{}?{query}", env.core("configmaps")), "application/json").await?;
    let mut initial = vec![brief(&next(&mut events).await?), brief(&next(&mut events).await?)];
    initial.sort();
    same("initial", initial, vec!["ADDED a", "ADDED b"])?;
    let bookmark = next(&mut events).await?;
    holds("a marked bookmark follows", is_marked(&bookmark))?;
    holds("it has a version", version(&bookmark["object"]) > 0)?;
    labelled(env, "a", Some("x")).await?;
    same("live", brief(&next(&mut events).await?), "MODIFIED a")
}

async fn a_streaming_list_without_a_match_is_refused(env: &Env) -> Verdict {
    let path = env.core("configmaps?watch=true&sendInitialEvents=true");
    let answer = tokio::time::timeout(Duration::from_secs(5), env.get(&path)).await??;
    answer.refuses(422, "Invalid").map(|_| ())
}

async fn a_metadata_watch_has_only_metadata(env: &Env) -> Verdict {
    let accept = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
    env.maps().create(&PostParams::default(), &env.map("a")).await?;
    let mut events = watch(env, &format!("{}?watch=true", env.core("configmaps")), accept).await?;
    let first = next(&mut events).await?;
    same("kind", &first["object"]["kind"], "PartialObjectMetadata")?;
    same("name", &first["object"]["metadata"]["name"], "a")?;
    same("data", &first["object"]["data"], &Value::Null)
}

async fn deletion_with_a_finalizer_is_a_modification_first(env: &Env) -> Verdict {
    env.maps().create(&PostParams::default(), &env.map("a")).await?;
    let finalizer = json!({"metadata": {"finalizers": ["conform.evenkeel.dev/f"]}});
    env.merge(&env.core("configmaps/a"), &finalizer).await?.is(200)?;
    let mut events = maps_since(env, "").await?;
    env.maps().delete("a", &DeleteParams::default()).await?;
    let ending = next(&mut events).await?;
    same("first", brief(&ending), "MODIFIED a")?;
    holds("it is ending", ending["object"]["metadata"]["deletionTimestamp"].is_string())?;
    env.merge(&env.core("configmaps/a"), &json!({"metadata": {"finalizers": null}})).await?.is(200)?;
    let gone = next(&mut events).await?;
    same("last", brief(&gone), "DELETED a")?;
    same("its finalizers", &gone["object"]["metadata"]["finalizers"], &finalizer["metadata"]["finalizers"])?;
    differ("version", version(&gone["object"]), version(&ending["object"]))
}

async fn a_status_write_is_an_event(env: &Env) -> Verdict {
    env.widget("a", json!({})).await?;
    let since = env.widgets().list(&ListParams::default()).await?.metadata.resource_version.unwrap_or_default();
    let path = env.path(&format!("?watch=true&resourceVersion={since}"));
    let mut events = watch(env, &path, "application/json").await?;
    env.merge(&env.path("/a/status"), &json!({"status": {"phase": "x"}})).await?.is(200)?;
    let event = next(&mut events).await?;
    same("event", brief(&event), "MODIFIED a")?;
    same("phase", &event["object"]["status"]["phase"], "x")
}

async fn a_watch_at_a_future_version_is_silent(env: &Env) -> Verdict {
    env.maps().create(&PostParams::default(), &env.map("a")).await?;
    let path = env.core("configmaps?watch=true&resourceVersion=999999999&timeoutSeconds=1");
    let events = watch(env, &path, "application/json").await?;
    let all: Vec<Value> = tokio::time::timeout(Duration::from_secs(10), events.collect()).await?;
    same("events", all, Vec::<Value>::new())
}

async fn dropped_watches_end_and_resume(env: &Env) -> Verdict {
    let cluster = env.cluster.as_ref().ok_or("not embedded")?;
    let since = listed(env, &env.core("configmaps")).await?;
    let mut events = maps_since(env, "").await?;
    cluster.drop_watches();
    same("dropped", tokio::time::timeout(Duration::from_secs(10), events.next()).await?, None)?;
    env.maps().create(&PostParams::default(), &env.map("a")).await?;
    let path = format!("{}?watch=true&resourceVersion={since}", env.core("configmaps"));
    let mut events = watch(env, &path, "application/json").await?;
    same("resumed", brief(&next(&mut events).await?), "ADDED a")
}
