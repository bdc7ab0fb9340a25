//! CRDs through a client: their deletion and their versions.

use futures::{StreamExt, TryStreamExt};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams};
use serde_json::json;

use super::{widget, with_widgets};

const NAME: &str = "widgets.ex.dev";

#[tokio::test]
async fn deleting_a_crd_waits_for_objects_and_ends_watches() {
    let (_cluster, client, widgets) = with_widgets().await;
    let definitions: Api<CustomResourceDefinition> = Api::all(client);
    let mut held = widget("held", 1);
    held.metadata.finalizers = Some(vec!["ex.dev/f".to_owned()]);
    let held = widgets.create(&PostParams::default(), &held).await.unwrap();
    widgets.create(&PostParams::default(), &widget("free", 1)).await.unwrap();
    let version = held.metadata.resource_version.unwrap();
    let mut events = widgets.watch(&WatchParams::default(), &version).await.unwrap().boxed();

    let deleted = definitions.delete(NAME, &DeleteParams::default()).await.unwrap().unwrap_left();
    assert_eq!(deleted.metadata.generation, Some(1), "a definition keeps its generation when it ends");
    let refused = widgets.create(&PostParams::default(), &widget("late", 1)).await.unwrap_err().to_string();
    assert!(refused.contains("create not allowed while custom resource definition is terminating"), "{refused}");

    let mut seen = Vec::new();
    while seen.len() < 3 {
        match events.try_next().await.unwrap().unwrap() {
            WatchEvent::Added(_) => seen.push("added"),
            WatchEvent::Modified(_) => seen.push("modified"),
            WatchEvent::Deleted(_) => seen.push("deleted"),
            other => panic!("{other:?}"),
        }
    }
    seen.sort_unstable();
    assert_eq!(seen, ["added", "deleted", "modified"]);
    assert!(definitions.get_opt(NAME).await.unwrap().is_some(), "an object still waits for its finalizer");

    let free = Patch::Merge(json!({"metadata": {"finalizers": null}}));
    widgets.patch("held", &PatchParams::default(), &free).await.unwrap();
    assert!(matches!(events.try_next().await.unwrap(), Some(WatchEvent::Deleted(_))));
    assert!(events.try_next().await.unwrap().is_none(), "the watch ends with the definition");
    assert!(definitions.get_opt(NAME).await.unwrap().is_none());
}
