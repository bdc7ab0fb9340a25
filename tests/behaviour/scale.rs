//! Failures and scale: huge objects, many children, competing writers, busy kinds, servers that close watches or send no bookmarks. No
//! change is lost, and the counts stay within the limits here.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use evenkeel::prelude::*;
use evenkeel_testkit::{Cluster, Effect, Fault, Seed, Verb, Work, eventually};
use evenkeel_tests::on_each_server;
use evenkeel_tests::recording_client::Call;
use evenkeel_tests::test_env::{SOON, Server, World};
use evenkeel_tests::widget::{
    Lab, Widget, WidgetCondition, WidgetError, a_widget, definition, is_ready, on, store, widget,
};
use futures::StreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{Patch, PatchParams, PostParams};
use kube::core::ObjectMeta;
use serde_json::{Value, json};
use tokio::time::sleep;

const HOUR: Duration = Duration::from_secs(3600);

on_each_server!(a_huge_object_costs_no_extra_calls);

async fn a_world() -> World {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    world
}

fn work(world: &World) -> Work {
    world.cluster().work()
}

/// A ConfigMap with additional metadata.
fn map(name: &str, meta: ObjectMeta) -> ConfigMap {
    ConfigMap { metadata: ObjectMeta { name: Some(name.into()), ..meta }, ..ConfigMap::default() }
}

async fn ready_at(world: &World, generation: u64) -> Value {
    let wanted = |object: &Value| is_ready(object) && object["metadata"]["generation"] == generation;
    world.until::<Widget>("w", "ready in its generation", wanted).await
}

async fn a_huge_object_costs_no_extra_calls(world: World) -> World {
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let operator = world.operator::<widget>(lab.clone());
    let huge = "x".repeat(1_000_000);
    world.create::<Widget>(a_widget("w", json!({ "store": huge }))).await;
    ready_at(&world, 1).await;
    world.merge::<Widget>("w", json!({ "spec": { "store": huge.replace("xx", "yy") } })).await;
    ready_at(&world, 2).await;
    operator.stop().await.unwrap();
    assert_eq!(lab.log(), ["fetch w", "store w", "fetch w", "store w"]);
    let writes = world.wire.calls().into_iter().filter(|call| call.is_write() && !call.is_event());
    let sizes: Vec<usize> = writes.map(|call| call.body.len()).collect();
    assert!(sizes.len() == 3 && sizes.iter().all(|size| *size < 4096), "finalizer and two status writes: {sizes:?}");
    world
}

/// Ten thousand children that no step creates.
#[tokio::test(start_paused = true)]
async fn events_of_ten_thousand_children_coalesce_into_one_pass() {
    const CHILDREN: usize = 10_000;
    let world = a_world().await;
    let owner = world.create::<Widget>(a_widget("w", json!({}))).await;
    let owner = json!([{ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Widget", "name": "w", "uid": owner.metadata.uid,
        "controller": true }]);
    let owners: Option<Vec<_>> = serde_json::from_value(owner).unwrap();
    let (maps, params) = (world.api::<ConfigMap>(), PostParams::default());
    let children = futures::stream::iter(0..CHILDREN).for_each_concurrent(16, |i| {
        let child =
            map(&format!("child-{i}"), ObjectMeta { owner_references: owners.clone(), ..ObjectMeta::default() });
        let (maps, params) = (&maps, &params);
        async move { drop(maps.create(params, &child).await.unwrap()) }
    });
    children.await;
    let lab = Lab::at("a");
    let operator = world.operator::<widget>(lab.clone());
    ready_at(&world, 1).await;
    let passes = lab.passes();

    // A thousand of them change during a pass: one more pass covers all.
    let held = lab.hold.lock().await;
    let grow = |i: usize| json!({ "data": { "grown": i.to_string() } });
    for i in 0..1000 {
        maps.patch(&format!("child-{i}"), &PatchParams::default(), &Patch::Merge(grow(i))).await.unwrap();
    }
    eventually(SOON, || async { (lab.passes() > passes).then_some(()) }).await;
    sleep(Duration::from_secs(1)).await;
    drop(held);
    world.merge::<Widget>("w", json!({ "spec": { "child": "x" } })).await;
    ready_at(&world, 2).await;
    let more = lab.passes() - passes;
    assert!((1..=4).contains(&more), "a thousand changes, {more} passes");
    let sizes: Vec<usize> =
        world.wire.calls().iter().filter(|call| call.is_status_write()).map(|c| c.body.len()).collect();
    assert!(sizes.iter().all(|size| *size < 4096), "the status does not grow with the children: {sizes:?}");
    let reads = |call: &Call| call.method == "GET" && call.path.contains("/configmaps/");
    assert_eq!(world.wire.count(reads), 0, "no child is read by itself");
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_rival_for_the_status_costs_one_write_per_interval() {
    let world = a_world().await;
    let lab = Lab::at("a");
    let operator = world.operator::<widget>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({ "interval": "10m" }))).await;
    ready_at(&world, 1).await;
    world.wire.clear();
    let passes = lab.passes();

    // It reverts every Ready that it reads.
    let rival = async {
        let api = world.api::<Widget>();
        let no = json!({ "status": { "conditions": [{ "type": "Ready", "status": "False", "reason": "Rival", "message": "",
            "lastTransitionTime": "2026-01-01T00:00:00Z" }] } });
        loop {
            if is_ready(&world.raw::<Widget>("w").await) {
                api.patch_status("w", &PatchParams::default(), &Patch::Merge(&no)).await.unwrap();
            }
            sleep(Duration::from_secs(30)).await;
        }
    };
    tokio::select! { () = rival => {}, () = sleep(24 * HOUR) => {} }
    let (passes, writes) = (lab.passes() - passes, world.wire.count(Call::is_status_write));
    assert!((130..=160).contains(&passes), "one per ten minutes, and none because of the rival: {passes}");
    assert!(writes <= passes, "{writes} writes in {passes} passes");
    operator.stop().await.unwrap();
}

/// Reads the Secrets with a label.
#[sub_reconciler(sets(on::Fetched, on::Outdated), watches(Secret, labels = "look=yes"))]
async fn look(_: &Widget, lab: &Arc<Lab>, cx: &mut Cx<'_, look>) -> Result<(), WidgetError> {
    let found = cx.get::<Secret>("relevant-0").await?;
    lab.note(&format!("look {}", found.is_some()));
    Ok(())
}

#[reconciler(conditions = WidgetCondition)]
async fn looking(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    look(widget, lab, cx).await?;
    store(widget, lab, &"a".into(), cx).await?;
    Ok(())
}

/// Passes and delivered events for this many Secrets, of which one in a hundred is selected: at the start, and after changes to others.
async fn delivered(all: usize) -> (usize, u64) {
    let world = a_world().await;
    let secrets = |name: &str, count: usize, look: &str| {
        let metadata = json!({ "name": name, "namespace": world.namespace, "labels": { "look": look } });
        Seed::from(json!({ "apiVersion": "v1", "kind": "Secret", "metadata": metadata })).times(count)
    };
    let seed = secrets("relevant", all / 100, "yes").and(secrets("other", all - all / 100, "no"));
    world.cluster().seed(seed).await.unwrap();
    world.create::<Widget>(a_widget("w", json!({}))).await;
    let lab = Lab::at("a");
    let operator = world.operator::<looking>(lab.clone());
    ready_at(&world, 1).await;
    let before = work(&world);
    for i in 0..500 {
        let more = Patch::Merge(json!({ "data": { "k": "dg==" } }));
        world.api::<Secret>().patch(&format!("other-{i}"), &PatchParams::default(), &more).await.unwrap();
    }
    let delivered = (work(&world) - before).delivered;
    operator.stop().await.unwrap();
    assert_eq!(lab.log(), ["look true", "store w"]);
    (lab.log().len(), delivered)
}

#[tokio::test(start_paused = true)]
async fn a_watch_by_label_receives_only_selected_objects() {
    assert_eq!(delivered(1_000).await, (2, 0));
    assert_eq!(delivered(100_000).await, (2, 0));
}

/// Sixty changes, one a minute; each must be in the status before the next.
async fn an_hour_of_changes(world: &World) {
    for minute in 0..60_u64 {
        world.merge::<Widget>("w", json!({ "spec": { "child": minute.to_string() } })).await;
        ready_at(world, minute + 2).await;
        sleep(Duration::from_secs(60)).await;
    }
}

fn lists(world: &World) -> usize {
    world.wire.count(Call::is_list)
}

#[tokio::test(start_paused = true)]
async fn short_watches_lose_nothing_and_cause_no_lists() {
    let world = a_world().await;
    world.cluster().faults().add(Fault::new(Effect::DropWatch(Duration::from_secs(1))).verb(Verb::Watch).always());
    let lab = Lab::at("a");
    let operator = world.operator::<widget>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({}))).await;
    ready_at(&world, 1).await;
    let (passes, listed) = (lab.passes(), lists(&world));
    world.wire.clear();
    an_hour_of_changes(&world).await;
    assert_eq!(lab.passes() - passes, 60);
    assert_eq!(lists(&world), 0, "{listed} at the start: a watch goes on from where it ended");
    let mut watches: Vec<String> =
        world.wire.calls().into_iter().filter(Call::is_watch).map(|call| call.path).collect();
    let all = watches.len();
    watches.sort();
    watches.dedup();
    let each = all / watches.len();
    assert!((1800..=3700).contains(&each), "{each} in an hour of each of {watches:?}");
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn missing_bookmarks_lose_nothing_and_run_nothing() {
    let cluster = Cluster::builder().bookmark_interval(1000 * 24 * HOUR).watch_history(100).start().await;
    let world = World::beside(cluster).await;
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let operator = world.operator::<widget>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({}))).await;
    ready_at(&world, 1).await;
    let passes = lab.passes();
    world.wire.clear();
    let maps = world.api::<Secret>();
    // Writes to other kinds push the versions of the watches out of the history.
    for hour in 0..24 {
        for i in 0..200 {
            let secret = json!({ "metadata": { "name": format!("noise-{hour}-{i}") } });
            maps.create(&PostParams::default(), &serde_json::from_value(secret).unwrap()).await.unwrap();
        }
        sleep(HOUR).await;
    }
    assert_eq!(lab.passes(), passes, "a list that is the same runs nothing");
    let (listed, watched) = (lists(&world), world.wire.count(Call::is_watch));
    assert!(listed <= 3 * 25 && watched <= 3 * 24 * 14, "{listed} lists and {watched} watches in a day");
    an_hour_of_changes(&world).await;
    assert_eq!(lab.passes() - passes, 60);
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_clock_jump_runs_each_object_once() {
    const OBJECTS: usize = 50;
    let world = a_world().await;
    for i in 0..OBJECTS {
        world.create::<Widget>(a_widget(&format!("w-{i}"), json!({ "interval": "1h" }))).await;
    }
    let lab = Lab::at("a");
    let operator = world.operator::<widget>(lab.clone());
    sleep(Duration::from_secs(60)).await;
    let before = lab.passes();
    // The interval of a few objects may end within the minute.
    assert!((OBJECTS..OBJECTS + 10).contains(&before), "{before}");
    world.wire.clear();
    // As after a suspended night, and after a clock change of a year.
    tokio::time::advance(365 * 24 * HOUR).await;
    sleep(Duration::from_secs(60)).await;
    let after = lab.passes() - before;
    assert!((OBJECTS..=2 * OBJECTS).contains(&after), "{after} passes of {OBJECTS} objects after the jump");
    sleep(10 * HOUR).await;
    let later = lab.passes() - before - after;
    // The intervals are spread by a tenth.
    assert!((8 * OBJECTS..=13 * OBJECTS).contains(&later), "{later} passes of {OBJECTS} objects in ten hours");
    assert_eq!(world.wire.count(Call::is_write), 0, "{:#?}", world.wire.calls());
    world.merge::<Widget>("w-0", json!({ "spec": { "child": "late" } })).await;
    world.until::<Widget>("w-0", "served", |w| is_ready(w) && w["status"]["observedGeneration"] == 2).await;
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_busy_server_gets_few_requests_per_object() {
    const OBJECTS: usize = 100;
    let world = a_world().await;
    for i in 0..OBJECTS {
        world.create::<Widget>(a_widget(&format!("w-{i}"), json!({}))).await;
    }
    let busy = Fault::new(Effect::TooManyRequests(1)).resource("widgets");
    for verb in [Verb::Patch, Verb::Update] {
        world.cluster().faults().add(busy.clone().verb(verb).always());
    }
    let lab = Lab::at("a");
    let operator = world.operator::<widget>(lab.clone());
    sleep(Duration::from_secs(600)).await;
    let asked = world.wire.count(|call| call.is_write() && !call.is_event());
    assert!(asked > OBJECTS && asked <= 20 * OBJECTS, "{asked} requests for {OBJECTS} objects");
    world.cluster().faults().clear();
    sleep(Duration::from_secs(60)).await;
    let mut ready = HashSet::new();
    for i in 0..OBJECTS {
        let name = format!("w-{i}");
        if is_ready(&world.raw::<Widget>(&name).await) {
            ready.insert(name);
        }
    }
    assert_eq!(ready.len(), OBJECTS, "a minute later all are back");
    operator.stop().await.unwrap();
}
