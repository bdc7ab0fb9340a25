//! Waits: each ends with its cause, whoever owns the fields of a status, and no object rests with a status that a fresh pass would change.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use evenkeel::Operator;
use evenkeel_random_cases::{Choices, each_paused};
use evenkeel_testkit::{Cluster, eventually};
use evenkeel_tests::on_each_server;
use evenkeel_tests::recording_client::{Call, Fault};
use evenkeel_tests::role::{Missing, Role};
use evenkeel_tests::test_env::{Running, SOON, Server, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, condition, definition, is_ready, message, widget};
use k8s_openapi::api::core::v1::Secret;
use kube::api::{Api, DeleteParams, DynamicObject, Patch, PatchParams};
use serde_json::{Value, json};

/// The last release of which a creator owns the whole status is 1.21; the real server of that sort is 1.20.
const EARLY: u16 = 20;

async fn early() -> World {
    let world = World::beside(Cluster::builder().minor_version(EARLY).start().await).await;
    world.install(&definition()).await;
    world
}

/// Without the right to list and watch secrets.
fn forbid(world: &World) {
    world.wire.fault(|call| call.path.contains("/secrets").then_some(Fault::Answer(403, None)));
}

async fn secret(world: &World, content: &str) {
    let secret =
        json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "s" }, "stringData": { "k": content } });
    let params = PatchParams::apply("tests").force();
    world.api::<Secret>().patch("s", &params, &Patch::Apply(secret)).await.unwrap();
}

fn is_settled(object: &Value) -> bool {
    is_ready(object) && condition(object, "Reconciling").is_none() && condition(object, "Stalled").is_none()
}

fn cannot_read(object: &Value) -> bool {
    message(object, "Fetched").contains("cannot be read") && condition(object, "Reconciling").is_some()
}

async fn a_wait_ends_with_its_cause(world: World) -> World {
    world.install(&definition()).await;
    secret(&world, "1").await;
    world.create::<Widget>(a_widget("w", json!({ "secret": "s", "interval": "10m" }))).await;
    let start = || world.operator::<widget>(Lab::at("a"));
    let operator = start();
    world.until::<Widget>("w", "ready", is_settled).await;
    operator.stop().await.unwrap();
    forbid(&world);
    let operator = start();
    world.until::<Widget>("w", "waiting", cannot_read).await;
    world.wire.mend();
    world.until::<Widget>("w", "ready once the right is there", is_settled).await;
    operator.stop().await.unwrap();
    forbid(&world);
    let operator = start();
    world.until::<Widget>("w", "waiting again", cannot_read).await;
    operator.stop().await.unwrap();
    world.wire.mend();
    let operator = start();
    world.until::<Widget>("w", "ready after a restart with all rights", is_settled).await;
    operator.stop().await.unwrap();
    world
}

on_each_server!(a_wait_ends_with_its_cause);

#[tokio::test]
async fn a_wait_ends_with_its_cause_where_the_creator_owns_the_status() {
    a_wait_ends_with_its_cause(early().await).await;
}

#[tokio::test]
async fn a_left_out_mark_is_taken_over_once() {
    let world = early().await;
    let operator = world.operator::<widget>(Lab::at("a"));
    // Between the write that leaves the mark out and the one that takes it over, the status shows both.
    world.wire.observers().excuse("w");
    world.create::<Widget>(a_widget("w", json!({ "fetch": "invalid" }))).await;
    let take_overs = || world.wire.count(|call| call.is_write() && call.body.contains("managedFields"));
    for round in 0..3 {
        world.until::<Widget>("w", "stalled", |o| condition(o, "Stalled").is_some()).await;
        world.merge::<Widget>("w", json!({ "spec": { "fetch": null } })).await;
        world.until::<Widget>("w", "ready", is_settled).await;
        assert_eq!(take_overs(), 1, "round {round}");
        world.merge::<Widget>("w", json!({ "spec": { "fetch": "invalid" } })).await;
    }
    operator.stop().await.unwrap();
}

/// What the creator owns of a status, step by step, as Kubernetes 1.20 has answered.
async fn owners(world: &World) -> Vec<Value> {
    let object: DynamicObject = serde_json::from_value(a_widget("w", json!({}))).unwrap();
    let resource = kube::core::ApiResource::erase::<Widget>(&());
    let api: Api<DynamicObject> = Api::namespaced_with(world.client.clone(), &world.namespace, &resource);
    let creator = kube::api::PostParams { field_manager: Some("creator".into()), ..Default::default() };
    eventually(SOON, || async { api.create(&creator, &object).await.ok() }).await;
    let condition = |type_: &str| json!({ "type": type_, "status": "True", "reason": "A", "message": "m", "lastTransitionTime": "2020-01-01T00:00:00Z" });
    let (busy, calm) = (json!([condition("Reconciling"), condition("Ready")]), json!([condition("Ready")]));
    let with = |digest: &str| json!({ "wiring": "x", "digest": digest });
    let mut seen = vec![claim(world).await];
    for (conditions, inputs) in
        [(&busy, with("1")), (&calm, json!({ "wiring": "x" })), (&calm, with("2")), (&calm, with("2"))]
    {
        let mut applied = a_widget("w", json!({}));
        applied["status"] = json!({ "observedGeneration": 1, "observedInputs": inputs, "conditions": conditions });
        applied.as_object_mut().unwrap().remove("spec");
        let params = PatchParams::apply("tester").force();
        api.patch_status("w", &params, &Patch::Apply(applied)).await.unwrap();
        seen.push(claim(world).await);
    }
    seen
}

/// The claim of the creator to the status, and what the status shows of what was left out.
async fn claim(world: &World) -> Value {
    let object = world.raw::<Widget>("w").await;
    let entries = object["metadata"]["managedFields"].as_array().unwrap();
    let of_creator = entries.iter().find(|entry| entry["manager"] == "creator");
    let mut claim = of_creator.map(|entry| entry["fieldsV1"]["f:status"].clone()).unwrap_or_default();
    // 1.20 owns the parents of what is applied, which makes no difference here.
    if let Some(fields) = claim.as_object_mut() {
        fields.remove(".");
    }
    let busy = condition(&object, "Reconciling").is_some();
    json!([claim, busy, object["status"]["observedInputs"]["digest"]])
}

async fn the_owners_of_a_status_are_those_of_1_20(world: World) -> World {
    world.install(&definition()).await;
    let item =
        json!({ ".": {}, "f:lastTransitionTime": {}, "f:message": {}, "f:reason": {}, "f:status": {}, "f:type": {} });
    let key = |type_: &str| format!("k:{}", json!({ "type": type_ }));
    let conditions = json!({ key("Ready"): item, key("Reconciling"): item });
    let all =
        |inputs: Value| json!({ "f:observedGeneration": {}, "f:conditions": conditions, "f:observedInputs": inputs });
    let both = json!({ "f:digest": {}, "f:wiring": {} });
    let wiring = json!({ "f:wiring": {} });
    let expected = [
        json!([{ "f:observedGeneration": {} }, false, null]),
        json!([{}, true, "1"]),
        json!([all(both), true, "1"]),
        json!([all(wiring.clone()), true, "2"]),
        json!([all(wiring), true, "2"]),
    ];
    assert_eq!(owners(&world).await, expected);
    world
}

#[tokio::test]
async fn the_test_kit_has_the_owners_of_1_20() {
    the_owners_of_a_status_are_those_of_1_20(early().await).await;
}

#[tokio::test]
async fn a_real_1_20_has_these_owners() {
    evenkeel_tests::test_env::show(Server::Full, the_owners_of_a_status_are_those_of_1_20).await;
}

/// What may happen while an operator is at work.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// The role loses one rule.
    Forbid(Missing),
    /// The role has all rules, and no more calls meet a fault.
    Mend,
    /// The next status writes meet this fault.
    Refuse(usize),
    Restart,
    Crash,
    Secret(Option<&'static str>),
    Child(&'static str),
    /// Time passes: seconds.
    Pass(u64),
}

/// What the operator can lose while it runs. Without a rule of widgets themselves it does not start.
const RULES: [Missing; 8] = [
    ("secrets", "get"),
    ("secrets", "list"),
    ("secrets", "watch"),
    ("configmaps", "create"),
    ("configmaps", "patch"),
    ("widgets", "patch"),
    ("widgets/status", "patch"),
    ("events", "create"),
];

const REFUSALS: [Fault; 5] =
    [Fault::PageNotFound, Fault::KindNotFound, Fault::Starting, Fault::Answer(403, None), Fault::Answer(500, None)];

fn event(choices: &mut Choices) -> Event {
    match choices.range(0..11) {
        9 | 10 => Event::Forbid(choices.pick(&RULES)),
        2 => Event::Mend,
        3 => Event::Refuse(choices.range(0..REFUSALS.len())),
        4 | 5 => Event::Restart,
        6 => Event::Crash,
        7 => Event::Secret(choices.pick(&[Some("1"), Some("2"), Some("2"), None])),
        8 => Event::Child(choices.pick(&["x", "y"])),
        _ => Event::Pass(choices.pick(&[1, 5, 40, 700])),
    }
}

struct Stage {
    world: World,
    lab: Arc<Lab>,
    role: Role,
    missing: BTreeSet<Missing>,
    operator: Option<Running>,
}

impl Stage {
    async fn take(&mut self, event: Event) {
        match event {
            Event::Forbid(rule) => {
                self.missing.insert(rule);
                self.allow().await;
            }
            Event::Mend => {
                self.missing.clear();
                self.allow().await;
                self.world.wire.mend();
            }
            Event::Refuse(fault) => {
                let mut left = 4;
                self.world.wire.fault(move |call: &Call| {
                    let hit = left > 0 && call.is_status_write();
                    left -= usize::from(hit);
                    hit.then(|| REFUSALS[fault].clone())
                });
            }
            Event::Restart => {
                self.operator.take().unwrap().stop().await.unwrap();
                self.start();
            }
            Event::Crash => {
                self.operator.take().unwrap().crash().await;
                self.start();
            }
            Event::Secret(Some(content)) => secret(&self.world, content).await,
            Event::Secret(None) => drop(self.world.api::<Secret>().delete("s", &DeleteParams::default()).await),
            Event::Child(data) => drop(self.world.merge::<Widget>("w", json!({ "spec": { "child": data } })).await),
            Event::Pass(seconds) => tokio::time::sleep(Duration::from_secs(seconds)).await,
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }

    async fn allow(&self) {
        self.role.allow(&self.prepare(), &self.missing).await;
    }

    fn prepare(&self) -> Operator {
        let client = self.world.wire.client(&self.world.cluster().client_as(&self.role.name));
        self.world.wire.observers().know::<widget>();
        let operator = Operator::new("tester").client(client).namespaces([&*self.world.namespace]);
        operator.reconciler::<widget>(self.lab.clone())
    }

    fn start(&mut self) {
        self.operator = Some(Running::start(self.prepare()));
    }

    /// The status, without times, receipts and digests.
    async fn status(&self) -> Value {
        let mut status = self.world.raw::<Widget>("w").await["status"].clone();
        let fields = status.as_object_mut().unwrap();
        fields.remove("lastHandledReconcileAt");
        for condition in status["conditions"].as_array_mut().into_iter().flatten() {
            condition["lastTransitionTime"] = Value::Null;
        }
        status
    }
}

/// How an object rests after these events, what a fresh pass makes of its status, and how many calls the role did not allow.
async fn rests(minor: u16, events: &[Event]) -> ([Value; 2], usize) {
    let world = World::beside(Cluster::builder().minor_version(minor).rbac().start().await).await;
    world.install(&definition()).await;
    secret(&world, "1").await;
    // No resync is to repair what an event has missed.
    world.create::<Widget>(a_widget("w", json!({ "secret": "s", "child": "x", "interval": "240h" }))).await;
    let role = Role { admin: world.client.clone(), name: "operator".into() };
    let mut stage = Stage { world, lab: Lab::at("a"), role, missing: BTreeSet::new(), operator: None };
    stage.allow().await;
    stage.start();
    for event in events {
        stage.take(*event).await;
    }
    stage.take(Event::Mend).await;
    stage.take(Event::Pass(3600)).await;
    let before = stage.status().await;
    let asked = json!({ "metadata": { "annotations": { "evenkeel.dev/requestedAt": "now" } } });
    stage.world.merge::<Widget>("w", asked).await;
    stage.take(Event::Pass(60)).await;
    let after = stage.status().await;
    stage.operator.take().unwrap().stop().await.unwrap();
    ([before, after], stage.world.cluster().log().filter(|entry| entry.code == 403).len())
}

fn law(minor: u16) {
    let refused = Cell::new(0);
    each_paused(40, async |choices| {
        let events: Vec<Event> = (0..choices.range(2..9)).map(|_| event(choices)).collect();
        let ([before, after], forbidden) = rests(minor, &events).await;
        assert_eq!(before, after, "1.{minor}: {events:?}");
        refused.set(refused.get() + forbidden);
    });
    assert!(refused.get() > 0, "no rule that was taken away was needed");
}

#[test]
fn no_object_rests_with_a_status_that_a_fresh_pass_would_change() {
    law(36);
}

#[test]
fn nor_does_one_whose_creator_owns_its_status() {
    law(EARLY);
}
