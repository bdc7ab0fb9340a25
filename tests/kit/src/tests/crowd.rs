//! Ten thousand objects and many watchers: nothing is lost, and a write costs what its watchers are, not what is stored.

use futures::{AsyncBufReadExt, StreamExt};
use http::Request;
use kube::Client;
use serde_json::{Value, json};

use crate::{Cluster, Work};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

async fn send(client: &Client, method: &str, path: &str, body: &Value) -> Value {
    let request = Request::builder().method(method).uri(path);
    let media = if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
    let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
    client.request(request.header("Content-Type", media).body(body).unwrap()).await.unwrap()
}

fn map(at: usize) -> Value {
    let parity = if at.is_multiple_of(2) { "even" } else { "odd" };
    json!({"metadata": {"name": format!("m{at:05}"), "labels": {"parity": parity}}})
}

async fn fill(client: &Client, count: usize) {
    for at in 0..count {
        send(client, "POST", MAPS, &map(at)).await;
    }
}

/// The versions that a watch tells of, until `count` events have come.
async fn followed(client: Client, query: &str, count: usize) -> Vec<u64> {
    let uri = format!("{MAPS}?watch=true&{query}");
    let stream = client.request_stream(Request::get(uri).body(Vec::new()).unwrap()).await.unwrap();
    let version = |line: std::io::Result<String>| async move {
        let event: Value = serde_json::from_str(&line.unwrap()).unwrap();
        event["object"]["metadata"]["resourceVersion"].as_str().unwrap().parse::<u64>().unwrap()
    };
    stream.lines().take(count).then(version).collect().await
}

const MANY: usize = 10_000;

#[tokio::test]
async fn ten_thousand_objects_reach_ten_watchers_and_all_pages() {
    // One more than the changes: what is not yet read must not be forgotten.
    let cluster = Cluster::builder().watch_history(MANY + 1).start().await;
    let client = cluster.client();
    let from = format!("resourceVersion={}", cluster.version());
    let watchers: Vec<_> = (0..10)
        .map(|_| {
            let (client, from) = (client.clone(), from.clone());
            tokio::spawn(async move { followed(client, &from, MANY).await })
        })
        .collect();
    let first = cluster.version() + 1;
    fill(&client, MANY).await;
    for watcher in watchers {
        let versions = watcher.await.unwrap();
        assert!(versions.into_iter().eq(first..first + MANY as u64), "an event is lost, doubled or out of order");
    }
    assert_eq!(names_by_pages(&client, 500).await, (0..MANY).map(|at| format!("m{at:05}")).collect::<Vec<_>>());
}

async fn names_by_pages(client: &Client, limit: usize) -> Vec<String> {
    let (mut token, mut names) = (String::new(), Vec::new());
    loop {
        let page = send(client, "GET", &format!("{MAPS}?limit={limit}&continue={token}"), &Value::Null).await;
        let items = page["items"].as_array().unwrap();
        names.extend(items.iter().map(|item| item["metadata"]["name"].as_str().unwrap().to_owned()));
        token = page["metadata"]["continue"].as_str().unwrap_or_default().to_owned();
        if token.is_empty() {
            return names;
        }
    }
}

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

#[tokio::test(start_paused = true)]
async fn a_watcher_of_another_resource_costs_nothing() {
    let cluster = Cluster::start().await;
    let client = cluster.client();
    fill(&client, 1).await;
    let uri = "/api/v1/secrets?watch=true&timeoutSeconds=1";
    let stream = client.request_stream(Request::get(uri).body(Vec::new()).unwrap()).await.unwrap();
    let before = cluster.work();
    send(&client, "PATCH", &format!("{MAPS}/m00000"), &json!({"data": {"k": "v"}})).await;
    stream.lines().collect::<Vec<_>>().await;
    assert_eq!((cluster.work() - before).considered, 0);
}
