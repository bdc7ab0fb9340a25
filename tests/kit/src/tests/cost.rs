//! What a write costs, in counts: what its watchers are, not what is stored or watched elsewhere.

use futures::{AsyncBufReadExt, StreamExt};
use http::Request;
use kube::Client;
use serde_json::json;
use tokio::task::JoinHandle;

use super::bulk::{MAPS, fill, followed, send};
use crate::{Cluster, Work};

/// So many writes are measured.
const WRITES: u64 = 20;

/// The work of so many patches of one object, among so many objects and under so many watchers of each sort.
async fn work(objects: usize, interested: usize, others: usize) -> Work {
    let cluster = Cluster::start().await;
    let client = cluster.client();
    fill(&client, objects).await;
    let from = format!("resourceVersion={}", cluster.version());
    let follow = |query: String, count| {
        let client = client.clone();
        async move { followed(client, &query, count).await }
    };
    let before = cluster.work();
    let writes = async {
        for at in 0..WRITES {
            send(&client, "PATCH", &format!("{MAPS}/m00000"), &json!({"data": {"k": at.to_string()}})).await;
        }
    };
    let all = (0..interested).map(|_| follow(from.clone(), WRITES as usize));
    // Of the same resource, but of the other half of it; they wait in vain.
    let half = (0..others).map(|_| follow(format!("{from}&labelSelector=parity%3Dodd&timeoutSeconds=1"), 1));
    tokio::join!(writes, futures::future::join_all(all), futures::future::join_all(half));
    cluster.work() - before
}

#[tokio::test(start_paused = true)]
async fn a_write_costs_the_same_among_few_and_among_many_objects() {
    let mut curve = Vec::new();
    for objects in [10, 100, 1000] {
        let work = work(objects, 3, 0).await;
        println!("{objects} objects, 3 watchers, {WRITES} writes: {work:?}");
        curve.push(work);
    }
    assert!(curve.iter().all(|work| *work == curve[0]), "{curve:?}");
    assert_eq!((curve[0].written, curve[0].delivered), (WRITES, 3 * WRITES));
}

#[tokio::test(start_paused = true)]
async fn the_work_of_a_write_grows_with_its_watchers_alone() {
    let alone = work(10, 0, 0).await;
    for watchers in [1, 10, 40] {
        let work = work(10, watchers, 0).await - alone;
        println!("{watchers} watchers, {WRITES} writes: {work:?} more than without");
        let expected = watchers as u64 * WRITES;
        assert_eq!((work.visited, work.considered, work.evaluated, work.delivered), (0, expected, 0, expected));
    }
}

#[tokio::test(start_paused = true)]
async fn a_watcher_of_other_objects_costs_two_looks_at_its_selector_and_no_event() {
    let work = work(10, 0, 5).await - work(10, 0, 0).await;
    assert_eq!((work.visited, work.considered, work.evaluated, work.delivered), (0, 5 * WRITES, 10 * WRITES, 0));
}

/// Watches in the background until a second has passed, and gives the lines.
fn watched(client: &Client, uri: &str) -> JoinHandle<Vec<String>> {
    let (client, uri) = (client.clone(), format!("{uri}watch=true&timeoutSeconds=1"));
    tokio::spawn(async move {
        let stream = client.request_stream(Request::get(uri).body(Vec::new()).unwrap()).await.unwrap();
        stream.lines().map(Result::unwrap).collect().await
    })
}

/// What a watch costs that has no interest in any of the writes.
async fn uninterested(uri: &str) -> Work {
    let cluster = Cluster::start().await;
    let client = cluster.client();
    fill(&client, 2).await;
    let watch = watched(&client, uri);
    // It has begun when the clock can move.
    tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    let before = cluster.work();
    for at in 0..WRITES {
        send(&client, "PATCH", &format!("{MAPS}/m00000"), &json!({"data": {"k": at.to_string()}})).await;
    }
    watch.await.unwrap();
    cluster.work() - before
}

#[tokio::test(start_paused = true)]
async fn a_watcher_that_cannot_see_a_write_costs_nothing() {
    let others = [
        "/api/v1/secrets?".to_owned(),
        "/api/v1/namespaces/kube-system/configmaps?".to_owned(),
        "/api/v1/configmaps?fieldSelector=metadata.namespace%3Dkube-system&".to_owned(),
        "/api/v1/configmaps?fieldSelector=metadata.name%3Dm00001&".to_owned(),
        format!("{MAPS}?fieldSelector=metadata.name%3Dm00001&"),
        "/api/v1/watch/namespaces/default/configmaps/m00001?".to_owned(),
    ];
    for other in others {
        let work = uninterested(&other).await;
        assert_eq!((work.woken, work.considered, work.evaluated, work.delivered), (0, 0, 0, 0), "{other}");
    }
    let work = uninterested(&format!("{MAPS}?fieldSelector=metadata.name%3Dm00000&")).await;
    assert_eq!((work.considered, work.delivered), (WRITES, WRITES), "this one sees them");
}

#[tokio::test(start_paused = true)]
async fn a_running_watch_of_a_quiet_namespace_outlives_the_history_of_the_busy_ones() {
    let cluster = Cluster::builder().watch_history(3).start().await;
    let client = cluster.client();
    let watch = watched(&client, "/api/v1/namespaces/kube-system/configmaps?");
    tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    fill(&client, 20).await;
    send(&client, "POST", "/api/v1/namespaces/kube-system/configmaps", &json!({"metadata": {"name": "late"}})).await;
    let lines = watch.await.unwrap();
    assert!(lines.iter().any(|line| line.contains("ADDED") && line.contains("late")), "{lines:?}");
    assert!(!lines.iter().any(|line| line.contains("ERROR")), "{lines:?}");
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_falls_behind_in_its_own_namespace_is_expired() {
    let cluster = Cluster::builder().watch_history(3).start().await;
    let client = cluster.client();
    let mut streams = Vec::new();
    for uri in ["/api/v1/configmaps?watch=true", "/api/v1/namespaces/default/configmaps?watch=true"] {
        let stream = client.request_stream(Request::get(uri).body(Vec::new()).unwrap()).await.unwrap();
        streams.push(stream.lines());
    }
    fill(&client, 20).await;
    for stream in &mut streams {
        // What it was given before it fell behind may come first.
        let end = stream.map(Result::unwrap).filter(|line| std::future::ready(line.contains("ERROR"))).next().await;
        assert!(end.unwrap().contains("too old resource version"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_definition_wakes_no_watch_of_other_kinds() {
    let cluster = Cluster::start().await;
    let client = cluster.client();
    let watch = watched(&client, "/api/v1/configmaps?");
    tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    let before = cluster.work();
    send(&client, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &super::widgets()).await;
    watch.await.unwrap();
    assert_eq!((cluster.work() - before).woken, 0);
}
