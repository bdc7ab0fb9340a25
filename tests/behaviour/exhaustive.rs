//! Outcomes from all kinds of existing statuses, with a real operator: observers read the result correctly, and it costs one status write.
//! The full product is tested in `runtime/src/pipeline/state/tests/exhaustive.rs`.

use evenkeel_testkit::kstatus::{self, Observed};
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{Server, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, condition, definition, widget};
use kube::api::{Patch, PatchParams};
use serde_json::{Value, json};

on_each_server!(every_outcome_reads_correctly_and_costs_one_write);

/// The outcome that the spec selects, and what observers must read.
const ENDS: [(&str, &str, Observed); 9] = [
    ("fetch", "ok", Observed::Current),
    ("fetch", "invalid", Observed::Failed),
    ("store", "invalid", Observed::Failed),
    ("fetch", "broken", Observed::InProgress),
    ("store", "broken", Observed::InProgress),
    ("store", "poll", Observed::InProgress),
    ("fetch", "requeue", Observed::InProgress),
    ("store", "panic", Observed::InProgress),
    ("fetch", "hang", Observed::InProgress),
];
const STATUSES: [Option<&str>; 4] = [None, Some("True"), Some("False"), Some("Unknown")];
const MARKS: [&[&str]; 4] = [&[], &["Reconciling"], &["Stalled"], &["Reconciling", "Stalled"]];
/// All states times marks, managers, and with or without a foreign condition.
const STATES: usize = 64 * 4 * 2 * 2;

/// An object before the operator starts.
struct Before {
    end: (&'static str, &'static str, Observed),
    conditions: Vec<Value>,
    manager: &'static str,
    foreign: bool,
}

impl Before {
    fn of(code: usize) -> Self {
        let (end, state) = (ENDS[code / STATES], code % STATES);
        let condition = |type_: &str, status: &str| {
            json!({ "type": type_, "status": status, "reason": "Earlier", "message": "from before", "observedGeneration": 1,
                "lastTransitionTime": "2026-01-01T00:00:00Z" })
        };
        let declared = ["Fetched", "Outdated", "Stored"].into_iter().enumerate();
        let declared = declared.filter_map(|(at, type_)| Some(condition(type_, STATUSES[state >> (2 * at) & 3]?)));
        let marks = MARKS[state >> 6 & 3].iter().map(|type_| condition(type_, "True"));
        let manager = if state >> 8 & 1 == 0 { "tester/widget" } else { "old-tool" };
        Self { end, conditions: marks.chain(declared).collect(), manager, foreign: state >> 9 & 1 == 1 }
    }

    async fn create(&self, world: &World, name: &str) {
        let (step, act, _) = self.end;
        world.create::<Widget>(a_widget(name, json!({ step: act }))).await;
        self.write(world, name, self.manager, &self.conditions).await;
        if self.foreign {
            let foreign = json!({ "type": "Foreign", "status": "True", "reason": "X", "message": "theirs", "observedGeneration": 1,
                "lastTransitionTime": "2026-01-01T00:00:00Z" });
            self.write(world, name, "foreign", &[foreign]).await;
        }
    }

    async fn write(&self, world: &World, name: &str, manager: &str, conditions: &[Value]) {
        let mut object = a_widget(name, Value::Null);
        object.as_object_mut().unwrap().remove("spec");
        object["status"] = json!({ "conditions": conditions });
        let params = PatchParams::apply(manager).force();
        world.api::<Widget>().patch_status(name, &params, &Patch::Apply(&object)).await.unwrap();
    }

    fn check(&self, object: &Value) {
        let what = || format!("{:?} of {} from {:?}: {:#}", self.end, self.manager, self.conditions, object["status"]);
        assert_eq!(kstatus::compute(object), self.end.2, "{}", what());
        let broken = kstatus::check(object, &["Outdated"], kstatus::Mode::Final);
        assert!(!broken.iter().any(|found| found.rule.is_strict()), "{broken:?} {}", what());
        assert_eq!(condition(object, "Foreign").is_some(), self.foreign, "{}", what());
        let leftover = object["status"]["conditions"].as_array().unwrap().iter().filter(|c| c["reason"] == "Earlier");
        let blocked = |c: &Value| c["type"] == "Stored" && self.end.0 == "fetch";
        assert!(leftover.clone().all(blocked), "{}", what());
    }
}

/// Spread over the whole product; `EVENKEEL_EXHAUSTIVE=1` runs all.
fn codes(server: Server) -> Vec<usize> {
    let step = match (std::env::var_os("EVENKEEL_EXHAUSTIVE"), server) {
        (Some(_), _) => 1,
        (None, Server::InProcess) => 37,
        (None, _) => 307,
    };
    (0..ENDS.len() * STATES).step_by(step).collect()
}

async fn every_outcome_reads_correctly_and_costs_one_write(world: World) -> World {
    world.install(&definition()).await;
    let objects: Vec<_> = codes(world.server).into_iter().map(|code| (format!("w{code}"), Before::of(code))).collect();
    for (name, before) in &objects {
        before.create(&world, name).await;
    }
    let operator = world.operator::<widget>(Lab::at("r1"));
    for (name, before) in &objects {
        let object = world.until::<Widget>(name, "seen", |o| o["status"]["observedInputs"]["wiring"].is_string()).await;
        before.check(&object);
    }
    operator.stop().await.unwrap();
    let writes = world.wire.calls();
    for (name, before) in &objects {
        let path = format!("/{name}/status");
        let writes = writes.iter().filter(|call| call.is_status_write() && call.path.ends_with(&path)).count();
        // Taking over the fields of an earlier manager is not a status write.
        assert_eq!(writes, 1, "{name}: {:?} from {:?}", before.end, before.conditions);
    }
    assert!(objects.len() > 20);
    world
}
