//! Watches: which changes trigger a reconcile, and that a failing watch affects only its users.

use std::sync::Arc;
use std::time::Duration;

use evenkeel_testkit::{Effect, Fault, Verb, eventually};
use evenkeel_tests::test_env::{Running, Server, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, condition, definition, is_ready, widget};
use futures::FutureExt;
use futures::future::BoxFuture;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{Api, DeleteParams, Patch, PatchParams};
use serde_json::{Value, json};
use tokio::time::sleep;

/// A world with the CRD installed and a running operator.
struct Stage {
    world: World,
    lab: Arc<Lab>,
    _operator: Running,
}

const SOON: Duration = Duration::from_secs(10);

impl Stage {
    async fn new() -> Self {
        Self::with(|_| {}).await
    }

    /// A stage with a fault from the start.
    async fn with(prepare: impl FnOnce(&World)) -> Self {
        let world = World::on(Server::InProcess).await.unwrap();
        world.install(&definition()).await;
        prepare(&world);
        let lab = Lab::at("a");
        let operator = world.operator::<widget>(lab.clone());
        sleep(Duration::from_secs(1)).await;
        Self { world, lab, _operator: operator }
    }

    async fn create(&self, name: &str, spec: Value) {
        self.world.create::<Widget>(a_widget(name, spec)).await;
    }

    async fn merge(&self, name: &str, patch: Value) {
        self.world.merge::<Widget>(name, patch).await;
    }

    async fn get(&self, name: &str) -> Value {
        self.world.raw::<Widget>(name).await
    }

    async fn becomes_ready(&self, name: &str) {
        eventually(SOON, || async { is_ready(&self.get(name).await).then_some(()) }).await;
    }

    /// How many passes of this object reached the first step.
    fn passes(&self, name: &str) -> usize {
        self.lab.log().iter().filter(|line| **line == format!("fetch {name}")).count()
    }

    async fn secret(&self, name: &str, data: &str) {
        let secret =
            json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": name }, "stringData": { "k": data } });
        let params = PatchParams::apply("tests").force();
        self.world.api::<Secret>().patch(name, &params, &Patch::Apply(secret)).await.unwrap();
    }

    fn secret_watches(&self) -> usize {
        self.world.cluster().log().count(|entry| entry.resource == "secrets" && entry.verb == Verb::Watch)
    }
}

#[tokio::test(start_paused = true)]
async fn a_status_change_by_others_triggers_nothing() {
    let stage = Stage::new().await;
    stage.create("one", json!({})).await;
    stage.becomes_ready("one").await;
    sleep(SOON).await;
    let (passes, calls) = (stage.passes("one"), stage.world.cluster().log().entries().len());
    let foreign = json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Widget", "status": { "conditions": [
        { "type": "Foreign", "status": "True", "reason": "Other", "message": "", "lastTransitionTime": "2024-01-01T00:00:00Z" }
    ] } });
    let params = PatchParams::apply("somebody").force();
    stage.world.api::<Widget>().patch_status("one", &params, &Patch::Apply(foreign)).await.unwrap();
    sleep(SOON).await;
    assert_eq!(stage.passes("one"), passes);
    assert_eq!(stage.world.cluster().log().entries().len(), calls + 1, "the patch above is the only call");
}

#[tokio::test(start_paused = true)]
async fn own_writes_trigger_nothing() {
    let stage = Stage::new().await;
    stage.create("one", json!({ "child": "x" })).await;
    stage.becomes_ready("one").await;
    sleep(SOON).await;
    assert_eq!(stage.passes("one"), 1, "finalizer, child and status were written in one pass");
}

#[tokio::test(start_paused = true)]
async fn drift_of_an_owned_object_is_repaired_at_once() {
    let stage = Stage::new().await;
    stage.create("one", json!({ "child": "x" })).await;
    stage.becomes_ready("one").await;
    let maps = stage.world.api::<ConfigMap>();
    let patch = Patch::Merge(json!({ "data": { "data": "drifted" } }));
    maps.patch("one", &PatchParams::default(), &patch).await.unwrap();
    let repaired = || async { (maps.get("one").await.ok()?.data?["data"] == "x").then_some(()) };
    eventually(SOON, repaired).await;
    maps.delete("one", &DeleteParams::default()).await.unwrap();
    eventually(SOON, || async { maps.get_opt("one").await.ok()? }).await;
}

/// The change of another client to the owned object after each correction.
type Undo = fn(Api<ConfigMap>) -> BoxFuture<'static, ()>;

/// Returns how often the operator corrects the owned object in ten minutes while another client undoes each correction at once.
async fn corrections_against(stage: &Stage, undo: Undo) -> usize {
    stage.create("one", json!({ "child": "x" })).await;
    stage.becomes_ready("one").await;
    let (maps, before) = (stage.world.api::<ConfigMap>(), stage.passes("one"));
    let other = tokio::spawn(async move {
        loop {
            let map = maps.get_opt("one").await.unwrap();
            if map.is_some_and(|map| map.data.unwrap()["data"] != "drifted") {
                undo(maps.clone()).await;
            }
            sleep(Duration::from_millis(10)).await;
        }
    });
    sleep(Duration::from_secs(600)).await;
    let corrections = stage.passes("one") - before;

    // A change of the spec does not wait for the next correction.
    stage.merge("one", json!({ "spec": { "child": "y" } })).await;
    sleep(Duration::from_secs(1)).await;
    assert_eq!(stage.passes("one"), before + corrections + 1);
    other.abort();
    let maps = stage.world.api::<ConfigMap>();
    let is_right = || async { (maps.get_opt("one").await.ok()??.data?["data"] == "y").then_some(()) };
    eventually(Duration::from_secs(61), is_right).await;
    corrections
}

#[tokio::test(start_paused = true)]
async fn repeatedly_undone_corrections_back_off() {
    let delete: Undo = |maps| async move { drop(maps.delete("one", &DeleteParams::default()).await) }.boxed();
    let change: Undo = |maps| {
        let drifted = Patch::Merge(json!({ "data": { "data": "drifted" } }));
        async move { drop(maps.patch("one", &PatchParams::default(), &drifted).await) }.boxed()
    };
    for undo in [delete, change] {
        let corrections = corrections_against(&Stage::new().await, undo).await;
        // Three at once, then after 1, 2, 4, .. 32 s, then once a minute.
        assert!((15..=20).contains(&corrections), "{corrections}");
    }
}

#[tokio::test(start_paused = true)]
async fn fields_added_by_others_cause_no_back_off() {
    let stage = Stage::new().await;
    stage.create("one", json!({ "child": "x" })).await;
    stage.becomes_ready("one").await;
    let (maps, before) = (stage.world.api::<ConfigMap>(), stage.passes("one"));
    for at in 1..=30 {
        let patch = Patch::Merge(json!({ "data": { "other": at.to_string() } }));
        maps.patch("one", &PatchParams::default(), &patch).await.unwrap();
        sleep(Duration::from_secs(1)).await;
        assert_eq!(stage.passes("one"), before + at);
    }
}

#[tokio::test(start_paused = true)]
async fn an_awaited_object_triggers_when_created_or_changed() {
    let stage = Stage::new().await;
    stage.create("one", json!({ "secret": "token" })).await;
    sleep(SOON).await;
    assert_eq!(condition(&stage.get("one").await, "Ready").unwrap()["reason"], "SecretMissing");
    let passes = stage.passes("one");
    stage.secret("token", "1").await;
    stage.becomes_ready("one").await;
    assert_eq!(stage.passes("one"), passes + 1);
    stage.secret("token", "2").await;
    sleep(Duration::from_secs(1)).await;
    assert_eq!(stage.passes("one"), passes + 2);
}

#[tokio::test(start_paused = true)]
async fn a_watch_by_name_is_shared_and_reference_counted() {
    let stage = Stage::new().await;
    stage.secret("token", "1").await;
    for name in ["one", "two", "three"] {
        stage.create(name, json!({ "secret": "token" })).await;
        stage.becomes_ready(name).await;
    }
    assert_eq!(stage.secret_watches(), 1);
    for name in ["one", "two"] {
        stage.merge(name, json!({ "spec": { "secret": null } })).await;
    }
    sleep(SOON).await;
    let before = (stage.passes("one"), stage.passes("three"));
    stage.secret("token", "2").await;
    sleep(SOON).await;
    assert_eq!((stage.passes("one"), stage.passes("three")), (before.0, before.1 + 1), "only who asks is woken");
    stage.merge("three", json!({ "spec": { "secret": null } })).await;
    sleep(SOON).await;
    stage.merge("one", json!({ "spec": { "secret": "token" } })).await;
    sleep(SOON).await;
    assert_eq!(stage.secret_watches(), 2, "the first one had ended");
}

#[tokio::test(start_paused = true)]
async fn a_failing_watch_affects_only_its_users_and_recovers() {
    let stage = Stage::new().await;
    stage.secret("token", "1").await;
    stage.world.cluster().faults().add(Fault::new(Effect::Forbidden).resource("secrets").verb(Verb::Watch).times(3));
    stage.create("needy", json!({ "secret": "token" })).await;
    for i in 0..20 {
        stage.create(&format!("free-{i}"), json!({})).await;
    }
    sleep(Duration::from_secs(1)).await;
    for i in 0..20 {
        assert!(is_ready(&stage.get(&format!("free-{i}")).await), "{i}");
    }
    assert!(!is_ready(&stage.get("needy").await));
    stage.becomes_ready("needy").await;
}

#[tokio::test(start_paused = true)]
async fn a_silent_watch_blocks_only_its_users_slot() {
    let stage = Stage::new().await;
    stage.world.cluster().faults().add(Fault::new(Effect::Hang).resource("secrets").always());
    stage.create("needy", json!({ "secret": "token" })).await;
    sleep(Duration::from_millis(100)).await;
    stage.create("free", json!({})).await;
    sleep(Duration::from_secs(1)).await;
    assert!(is_ready(&stage.get("free").await));
}

#[tokio::test(start_paused = true)]
async fn changes_during_a_broken_watch_are_found() {
    let stage = Stage::new().await;
    for name in ["changed", "deleted", "same"] {
        stage.create(name, json!({ "child": "x" })).await;
        stage.becomes_ready(name).await;
    }
    stage.world.cluster().faults().add(Fault::new(Effect::Unavailable).resource("widgets").verb(Verb::Watch).times(2));
    stage.world.cluster().drop_watches();
    stage.merge("changed", json!({ "spec": { "child": "y" } })).await;
    stage.world.api::<Widget>().delete("deleted", &DeleteParams::default()).await.unwrap();
    stage.create("new", json!({})).await;
    stage.world.cluster().compact();
    sleep(Duration::from_secs(30)).await;
    assert!(is_ready(&stage.get("changed").await) && is_ready(&stage.get("new").await));
    assert!(stage.world.api::<Widget>().get_opt("deleted").await.unwrap().is_none(), "its finalizer was taken off");
    assert_eq!(stage.passes("same"), 1, "a relist triggers no unchanged object");
}

#[tokio::test(start_paused = true)]
async fn list_retries_back_off() {
    let stuck = Fault::new(Effect::Internal).resource("widgets").verb(Verb::Watch).always();
    let stage = Stage::with(|world| world.cluster().faults().add(stuck)).await;
    sleep(Duration::from_secs(300)).await;
    let tries = stage.world.cluster().log().count(|entry| entry.resource == "widgets" && entry.verb == Verb::Watch);
    assert!((10..=20).contains(&tries), "1, 2, 4, 8, 16, then 30 s less a quarter at most: {tries}");
}

#[tokio::test(start_paused = true)]
async fn a_watch_honours_retry_after() {
    let stage = Stage::new().await;
    let busy = Fault::new(Effect::TooManyRequests(40)).resource("widgets").subresource("status").verb(Verb::Patch);
    stage.world.cluster().faults().add(busy.times(1));
    stage.create("one", json!({})).await;
    sleep(Duration::from_secs(39)).await;
    let status_writes = || stage.world.cluster().log().count(|entry| entry.subresource.as_deref() == Some("status"));
    assert_eq!(status_writes(), 1);
    sleep(Duration::from_secs(3)).await;
    assert_eq!(status_writes(), 2);
    assert!(is_ready(&stage.get("one").await));
}
