//! The cost of a write, as counts: it depends on the watchers of the object, not on other objects or watches.

use futures::{AsyncBufReadExt, StreamExt};
use http::Request;
use kube::Client;
use serde_json::json;
use tokio::task::JoinHandle;

use super::bulk::{MAPS, fill, followed, send};
use crate::{Cluster, Work};

/// Number of measured writes.
const WRITES: u64 = 20;

/// The work of [`WRITES`] patches of one object, with the given numbers of objects and of watchers of each sort.
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
    // These watch the same resource, but select the other half of it, so they receive no event.
    let half = (0..others).map(|_| follow(format!("{from}&labelSelector=parity%3Dodd&timeoutSeconds=1"), 1));
    tokio::join!(writes, futures::future::join_all(all), futures::future::join_all(half));
    cluster.work() - before
}

#[tokio::test(start_paused = true)]
async fn write_cost_is_independent_of_other_objects() {
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
async fn the_work_of_a_write_depends_on_its_watchers() {
    let alone = work(10, 0, 0).await;
    for watchers in [1, 10, 40] {
        let work = work(10, watchers, 0).await - alone;
        println!("{watchers} watchers, {WRITES} writes: {work:?} more than without");
        let expected = watchers as u64 * WRITES;
        assert_eq!((work.visited, work.considered, work.evaluated, work.delivered), (0, expected, 0, expected));
    }
}

#[tokio::test(start_paused = true)]
async fn a_watcher_of_other_objects_evaluates_its_selector_twice() {
    let work = work(10, 0, 5).await - work(10, 0, 0).await;
    assert_eq!((work.visited, work.considered, work.evaluated, work.delivered), (0, 5 * WRITES, 10 * WRITES, 0));
}

/// Watches in the background for one second, and returns the lines.
fn watched(client: &Client, uri: &str) -> JoinHandle<Vec<String>> {
    let (client, uri) = (client.clone(), format!("{uri}watch=true&timeoutSeconds=1"));
    tokio::spawn(async move {
        let stream = client.request_stream(Request::get(uri).body(Vec::new()).unwrap()).await.unwrap();
        stream.lines().map(Result::unwrap).collect().await
    })
}

/// The work of a watch that none of the writes concerns.
async fn uninterested(uri: &str) -> Work {
    let cluster = Cluster::start().await;
    let client = cluster.client();
    fill(&client, 2).await;
    let watch = watched(&client, uri);
    // The watch has started once the paused clock advances.
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
async fn a_quiet_watch_outlives_the_history_of_busy_namespaces() {
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
async fn a_watch_that_falls_behind_expires() {
    let cluster = Cluster::builder().watch_history(3).start().await;
    let client = cluster.client();
    let mut streams = Vec::new();
    for uri in ["/api/v1/configmaps?watch=true", "/api/v1/namespaces/default/configmaps?watch=true"] {
        let stream = client.request_stream(Request::get(uri).body(Vec::new()).unwrap()).await.unwrap();
        streams.push(stream.lines());
    }
    fill(&client, 20).await;
    for stream in &mut streams {
        // Events from before the watch fell behind may come first.
        let end = stream.map(Result::unwrap).filter(|line| std::future::ready(line.contains("ERROR"))).next().await;
        assert!(end.unwrap().contains("too old resource version"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_new_crd_triggers_no_watch_of_other_kinds() {
    let cluster = Cluster::start().await;
    let client = cluster.client();
    let watch = watched(&client, "/api/v1/configmaps?");
    tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    let before = cluster.work();
    send(&client, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &super::widgets()).await;
    watch.await.unwrap();
    assert_eq!((cluster.work() - before).woken, 0);
}
