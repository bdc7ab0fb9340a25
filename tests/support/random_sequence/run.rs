//! Plays a sequence: a server, an operator, and a look at both after every step.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use evenkeel::Operator;
use futures::channel::mpsc::{UnboundedSender, unbounded};
use kube::api::{DeleteParams, DynamicObject, PostParams};
use kube::runtime::reflector::ObjectRef;
use serde_json::{Value, json};

use super::snapshot::snapshot;
use super::step::{NAME, Step};
use crate::test_env::{Running, Server, World};
use crate::widget::{Lab, Widget, definition, revised, widget};

/// Time in which everything happens that needs no timer.
const SETTLED: Duration = Duration::from_secs(5);
/// Time in which every timer fires: intervals and back-offs are 10 minutes at most.
const EVERYTHING: Duration = Duration::from_secs(1250);

/// What a sequence came to.
#[derive(Clone, Debug)]
pub struct Played {
    /// The server after each step, without what differs in any two runs.
    pub states: Vec<Value>,
    /// What was done to the world outside.
    pub effects: BTreeSet<String>,
    /// How often the body ran, after each step.
    pub passes: Vec<usize>,
}

pub(super) struct Stage {
    pub(super) world: World,
    lab: Arc<Lab>,
    alter: fn(Operator, &str) -> Operator,
    how: String,
    operator: Option<Running>,
    triggers: Option<UnboundedSender<ObjectRef<Widget>>>,
    asked: usize,
}

/// Plays the steps, each until everything has settled, over a widget that is there already. `alter` changes the operators.
///
/// # Panics
/// When the in-process server cannot be used.
#[must_use]
pub fn play(steps: &[Step], alter: fn(Operator, &str) -> Operator, how: &str) -> Played {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
    runtime.expect("a runtime").block_on(played(steps, alter, how))
}

async fn played(steps: &[Step], alter: fn(Operator, &str) -> Operator, how: &str) -> Played {
    let world = World::on(Server::InProcess).await.expect("it is always there");
    world.install(&definition()).await;
    let mut stage =
        Stage { world, lab: Lab::at("a"), alter, how: how.to_owned(), operator: None, triggers: None, asked: 0 };
    stage.run(0);
    Step::Create.take(&mut stage).await;
    tokio::time::sleep(SETTLED).await;
    let mut played = Played { states: Vec::new(), effects: BTreeSet::new(), passes: Vec::new() };
    for step in steps {
        step.take(&mut stage).await;
        tokio::time::sleep(SETTLED).await;
        played.states.push(snapshot(&stage.world).await);
        played.passes.push(stage.lab.passes());
    }
    played.effects = stage.lab.effects();
    stage.crash().await;
    played
}

impl Stage {
    fn run(&mut self, code: usize) {
        self.lab.run_code(code);
        let (sender, triggers) = unbounded();
        self.triggers = Some(sender);
        let operator = match code {
            0 => self.world.prepare::<widget>(self.lab.clone()).trigger::<widget>(triggers),
            _ => self.world.prepare::<revised::widget>(self.lab.clone()).trigger::<revised::widget>(triggers),
        };
        self.operator = Some(Running::start((self.alter)(operator, &self.how)));
    }

    pub(super) async fn start(&mut self, code: usize) {
        if self.operator.is_none() {
            self.run(code);
        }
    }

    pub(super) async fn stop(&mut self) {
        if let Some(operator) = self.operator.take() {
            operator.stop().await.expect("it ends well");
        }
    }

    pub(super) async fn crash(&mut self) {
        if let Some(operator) = self.operator.take() {
            operator.crash().await;
        }
    }

    pub(super) async fn crash_during(&mut self, spec: Value) {
        let lab = self.lab.clone();
        let held = lab.hold.lock().await;
        self.spec(spec).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        self.crash().await;
        drop(held);
    }

    pub(super) async fn create(&mut self, object: Value) {
        let object: DynamicObject = serde_json::from_value(object).expect("an object");
        let resource = kube::core::ApiResource::erase::<Widget>(&());
        let api = kube::Api::namespaced_with(self.world.client.clone(), &self.world.namespace, &resource);
        // One that is there stays.
        drop(api.create(&PostParams::default(), &object).await);
    }

    pub(super) async fn delete(&self) {
        drop(self.world.api::<Widget>().delete(NAME, &DeleteParams::default()).await);
        tokio::time::sleep(EVERYTHING).await;
    }

    /// Only a resync tells of it, so it happens while there is somebody to do one.
    pub(super) async fn move_to(&self, revision: &str) {
        if self.operator.is_none() {
            return;
        }
        self.lab.move_to(revision);
        tokio::time::sleep(EVERYTHING).await;
    }

    /// The webhook of the outside reaches an operator at work only.
    pub(super) fn trigger(&self, revision: &str) {
        let Some(triggers) = self.triggers.as_ref().filter(|_| self.operator.is_some()) else { return };
        self.lab.move_to(revision);
        drop(triggers.unbounded_send(ObjectRef::new(NAME).within(&self.world.namespace)));
    }

    pub(super) async fn request(&mut self, revision: &str) {
        self.asked += 1;
        self.lab.move_to(revision);
        self.meta(json!({ "annotations": { "evenkeel.dev/requestedAt": self.asked.to_string() } })).await;
    }
}
