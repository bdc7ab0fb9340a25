//! Ten thousand objects and many watchers: no event is lost.

use futures::{AsyncBufReadExt, StreamExt};
use http::Request;
use kube::Client;
use serde_json::{Value, json};

use crate::Cluster;

pub(super) const MAPS: &str = "/api/v1/namespaces/default/configmaps";

pub(super) async fn send(client: &Client, method: &str, path: &str, body: &Value) -> Value {
    let request = Request::builder().method(method).uri(path);
    let media = if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
    let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
    client.request(request.header("Content-Type", media).body(body).unwrap()).await.unwrap()
}

fn map(at: usize) -> Value {
    let parity = if at.is_multiple_of(2) { "even" } else { "odd" };
    json!({"metadata": {"name": format!("m{at:05}"), "labels": {"parity": parity}}})
}

pub(super) async fn fill(client: &Client, count: usize) {
    for at in 0..count {
        send(client, "POST", MAPS, &map(at)).await;
    }
}

/// The resource versions of the first `count` events of a watch.
pub(super) async fn followed(client: Client, query: &str, count: usize) -> Vec<u64> {
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
    // The history holds one more than the changes, so that unread events do not expire.
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
