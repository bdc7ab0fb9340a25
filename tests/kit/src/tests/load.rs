//! Many writers and watchers at once.

use std::sync::Arc;

use futures::{StreamExt, TryStreamExt};
use kube::api::{ListParams, Patch, PatchParams, PostParams, WatchParams};
use serde_json::json;

use super::{widget, with_widgets};

#[tokio::test]
async fn many_objects_and_watchers_stay_consistent() {
    let (cluster, _client, widgets) = with_widgets().await;
    let start = cluster.version().to_string();
    let mut streams = Vec::new();
    for _ in 0..10 {
        streams.push(widgets.watch(&WatchParams::default(), &start).await.unwrap().boxed());
    }
    let widgets = Arc::new(widgets);
    let writers = (0..20).map(|writer| {
        let widgets = Arc::clone(&widgets);
        async move {
            for at in 0..10 {
                let name = format!("w{writer}-{at}");
                widgets.create(&PostParams::default(), &widget(&name, 1)).await.unwrap();
                let patch = Patch::Merge(json!({"spec": {"size": 2}}));
                widgets.patch(&name, &PatchParams::default(), &patch).await.unwrap();
            }
        }
    });
    futures::future::join_all(writers).await;
    for stream in streams {
        let events: Vec<_> = stream.take(400).try_collect().await.unwrap();
        assert_eq!(events.len(), 400);
    }
    let params = ListParams::default().limit(30);
    let (mut token, mut found) = (None, 0);
    loop {
        let page = widgets.list(&ListParams { continue_token: token, ..params.clone() }).await.unwrap();
        found += page.items.len();
        token = page.metadata.continue_.filter(|token| !token.is_empty());
        if token.is_none() {
            break;
        }
    }
    assert_eq!(found, 200);
}
