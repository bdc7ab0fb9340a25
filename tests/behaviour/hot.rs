//! Hot objects: the spec changes faster than the status can be written.

use std::sync::Arc;
use std::time::Duration;

use evenkeel_testkit::{Effect, Fault, Verb, eventually};
use evenkeel_tests::logs::Logs;
use evenkeel_tests::on_each_server;
use evenkeel_tests::recording_client::{Call, Fault as WireFault};
use evenkeel_tests::test_env::{SOON, Server, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition, is_ready, status_of, widget};
use kube::api::{DynamicObject, Patch, PatchParams};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

on_each_server!(
    a_finalizer_patch_reaches_no_other_object,
    a_patched_status_is_applied_when_the_object_is_quiet,
    a_status_patch_reaches_no_recreated_object,
);

const WIDGETS: &str = "tester/widget";
const FINALIZER: &str = "tests.evenkeel.dev/tester";

/// The observed generation and that of the spec.
fn generations(object: &Value) -> (i64, i64) {
    (object["status"]["observedGeneration"].as_i64().unwrap_or(0), object["metadata"]["generation"].as_i64().unwrap())
}

async fn set(world: &World, fetch: &str) {
    world.merge::<Widget>("w", json!({ "spec": { "fetch": fetch } })).await;
}

/// A series of changes of the spec: how many at a time, the pause between them, and the duration in seconds.
struct Storm {
    changes: usize,
    pause: Duration,
    seconds: usize,
}

/// The status writes of one second.
#[derive(Debug)]
struct Second {
    stored: usize,
    conflicts: usize,
    refused: usize,
}

impl Storm {
    /// Changes the spec for a second.
    async fn second(&self, world: &World, number: usize) -> Second {
        world.cluster().log().clear();
        let end = Instant::now() + Duration::from_secs(1);
        for at in 0.. {
            if Instant::now() >= end {
                break;
            }
            for change in 0..self.changes {
                set(world, &format!("{number}-{at}-{change}")).await;
            }
            sleep(self.pause).await;
        }
        let of_ours = world.cluster().log().filter(|entry| {
            entry.subresource.as_deref() == Some("status") && entry.field_manager == WIDGETS && entry.code != 0
        });
        let with = |code: fn(u16) -> bool| of_ours.iter().filter(|entry| code(entry.code)).count();
        Second {
            stored: with(|code| code < 300),
            conflicts: with(|code| code == 409),
            refused: with(|code| code >= 400 && code != 409),
        }
    }
}

/// Adds latency to the calls about widgets.
fn slow_down(world: &World) {
    let slow = || Fault::new(Effect::Latency(Duration::from_millis(5))).resource("widgets").always();
    world.cluster().faults().add(slow().caller(WIDGETS));
    world.cluster().faults().add(slow().caller("tester").verb(Verb::Get));
}

#[tokio::test(start_paused = true)]
async fn a_finalizer_is_stored_while_the_object_changes() {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let operator = world.operator::<widget>(lab.clone());
    slow_down(&world);
    // In the second run another controller has already set a finalizer.
    for theirs in [json!([]), json!(["example.com/theirs"])] {
        let mut widget = a_widget("w", json!({}));
        widget["metadata"]["finalizers"] = theirs.clone();
        world.create::<Widget>(widget).await;
        // Five changes during one call.
        Storm { changes: 1, pause: Duration::from_millis(1), seconds: 1 }.second(&world, 0).await;
        let object = world.raw::<Widget>("w").await;
        let theirs = theirs.as_array().unwrap().iter().filter_map(Value::as_str);
        assert_eq!(object["metadata"]["finalizers"], json!(theirs.chain([FINALIZER]).collect::<Vec<_>>()));
        assert!(generations(&object).0 > 0, "the steps run, and the status is written");
        world.merge::<Widget>("w", json!({ "metadata": { "finalizers": [FINALIZER] } })).await;
        world.delete::<Widget>("w").await;
        world.until_gone::<Widget>("w").await;
        assert!(lab.effects().contains("remove w"), "what was stored outside is removed");
    }
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_changing_object_is_written_every_second() {
    let (logs, _guard) = Logs::capture();
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    let operator = world.operator::<widget>(Lab::at("a"));
    world.create::<Widget>(a_widget("w", json!({}))).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    slow_down(&world);
    // The clock of tokio has milliseconds: ten changes in each are 10,000 per second.
    for (changes, millis, seconds) in [(10, 1, 1), (1, 1, 2), (1, 7, 2)] {
        let storm = Storm { changes, pause: Duration::from_millis(millis), seconds };
        let (before, _) = generations(&world.raw::<Widget>("w").await);
        let mut all = Vec::new();
        for second in 0..storm.seconds {
            all.push(storm.second(&world, second).await);
        }
        let (after, live) = generations(&world.raw::<Widget>("w").await);
        println!("{changes} changes each {millis} ms: {all:?}");
        assert!(before < after && after <= live, "{before}, {after} of {live}");
        let sum = |of: fn(&Second) -> usize| all.iter().map(of).sum::<usize>();
        let (stored, conflicts) = (sum(|second| second.stored), sum(|second| second.conflicts));
        assert!(all.iter().all(|second| second.stored > 0), "{all:?}");
        assert!(conflicts * 20 <= stored + conflicts && sum(|second| second.refused) == 0, "{all:?}");
        world.until::<Widget>("w", "ready after it", is_ready).await;
        // After a minute the status is written with server-side apply again, so the next storm starts with an idle object.
        sleep(Duration::from_secs(60)).await;
        assert_eq!(claims(&world).await, [json!([WIDGETS, "Apply"])]);
        world.wire.clear();
        sleep(Duration::from_secs(600)).await;
        assert_eq!(world.writes(), 0);
    }
    let foreign = logs.with(&["stays in the status"]);
    assert!(
        foreign.is_empty() && !logs.with(&["pass ended"]).is_empty(),
        "what a patch adds is no other manager's: {foreign:?}"
    );
    operator.stop().await.unwrap();
}

/// The field managers of the status, and their operations.
async fn claims(world: &World) -> Vec<Value> {
    let object = world.raw::<Widget>("w").await;
    let of_status = |entry: &&Value| entry["fieldsV1"]["f:status"].as_object().is_some_and(|fields| !fields.is_empty());
    let entries = object["metadata"]["managedFields"].as_array().unwrap().iter().filter(of_status);
    entries.map(|entry| json!([entry["manager"], entry["operation"]])).collect()
}

/// This many passes over a changed spec end in a patch; on a busy machine the object may look quiet between two of them.
const PASSES: usize = 30;

fn is_status_patch(call: &Call) -> bool {
    call.is_status_write() && call.body.starts_with('[')
}

/// Changes the spec during each pass, while the pass waits in its first step, until a status is patched. Returns the generation of the pass
/// that patched, or an earlier one.
async fn change_until_patched(world: &World, lab: &Arc<Lab>) -> i64 {
    let mut found = 0;
    let mut held = lab.hold.lock().await;
    for pass in 1..=PASSES {
        let is_patched = || world.wire.count(is_status_patch) > 0;
        eventually(SOON, || async { (lab.passes() >= pass || is_patched()).then_some(()) }).await;
        if is_patched() {
            return found;
        }
        found = generations(&world.raw::<Widget>("w").await).1;
        set(world, &pass.to_string()).await;
        // The waiting pass continues before the next one is held.
        drop(held);
        held = lab.hold.lock().await;
    }
    panic!("{PASSES} passes met a changed spec, and each waited for a quiet moment");
}

async fn a_patched_status_is_applied_when_the_object_is_quiet(world: World) -> World {
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let foreign = json!({ "type": "Theirs", "status": "True", "reason": "Told", "message": "by <another> & no manager of ours",
        "lastTransitionTime": "2026-01-01T00:00:00Z" });
    let operator = {
        let mut widget = a_widget("w", json!({}));
        widget["metadata"]["finalizers"] = json!([FINALIZER]);
        world.create::<Widget>(widget).await;
        let theirs: DynamicObject = serde_json::from_value(json!({
            "apiVersion": "tests.evenkeel.dev/v1", "kind": "Widget", "metadata": { "name": "w" },
            "status": { "conditions": [foreign] },
        }))
        .unwrap();
        let api = world.api::<Widget>();
        api.patch_status("w", &PatchParams::apply("them").force(), &Patch::Apply(&theirs)).await.unwrap();
        world.operator::<widget>(lab.clone())
    };
    let found = change_until_patched(&world, &lab).await;
    let written = world.until::<Widget>("w", "written", |object| generations(object).0 >= found).await;
    assert_eq!(status_of(&written, "Theirs"), "True");

    let is_settled = |object: &Value| is_ready(object) && object["status"]["observedInputs"]["wiring"] != "patched";
    let object = world.until::<Widget>("w", "settled", is_settled).await;
    assert_eq!((status_of(&object, "Reconciling"), status_of(&object, "Theirs")), (String::new(), "True".into()));
    let claims = claims(&world).await;
    assert!(claims.contains(&json!([WIDGETS, "Apply"])) && !claims.contains(&json!([WIDGETS, "Update"])), "{claims:?}");
    // A later pass omits Reconciling. The API server removes it, since no other manager owns it.
    world.merge::<Widget>("w", json!({ "spec": { "fetch": "broken" } })).await;
    world.until::<Widget>("w", "failing", |object| status_of(object, "Reconciling") == "True").await;
    world.merge::<Widget>("w", json!({ "spec": { "fetch": null } })).await;
    let object = world.until::<Widget>("w", "ready", is_ready).await;
    assert_eq!(status_of(&object, "Reconciling"), "");
    operator.stop().await.unwrap();
    world
}

async fn a_status_patch_reaches_no_recreated_object(world: World) -> World {
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let operator = world.operator::<widget>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({}))).await;
    change_until_patched(&world, &lab).await;
    operator.crash().await;

    // The original patch is rejected once the object was recreated.
    let call = world.wire.calls().into_iter().find(is_status_patch).unwrap();
    world.merge::<Widget>("w", json!({ "metadata": { "finalizers": null } })).await;
    world.delete::<Widget>("w").await;
    world.until_gone::<Widget>("w").await;
    world.create::<Widget>(a_widget("w", json!({}))).await;
    // Without the test of the conditions, the test of the uid must reject it.
    is_refused(&world, resent(&call, &["/metadata/uid"])).await;
    assert!(world.raw::<Widget>("w").await["status"]["conditions"].is_null(), "nothing of it was written");
    world
}

/// The JSON patch of the operator with only the tests of these paths.
fn resent(call: &Call, tested: &[&str]) -> http::Request<Vec<u8>> {
    let mut operations: Vec<Value> = serde_json::from_str(&call.body).unwrap();
    operations.retain(|one| one["op"] != "test" || tested.iter().any(|path| one["path"] == *path));
    let request = http::Request::patch(format!("{}?{}", call.path, call.query));
    let body = serde_json::to_vec(&operations).unwrap();
    request.header("content-type", "application/json-patch+json").body(body).unwrap()
}

async fn is_refused(world: &World, request: http::Request<Vec<u8>>) {
    let refused = world.client.request::<Value>(request).await.unwrap_err();
    assert!(matches!(&refused, kube::Error::Api(status) if status.code == 422), "{refused}");
}

async fn a_finalizer_patch_reaches_no_other_object(world: World) -> World {
    world.install(&definition()).await;
    let is_first = |call: &Call| call.method == "PATCH" && call.body.starts_with('{') && call.body.contains(FINALIZER);
    let (pass, passes) = watch::channel(false);
    world.wire.fault(move |call| is_first(call).then(|| WireFault::Hold(passes.clone())));
    let operator = world.operator::<widget>(Lab::at("a"));
    world.create::<Widget>(a_widget("w", json!({}))).await;
    eventually(SOON, || async { (world.wire.count(is_first) > 0).then_some(()) }).await;
    set(&world, "changed").await;
    pass.send_replace(true);
    world.until::<Widget>("w", "ready", is_ready).await;
    let is_patch = |call: &Call| call.body.starts_with('[') && !call.is_status_write();
    let calls = world.wire.calls();
    let patches: Vec<&Call> = calls.iter().filter(|call| is_patch(call)).collect();
    assert_eq!((patches.len(), world.wire.count(is_first)), (1, 1), "it is stored by one patch, after one conflict");
    operator.crash().await;

    world.merge::<Widget>("w", json!({ "metadata": { "finalizers": ["example.com/theirs"] } })).await;
    is_refused(&world, resent(patches[0], &["/metadata/finalizers"])).await;
    world.delete::<Widget>("w").await;
    is_refused(&world, resent(patches[0], &["/metadata/deletionTimestamp"])).await;
    world.merge::<Widget>("w", json!({ "metadata": { "finalizers": null } })).await;
    world.until_gone::<Widget>("w").await;
    world.create::<Widget>(a_widget("w", json!({}))).await;
    is_refused(&world, resent(patches[0], &["/metadata/uid"])).await;
    assert!(world.raw::<Widget>("w").await["metadata"]["finalizers"].is_null(), "nothing of it was written");
    world
}
