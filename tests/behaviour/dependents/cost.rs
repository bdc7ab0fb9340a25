//! The calls of a component with ten dependents in each step of its life: exact counts in virtual time, beside a hand-written operator that
//! reads every dependent in every pass.

use std::sync::Arc;
use std::time::Duration;

use evenkeel::Operator;
use evenkeel_bench::fleet::{Fleet, fleet, fleets};
use evenkeel_bench::hand;
use evenkeel_bench::kind::NAMESPACE;
use evenkeel_testkit::{Cluster, assert_generated};
use evenkeel_tests::recording_client::{Call, Wire};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams};
use kube::{CustomResourceExt, ResourceExt};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

/// The number of components: 1,000 in the long form of the trials.
pub(super) fn components() -> usize {
    if std::env::var_os("EVENKEEL_TRIALS").is_some_and(|form| form == "all") { 1_000 } else { 50 }
}

/// The dependents of each component.
pub(super) const SIZE: usize = 10;
/// The kinds of the dependents.
const KINDS: usize = 8;
/// The dependents that a change affects.
const CHANGED: usize = 3;
/// Long enough for everything that is due, shorter than every interval.
const SETTLED: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);

/// The compared operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Who {
    Ours,
    Hand,
}

/// The calls of one step of a life, without watches and events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Cost {
    writes: usize,
    /// Reads of single objects.
    reads: usize,
    /// Lists, also those that check whether something is left.
    lists: usize,
}

impl Cost {
    fn of(calls: &[Call]) -> Self {
        // The operator reads its own CRD once at the start.
        let calls = calls.iter().filter(|call| !call.is_event() && !call.path.contains("customresourcedefinitions"));
        let mut cost = Self::default();
        for call in calls {
            match () {
                () if call.is_write() => cost.writes += 1,
                () if call.is_list() => cost.lists += 1,
                () if call.is_watch() => {}
                () if call.query.contains("labelSelector") => cost.lists += 1,
                () => cost.reads += 1,
            }
        }
        cost
    }

    fn all(self) -> usize {
        self.writes + self.reads + self.lists
    }
}

/// An operator with its server.
pub(super) struct Life {
    who: Who,
    pub(super) components: usize,
    pub(super) cluster: Cluster,
    pub(super) wire: Wire,
    began: Instant,
    running: Option<JoinHandle<()>>,
}

impl Life {
    pub(super) async fn begin(who: Who, components: usize) -> Self {
        let cluster = Cluster::start().await;
        cluster.seed(&Fleet::crd()).await.unwrap();
        cluster
            .seed(json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": NAMESPACE } }))
            .await
            .unwrap();
        let mut life = Self { who, components, cluster, wire: Wire::default(), began: Instant::now(), running: None };
        life.start();
        sleep(SETTLED).await;
        life.wire.clear();
        life
    }

    fn start(&mut self) {
        let client = self.wire.client(&self.cluster.client());
        self.running = Some(match self.who {
            Who::Hand => tokio::spawn(hand::component(client, Arc::default(), self.began)),
            Who::Ours => {
                let operator = Operator::new("ours").client(client).namespaces([NAMESPACE]).reconciler::<fleets>(());
                tokio::spawn(async { operator.run_until(std::future::pending()).await.expect("it runs") })
            }
        });
    }

    async fn stop(&mut self) {
        if let Some(running) = self.running.take() {
            running.abort();
            assert!(running.await.is_err_and(|ended| ended.is_cancelled()), "it has ended by itself");
        }
    }

    pub(super) fn fleets(&self) -> Api<Fleet> {
        Api::namespaced(self.cluster.client(), NAMESPACE)
    }

    fn maps(&self) -> Api<ConfigMap> {
        Api::namespaced(self.cluster.client(), NAMESPACE)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = String> + use<> {
        (0..self.components).map(|number| format!("fleet-{number:04}"))
    }

    /// The calls within this time.
    async fn within(&self, time: Duration) -> Cost {
        sleep(time).await;
        let calls = self.wire.calls();
        self.wire.clear();
        Cost::of(&calls)
    }

    async fn create(&self) -> Cost {
        for name in self.names() {
            self.cluster.seed(fleet(&name, SIZE)).await.unwrap();
        }
        let cost = self.within(SETTLED).await;
        self.assert_ready().await;
        cost
    }

    pub(super) async fn assert_ready(&self) {
        let all = self.fleets().list(&ListParams::default()).await.unwrap().items;
        assert_eq!(all.len(), self.components);
        for one in all {
            let status: Value = json!(one.status);
            let is_ready = |condition: &Value| condition["type"] == "Ready" && condition["status"] == "True";
            assert!(status["conditions"].as_array().is_some_and(|all| all.iter().any(is_ready)), "{status:#}");
        }
        let maps = self.maps().list(&ListParams::default()).await.unwrap().items;
        // Kinds 0 and 8 of 0..10 are ConfigMaps.
        assert_eq!(maps.len(), self.components * 2);
    }

    /// Changes some of the dependents of each component.
    async fn change(&self) -> Cost {
        let patch = Patch::Merge(json!({ "spec": { "changed": CHANGED, "revision": 2 } }));
        for name in self.names() {
            self.fleets().patch(&name, &PatchParams::default(), &patch).await.unwrap();
        }
        let cost = self.within(SETTLED).await;
        for name in self.names() {
            let map = self.maps().get(&format!("{name}-0000")).await.unwrap();
            assert_eq!(map.annotations()["bench.evenkeel.dev/revision"], "2");
        }
        cost
    }

    /// Edits a dependent of each component, and waits until all are corrected. Returns the calls and the seconds until then.
    async fn drift(&self) -> (Cost, u64) {
        let edited = json!({ "data": { "settings.yaml": "edited" } });
        for name in self.names() {
            let name = format!("{name}-0000");
            self.maps().patch(&name, &PatchParams::default(), &Patch::Merge(&edited)).await.unwrap();
        }
        let (step, mut passed) = (Duration::from_secs(10), Duration::ZERO);
        loop {
            sleep(step).await;
            passed += step;
            let maps = self.maps().list(&ListParams::default()).await.unwrap().items;
            if maps.iter().all(|map| map.data.as_ref().is_some_and(|data| data["settings.yaml"] != "edited")) {
                break;
            }
            assert!(passed < 2 * HOUR, "it is never corrected");
        }
        (self.within(Duration::ZERO).await, passed.as_secs())
    }

    async fn restart(&mut self) -> Cost {
        self.stop().await;
        self.start();
        self.within(SETTLED).await
    }

    async fn delete(&self) -> Cost {
        for name in self.names() {
            self.fleets().delete(&name, &DeleteParams::default()).await.unwrap();
        }
        let cost = self.within(SETTLED).await;
        assert!(self.fleets().list(&ListParams::default()).await.unwrap().items.is_empty());
        assert!(self.maps().list(&ListParams::default()).await.unwrap().items.is_empty());
        cost
    }
}

/// The steps of a life.
const STEPS: [&str; 6] = [
    "creation",
    "change of three dependents",
    "an edited dependent, until it is corrected",
    "an hour without changes",
    "restart",
    "deletion",
];

/// The calls of all components in each step.
async fn lived(who: Who, components: usize) -> [Cost; 6] {
    let mut life = Life::begin(who, components).await;
    let (create, change) = (life.create().await, life.change().await);
    let (drift, _) = life.drift().await;
    // Each watch checks its version once, whatever the number of components.
    let checks = life.within(HOUR).await;
    assert!(who == Who::Hand || checks == Cost { lists: 1 + KINDS, ..Cost::default() }, "{checks:?}");
    let hour = life.within(HOUR).await;
    let restart = life.restart().await;
    let delete = life.delete().await;
    life.stop().await;
    [create, change, drift, hour, restart, delete]
}

#[tokio::test(start_paused = true)]
async fn each_step_costs_the_minimum_of_calls() {
    let components = components();
    let ours = lived(Who::Ours, components).await;
    let calls = |writes, reads, lists| Cost { writes, reads, lists };
    // The finalizer, the kinds of the set, the dependents and the result.
    assert_eq!(ours[0], calls(components * (SIZE + 3), 0, 0), "{}", STEPS[0]);
    assert_eq!(ours[1], calls(components * (CHANGED + 1), 0, 0), "{}", STEPS[1]);
    assert_eq!(ours[2], calls(components, 0, 0), "{}", STEPS[2]);
    assert_eq!(ours[3], calls(0, 0, 0), "{}", STEPS[3]);
    assert_eq!((ours[4].writes, ours[4].reads), (0, 0), "{}: {:?}", STEPS[4], ours[4]);
    assert_eq!(ours[4].lists, 1 + KINDS, "{}", STEPS[4]);
    // The progress, the dependents, one list of each kind, and the finalizer.
    assert_eq!(ours[5], calls(components * (SIZE + 2), 0, components * KINDS), "{}", STEPS[5]);
}

#[tokio::test(start_paused = true)]
async fn a_hand_written_operator_reads_each_dependent_in_each_pass() {
    const COMPONENTS: usize = 5;
    let (ours, hand) = (lived(Who::Ours, COMPONENTS).await, lived(Who::Hand, COMPONENTS).await);
    let each = |costs: &[Cost; 6]| costs.map(|cost| cost.all() as f64 / COMPONENTS as f64);
    let (ours, hand) = (each(&ours), each(&hand));
    // The baseline does what it is described to do, and no more.
    let size = SIZE as f64;
    assert_eq!([hand[0], hand[5]], [3.0 * size + 3.0, 3.0 * size + 2.0], "{hand:?}");
    assert_eq!(hand[1], 2.0 * size + 2.0 + CHANGED as f64, "{hand:?}");
    // Six passes, one of which applies everything again and is followed by another one.
    assert!((7.0 * (size + 1.0)..=9.0 * (size + 1.0)).contains(&hand[3]), "{hand:?}");
    // A restart lists each kind once, whatever the number of components.
    let most = [0.45, 0.2, 0.05, 0.0, 0.2, 0.7];
    for (at, most) in most.into_iter().enumerate() {
        assert!(ours[at] <= most * hand[at], "{}: {} of {}", STEPS[at], ours[at], hand[at]);
    }
    let mut page = format!(
        "Calls of a component with {SIZE} dependents in {KINDS} kinds, of {COMPONENTS} components, without watches and events. The\n\
         hand-written operator has the shape of SAP's component reconciler: it reads each dependent in each pass, every ten\n\
         minutes, and applies each one again after an hour.\n\n\
         | step | evenkeel | hand-written |\n| --- | ---: | ---: |\n"
    );
    for (step, (ours, hand)) in STEPS.iter().zip(ours.iter().zip(hand)) {
        page += &format!("| {step} | {ours} | {hand} |\n");
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../runtime/src/guide/figures/dependents_calls.md");
    assert_generated(path, &page);
}

/// The bench of the figures counts the same for 5,000 dependents.
#[tokio::test(start_paused = true)]
async fn the_status_does_not_grow_with_the_number_of_ready_dependents() {
    const MOST_BYTES: usize = 4096;
    let size = 20 * components();
    let life = Life::begin(Who::Ours, 1).await;
    life.cluster.seed(fleet("fleet-0000", size)).await.unwrap();
    sleep(SETTLED).await;
    let status = json!(life.fleets().get("fleet-0000").await.unwrap().status);
    let set = &status["dependents"]["fleets/launch"];
    assert_eq!((&set["wanted"], &set["readyObjects"], &set["ready"]), (&json!(size), &json!(size), &json!(true)));
    let writes = life.wire.calls().into_iter().filter(Call::is_status_write);
    let largest = writes.map(|call| call.body.len()).max();
    assert!(largest.is_some_and(|bytes| bytes <= MOST_BYTES), "{largest:?}");
}
