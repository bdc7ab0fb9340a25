//! What kube-runtime builds on the server: watchers, stores, controllers, finalizers.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use evenkeel_random_cases::Choices;
use futures::{Stream, StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{DeleteParams, DynamicObject, Patch, PatchParams, PostParams};
use kube::core::PartialObjectMeta;
use kube::runtime::controller::{Action, Controller};
use kube::runtime::finalizer::{Event as Finalizing, finalizer};
use kube::runtime::watcher::{self, Event};
use kube::runtime::{WatchStreamExt, reflector};
use kube::{Api, Client, ResourceExt};
use serde_json::json;
use tokio_util::task::AbortOnDropHandle;

use crate::check::{Broken, Verdict, eventually, holds, same};
use crate::env::{Env, GROUP};
use crate::rule::rules;

rules![
    a_watcher_lists_and_then_follows,
    a_watcher_lists_in_pages,
    a_watcher_lists_by_stream,
    a_metadata_watcher_follows,
    a_store_mirrors_the_server,
    a_finalizer_runs_its_cleanup_before_the_end,
    a_controller_makes_what_it_owns_and_makes_it_again,
    a_controller_that_changes_nothing_comes_to_rest;
    embedded a_watcher_lists_again_after_the_past_is_forgotten, a_streaming_watcher_lists_again_after_the_past_is_forgotten,
    stores_agree_with_the_server_through_storms,
];

type Watched = Event<ConfigMap>;

fn brief(event: &Watched) -> String {
    match event {
        Event::Init => "init".into(),
        Event::InitDone => "done".into(),
        Event::InitApply(map) => format!("init {}", map.name_any()),
        Event::Apply(map) => format!("apply {}", map.name_any()),
        Event::Delete(map) => format!("delete {}", map.name_any()),
    }
}

async fn next(events: &mut (impl Stream<Item = watcher::Result<Watched>> + Unpin)) -> Result<String, Broken> {
    let event = tokio::time::timeout(Duration::from_secs(20), events.try_next()).await??;
    Ok(brief(&event.ok_or("the watcher ended")?))
}

/// All names are listed, or follow where a cache lists a little less.
async fn begins(events: &mut (impl Stream<Item = watcher::Result<Watched>> + Unpin), names: &[&str]) -> Verdict {
    same("first", next(events).await?, "init")?;
    let mut missing: BTreeSet<&str> = names.iter().copied().collect();
    let mut state = "listing";
    while state == "listing" || !missing.is_empty() {
        let event = next(events).await?;
        match event.split_once(' ') {
            None if event == "done" && state == "listing" => state = "following",
            Some(("init" | "apply", name)) if missing.remove(name) => {}
            _ => return Err(format!("unexpected: {event}, while {state}, still missing {missing:?}").into()),
        }
    }
    Ok(())
}

async fn create(env: &Env, names: &[&str]) -> Verdict {
    for name in names {
        env.maps().create(&PostParams::default(), &env.map(name)).await?;
    }
    Ok(())
}

async fn follows(env: &Env, config: watcher::Config) -> Verdict {
    create(env, &["a", "b", "c"]).await?;
    let mut events = std::pin::pin!(watcher::watcher(env.maps(), config));
    begins(&mut events, &["a", "b", "c"]).await?;
    create(env, &["d"]).await?;
    same("live", next(&mut events).await?, "apply d")?;
    env.maps().delete("a", &DeleteParams::default()).await?;
    same("live", next(&mut events).await?, "delete a")
}

async fn a_watcher_lists_and_then_follows(env: &Env) -> Verdict {
    follows(env, watcher::Config::default()).await
}

async fn a_watcher_lists_in_pages(env: &Env) -> Verdict {
    follows(env, watcher::Config::default().page_size(2)).await
}

async fn a_watcher_lists_by_stream(env: &Env) -> Verdict {
    follows(env, watcher::Config::default().streaming_lists()).await
}

async fn a_metadata_watcher_follows(env: &Env) -> Verdict {
    let metadata: Api<PartialObjectMeta<ConfigMap>> = Api::namespaced(env.client.clone(), &env.namespace);
    let mut events = std::pin::pin!(watcher::watcher(metadata, watcher::Config::default()).applied_objects());
    create(env, &["a"]).await?;
    let first: Option<PartialObjectMeta<ConfigMap>> =
        tokio::time::timeout(Duration::from_secs(20), events.try_next()).await??;
    same("name", first.map(|meta| meta.name_any()), Some("a".to_owned()))
}

async fn a_store_mirrors_the_server(env: &Env) -> Verdict {
    let (store, writer) = reflector::store();
    let stream = reflector(writer, watcher::watcher(env.maps(), watcher::Config::default()));
    let _task = AbortOnDropHandle::new(tokio::spawn(stream.default_backoff().for_each(|_| async {})));
    create(env, &["a", "b"]).await?;
    env.maps().delete("a", &DeleteParams::default()).await?;
    let patch = Patch::Merge(json!({"data": {"k": "2"}}));
    let last = env.maps().patch("b", &PatchParams::default(), &patch).await?;
    let mirrored = || async { Ok((store.len() == 1 && *store.state()[0] == last).then_some(())) };
    eventually("the store is as the server is", mirrored).await
}

async fn a_finalizer_runs_its_cleanup_before_the_end(env: &Env) -> Verdict {
    let name = "conform.evenkeel.dev/cleanup";
    let api = env.widgets();
    let cleaned = AtomicUsize::new(0);
    let step = |object: DynamicObject| {
        finalizer(&api, name, Arc::new(object), |event| {
            cleaned.fetch_add(usize::from(matches!(event, Finalizing::Cleanup(_))), Ordering::SeqCst);
            async { Ok::<_, std::io::Error>(Action::await_change()) }
        })
    };
    let made = env.widget("a", json!({})).await?;
    step(made).await?;
    let held = api.get("a").await?;
    same("finalizers", held.finalizers(), &[name.to_owned()])?;
    step(held).await?;
    api.delete("a", &DeleteParams::default()).await?;
    let ending = api.get("a").await?;
    same("cleanups", cleaned.load(Ordering::SeqCst), 0)?;
    step(ending).await?;
    same("cleanups", cleaned.load(Ordering::SeqCst), 1)?;
    same("stored", api.get_opt("a").await?, None)
}

struct Context {
    client: Client,
    passes: AtomicUsize,
}

/// Applies a config map owned by the widget, and a status, on every pass.
async fn reconcile(widget: Arc<DynamicObject>, context: Arc<Context>) -> Result<Action, kube::Error> {
    context.passes.fetch_add(1, Ordering::SeqCst);
    let namespace = widget.namespace().unwrap_or_default();
    let (maps, widgets): (Api<ConfigMap>, Api<DynamicObject>) = (
        Api::namespaced(context.client.clone(), &namespace),
        Api::namespaced_with(context.client.clone(), &namespace, &Env::kind()),
    );
    let owner = json!({"apiVersion": format!("{GROUP}/v1"), "kind": "Widget", "name": widget.name_any(), "uid": widget.uid(), "controller": true});
    let child = json!({"apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": widget.name_any(), "ownerReferences": [owner]}, "data": {"size": widget.data["spec"]["size"].to_string()}});
    maps.patch(&widget.name_any(), &PatchParams::apply("controller").force(), &Patch::Apply(child)).await?;
    let status = json!({"apiVersion": format!("{GROUP}/v1"), "kind": "Widget", "status": {"phase": "ready"}});
    widgets.patch_status(&widget.name_any(), &PatchParams::apply("controller").force(), &Patch::Apply(status)).await?;
    Ok(Action::await_change())
}

fn run(env: &Env) -> (Arc<Context>, AbortOnDropHandle<()>) {
    let context = Arc::new(Context { client: env.client.clone(), passes: AtomicUsize::new(0) });
    let stream = Controller::new_with(env.widgets(), watcher::Config::default(), Env::kind())
        .owns(env.maps(), watcher::Config::default())
        .run(reconcile, |_, _, _| Action::requeue(Duration::from_millis(100)), Arc::clone(&context));
    (context, AbortOnDropHandle::new(tokio::spawn(stream.for_each(|_| async {}))))
}

async fn made(env: &Env, size: &str) -> Result<ConfigMap, Broken> {
    let there = || async {
        let map = env.maps().get_opt("a").await?;
        Ok(map.filter(|map| map.data.as_ref().is_some_and(|data| data.get("size").is_some_and(|found| found == size))))
    };
    eventually("the owned object is as it should be", there).await
}

async fn a_controller_makes_what_it_owns_and_makes_it_again(env: &Env) -> Verdict {
    let (_, _task) = run(env);
    env.widget("a", json!({"size": 1})).await?;
    let first = made(env, "1").await?;
    env.maps().delete("a", &DeleteParams::default()).await?;
    let second = made(env, "1").await?;
    holds("it is another one", first.uid() != second.uid())?;
    env.merge(&env.path("/a"), &json!({"spec": {"size": 2}})).await?.is(200)?;
    made(env, "2").await?;
    env.merge(&env.core("configmaps/a"), &json!({"data": {"size": "changed"}})).await?.is(200)?;
    made(env, "2").await?;
    Ok(())
}

async fn a_controller_that_changes_nothing_comes_to_rest(env: &Env) -> Verdict {
    let (context, _task) = run(env);
    env.widget("a", json!({"size": 1})).await?;
    made(env, "1").await?;
    // The passes that its own writes cause come to an end; each write that changed something may cause one.
    let mut before = usize::MAX;
    while before != context.passes.load(Ordering::SeqCst) {
        before = context.passes.load(Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(700)).await;
    }
    holds(&format!("{before} passes are few"), before <= 5)
}

async fn lists_again(env: &Env, config: watcher::Config) -> Verdict {
    let cluster = env.cluster.as_ref().ok_or("not embedded")?;
    create(env, &["a"]).await?;
    let mut events = std::pin::pin!(watcher::watcher(env.maps(), config));
    begins(&mut events, &["a"]).await?;
    // Both at once: the watcher must come back to a version that is no longer known.
    cluster.drop_watches();
    create(env, &["b"]).await?;
    env.maps().delete("a", &DeleteParams::default()).await?;
    cluster.compact();
    let mut seen = Vec::new();
    loop {
        match tokio::time::timeout(Duration::from_secs(20), events.next()).await? {
            Some(Ok(event)) => seen.push(brief(&event)),
            Some(Err(_)) => seen.push("error".into()),
            None => return Err("the watcher ended".into()),
        }
        if seen.ends_with(&["init b".into(), "done".into()]) || seen.ends_with(&["delete a".into()]) {
            break;
        }
    }
    create(env, &["c"]).await?;
    same("live", next(&mut events).await?, "apply c")
}

async fn a_watcher_lists_again_after_the_past_is_forgotten(env: &Env) -> Verdict {
    lists_again(env, watcher::Config::default()).await
}

async fn a_streaming_watcher_lists_again_after_the_past_is_forgotten(env: &Env) -> Verdict {
    lists_again(env, watcher::Config::default().streaming_lists()).await
}

/// One of the writes of a storm.
async fn gust(env: &Env, [name, value, verb]: [u32; 3]) -> Verdict {
    let (name, value) = (format!("m{name}"), value.to_string());
    let outcome = match verb {
        0 => env.maps().create(&PostParams::default(), &env.map(&name)).await.map(|_| ()),
        1 => env.maps().delete(&name, &DeleteParams::default()).await.map(|_| ()),
        _ => {
            let patch = Patch::Merge(json!({"data": {"k": value}}));
            env.maps().patch(&name, &PatchParams::default(), &patch).await.map(|_| ())
        }
    };
    match outcome {
        Ok(()) | Err(kube::Error::Api(_)) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// The writes of a storm, each with what happens to the server after it.
fn storm() -> Vec<([u32; 3], u32)> {
    let mut choices = Choices::of(7);
    (0..300).map(|_| ([6, 100, 4].map(|end| choices.range(0..end)), choices.range(0..40))).collect()
}

/// A store that follows the server.
fn mirror(env: &Env, config: watcher::Config) -> (reflector::Store<ConfigMap>, AbortOnDropHandle<()>) {
    let (store, writer) = reflector::store();
    let stream = reflector(writer, watcher::watcher(env.maps(), config).default_backoff());
    (store, AbortOnDropHandle::new(tokio::spawn(stream.for_each(|_| async {}))))
}

async fn stores_agree_with_the_server_through_storms(env: &Env) -> Verdict {
    let cluster = env.cluster.as_ref().ok_or("not embedded")?;
    let configs = [
        watcher::Config::default(),
        watcher::Config::default().page_size(2),
        watcher::Config::default().streaming_lists(),
    ];
    let mirrors: Vec<_> = configs.into_iter().map(|config| mirror(env, config)).collect();
    for (write, misfortune) in storm() {
        gust(env, write).await?;
        match misfortune {
            0 => cluster.compact(),
            1 => cluster.drop_watches(),
            _ => {}
        }
    }
    let by_name = |maps: Vec<ConfigMap>| {
        let named = maps.into_iter().map(|map| (map.name_any(), map));
        named.collect::<std::collections::BTreeMap<_, _>>()
    };
    let stored = by_name(env.maps().list(&kube::api::ListParams::default()).await?.items);
    for (store, _) in &mirrors {
        let agrees = || async {
            let mirrored = by_name(store.state().iter().map(|map| (**map).clone()).collect());
            Ok((mirrored == stored).then_some(()))
        };
        eventually("the store is as the server is", agrees).await?;
    }
    Ok(())
}
