//! Conversion webhooks of CRDs: changes of the storage version and of the webhook.

use std::time::Duration;

use futures::StreamExt;
use kube::Api;
use kube::api::{DynamicObject, WatchParams};
use kube::core::{ApiResource, GroupVersionKind};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::check::{Broken, Verdict, differ, eventually, same};
use crate::conversion_server::{Cats, with_cats};
use crate::env::Env;
use crate::rule::rules;

rules![
    an_object_of_an_old_storage_version_is_converted,
    an_unchanged_write_stores_an_object_of_an_old_version_anew,
    a_watch_ends_when_the_webhook_changes,
];

/// Stores cats in v2, and gives cats in v1 a new default.
async fn store_in_v2(env: &Env, cats: &Cats<'_>) -> Verdict {
    let late = json!({"type": "string", "default": "x"});
    let properties = "/schema/openAPIV3Schema/properties/spec/properties/late";
    let patch = json!([
        {"op": "add", "path": format!("/spec/versions/0{properties}"), "value": late},
        {"op": "replace", "path": "/spec/versions/0/storage", "value": false},
        {"op": "replace", "path": "/spec/versions/1/storage", "value": true},
    ]);
    let crd = env.json_patch(&cats.crd_path(), &patch).await?.is(200)?.body;
    same("stored versions", &crd["status"]["storedVersions"], &json!(["v1", "v2"]))?;
    let probe = || async { Ok((cats.spec("v1", "a").await?["late"] == "x").then_some(())) };
    eventually("the change has an effect", probe).await
}

async fn an_object_of_an_old_storage_version_is_converted(env: &Env) -> Verdict {
    with_cats(env, |cats| async move {
        let made = cats.create("v1", "a", json!({"size": 3})).await?.is(201)?;
        store_in_v2(env, &cats).await?;
        same("as it is stored", cats.spec("v1", "a").await?, json!({"size": 3, "n": 1, "late": "x"}))?;
        same("converted", cats.spec("v2", "a").await?, json!({"length": 3, "n": 1}))?;
        let listed = env.get(&cats.path("v2", "")).await?.is(200)?;
        same("listed", &listed.body["items"][0]["spec"], &json!({"length": 3, "n": 1}))?;
        same("version", &listed.body["items"][0]["metadata"]["resourceVersion"], &json!(made.version()))?;
        let made = cats.create("v1", "b", json!({"size": 4})).await?.is(201)?;
        same("converted twice", &made.body["spec"], &json!({"size": 4, "n": 1}))?;
        let deleted = env.send("DELETE", &cats.path("v1", "/a"), "", "").await?.is(200)?;
        same("deleted", &deleted.body["details"]["name"], "a")
    })
    .await
}

async fn an_unchanged_write_stores_an_object_of_an_old_version_anew(env: &Env) -> Verdict {
    with_cats(env, |cats| async move {
        let made = cats.create("v1", "a", json!({"size": 3})).await?.is(201)?;
        store_in_v2(env, &cats).await?;
        let path = cats.path("v2", "/a");
        let written = env.merge(&path, &json!({})).await?.is(200)?;
        differ("version", written.version(), made.version())?;
        same("generation", &written.body["metadata"]["generation"], 1)?;
        let again = env.merge(&path, &json!({})).await?.is(200)?;
        same("version", again.version(), written.version())?;
        same("v2", cats.spec("v2", "a").await?, json!({"length": 3, "n": 1}))?;
        same("v1", cats.spec("v1", "a").await?, json!({"size": 3, "n": 1}))
    })
    .await
}

/// The time limit of the rule on a server that does not end the watch.
const LIMIT: Duration = Duration::from_secs(60);

async fn a_watch_ends_when_the_webhook_changes(env: &Env) -> Verdict {
    with_cats(env, |cats| async move {
        cats.create("v1", "a", json!({"size": 1})).await?.is(201)?;
        let kind = ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(&env.group(), "v2", "Cat"), "cats");
        let api: Api<DynamicObject> = Api::namespaced_with(env.client.clone(), &env.namespace, &kind);
        let mut events = api.watch(&WatchParams::default(), "0").await?.boxed();
        events.next().await.ok_or("the watch has no event")??;
        env.merge(&cats.crd_path(), &json!({"metadata": {"annotations": {"x": "y"}}})).await?.is(200)?;
        cats.create("v1", "b", json!({"size": 1})).await?.is(201)?;
        events.next().await.ok_or("an annotation of the CRD ends the watch")??;
        let other: Value = cats.hooks.client("other");
        let change = json!({"spec": {"conversion": {"webhook": {"clientConfig": other}}}});
        env.merge(&cats.crd_path(), &change).await?.is(200)?;
        let ended = async {
            while events.next().await.transpose()?.is_some() {}
            Ok::<(), Broken>(())
        };
        timeout(LIMIT, ended).await.map_err(|_| "the watch does not end")?
    })
    .await
}
