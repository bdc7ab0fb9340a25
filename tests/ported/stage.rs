//! The operator of the cases: a kind whose reconciler follows its script.

use std::time::Duration;

use evenkeel::Class;
use evenkeel::ownership::OPERATOR_NAMESPACE;
use evenkeel::policy::POLICY;
use evenkeel::prelude::*;
use evenkeel_tests::test_env::{Running, Server, World};
use futures::channel::mpsc::{UnboundedSender, unbounded};
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::api::DeleteParams;
use kube::runtime::reflector::ObjectRef;
use kube::{CustomResourceExt, ResourceExt};
use schemars::JsonSchema;
use serde_json::{Value, json};

use crate::script::{End, Script, Wrong};

/// A resource outside the cluster.
#[derive(CustomResource, JsonSchema, Clone, Debug, Default, Deserialize, Serialize)]
#[kube(group = "systems.evenkeel.dev", version = "v1", kind = "Outside", namespaced, status = "OutsideStatus")]
pub(crate) struct OutsideSpec {
    /// Anything.
    pub(crate) size: Option<u32>,
    /// The resync interval in seconds.
    pub(crate) sync: Option<u64>,
}

/// How it stands.
#[evenkeel::status]
pub(crate) struct OutsideStatus {
    /// What was made.
    pub(crate) made: Option<String>,
    /// The making or deleting of it.
    pub(crate) operation: Option<RemoteOperation>,
}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub(crate) enum OutsideCondition {
    /// It may be made.
    #[condition(positive)]
    Allowed,
    /// It is made.
    #[condition(positive)]
    Made,
    /// It is well.
    #[condition(positive)]
    Healthy,
}

/// Returns the outcome of the script; a step handles `Changed` and `Requeue`.
fn ends(end: End) -> Result<(), Wrong> {
    match end {
        End::Wrong(wrong) => Err(wrong),
        _ => Ok(()),
    }
}

#[claim]
async fn claim(object: &mut Outside, script: &Script) -> Result<(), Wrong> {
    script.note("claim");
    let (end, claims) = script.of(|state| (state.claim.clone(), state.claims.clone()));
    ends(end)?;
    if let Some(claims) = claims {
        object.annotations_mut().insert("example.com/resource-id".into(), "id".into());
        let owner: Option<OwnerReference> = serde_json::from_value(claims["owner"].clone()).unwrap();
        if object.owner_references().is_empty() {
            object.owner_references_mut().extend(owner);
        }
    }
    Ok(())
}

#[precondition(sets(on::Allowed), reads(ConfigMap))]
async fn allowed(object: &Outside, script: &Script, cx: &mut Cx) -> Result<(), Wrong> {
    if script.lock().of_owner && cx.owner::<ConfigMap>(object).await?.is_none() {
        return Ok(());
    }
    script.note("before");
    ends(script.lock().before.clone())
}

#[sub_reconciler(sets(on::Made), external)]
async fn make(object: &Outside, script: &Script, cx: &mut Cx<'_, make>) -> Result<(), Wrong> {
    script.note("create_or_update");
    let (end, takes) = script.of(|state| (state.create.clone(), state.takes));
    if takes.is_some() && (cx.status().operation.is_some() || cx.status().made.as_deref() != Some(&*wanted(object))) {
        if !operated(script, cx).await? {
            return Err(Wrong::new(
                Class::Waiting { poll: Some(Duration::from_secs(9)) },
                "Creating",
                "it is being made",
            ));
        }
        cx.status().made = Some(wanted(object));
    }
    match end {
        End::Requeue(after) => cx.requeue_after(after),
        End::Changed(to) => cx.status().made = Some(to),
        End::Unknown(reason) => cx.set(on::Made, ConditionStatus::Unknown, reason, ""),
        End::Wrong(wrong) => return Err(wrong),
        End::Fine => {}
    }
    Ok(())
}

fn wanted(object: &Outside) -> String {
    format!("size {:?}", object.spec.size)
}

/// Whether the long operation of the script has ended.
async fn operated<S>(script: &Script, cx: &mut Cx<'_, S>) -> Result<bool, Wrong>
where
    S: evenkeel::SubReconciler<Object = Outside>,
{
    let (start, poll) = (script.clone(), script.clone());
    let ended = cx.operation(
        |status| &mut status.operation,
        || async move {
            start.note("start");
            let mut state = start.lock();
            state.started += 1;
            Ok::<_, Wrong>("op-id".to_owned())
        },
        |_| async move {
            poll.note("poll");
            let mut state = poll.lock();
            state.asked += 1;
            Ok((state.takes.is_some_and(|takes| state.asked > takes)).then_some(()))
        },
    );
    Ok(ended.await?.is_some())
}

#[cleanup(of = make)]
async fn delete(_object: &Outside, script: &Script, cx: &mut Cx<'_, make>) -> Result<(), Wrong> {
    script.note("delete");
    let (end, takes) = script.of(|state| (state.delete.clone(), state.takes));
    let (delay, operates) = match end {
        End::Requeue(after) => (after, takes.is_some()),
        End::Wrong(wrong) => return Err(wrong),
        _ => return Ok(()),
    };
    if operates && operated(script, cx).await? {
        return Ok(());
    }
    Err(Wrong::new(Class::Waiting { poll: Some(delay) }, "Deleting", "it is being deleted"))
}

#[postcondition(sets(on::Healthy))]
async fn healthy(_object: &Outside, script: &Script, cx: &mut Cx) -> Result<(), Wrong> {
    script.note(&format!("after under {}", cx.policy()));
    ends(script.lock().after.clone())
}

#[observe(sets(on::Made))]
async fn look(_object: &Outside, script: &Script, cx: &mut Cx) -> Result<(), Wrong> {
    script.note("update_status");
    let end = script.lock().look.clone();
    if let End::Changed(to) = &end {
        cx.status().made = Some(to.clone());
    }
    ends(end)
}

fn sync(object: &Outside) -> Option<Duration> {
    object.spec.sync.map(Duration::from_secs)
}

#[reconciler(conditions = OutsideCondition, claim = claim, policies(namespace), observe = look, requeue = sync)]
pub(crate) async fn outside(object: &Outside, script: &Script, cx: &mut Pass<'_>) -> PassResult {
    allowed(object, script, cx).await?;
    make(object, script, cx).await?;
    healthy(object, script, cx).await?;
    Ok(())
}

/// Too short for a second attempt.
pub(crate) const AT_ONCE: Duration = Duration::from_millis(30);
/// Long enough for any second attempt.
pub(crate) const LONG: Duration = Duration::from_secs(700);

/// A cluster with the kind, its script, and an operator.
pub(crate) struct Stage {
    pub(crate) world: World,
    pub(crate) script: Script,
    trigger: Option<UnboundedSender<ObjectRef<Outside>>>,
    operator: Option<Running>,
}

impl Stage {
    pub(crate) async fn new() -> Self {
        let world = World::on(Server::InProcess).await.unwrap();
        world.install(&Outside::crd()).await;
        let (script, wire) = (Script::default(), world.wire.clone());
        script.lock().calls = Some(Box::new(move || wire.count(|_| true)));
        Self { world, script, trigger: None, operator: None }
    }

    /// Starts an operator.
    pub(crate) fn operate(&mut self, more: impl FnOnce(Operator) -> Operator) {
        let (trigger, triggered) = unbounded();
        let operator = self.world.prepare::<outside>(self.script.clone()).trigger::<outside>(triggered);
        (self.trigger, self.operator) = (Some(trigger), Some(Running::start(more(operator))));
    }

    /// Crashes the operator and starts another.
    pub(crate) async fn restart(&mut self) {
        if let Some(operator) = self.operator.take() {
            operator.crash().await;
        }
        self.operate(|operator| operator);
    }

    /// Triggers a pass.
    pub(crate) fn trigger(&self) {
        let object = ObjectRef::new("x").within(&self.world.namespace);
        self.trigger.as_ref().unwrap().unbounded_send(object).unwrap();
    }

    pub(crate) async fn create(&self, metadata: Value, spec: Value) {
        let mut object = json!({ "apiVersion": "systems.evenkeel.dev/v1", "kind": "Outside", "metadata": { "name": "x" }, "spec": spec });
        for (key, value) in metadata.as_object().into_iter().flatten() {
            object["metadata"][key] = value.clone();
        }
        self.world.create::<Outside>(object).await;
    }

    pub(crate) async fn delete(&self) {
        self.world.api::<Outside>().delete("x", &DeleteParams::default()).await.unwrap();
    }

    pub(crate) async fn annotate(&self, annotations: Value) {
        self.world.merge::<Outside>("x", json!({ "metadata": { "annotations": annotations } })).await;
    }

    /// The object; null if it is gone.
    pub(crate) async fn object(&self) -> Value {
        match self.world.api::<Outside>().get_opt("x").await.unwrap() {
            Some(_) => self.world.raw::<Outside>("x").await,
            None => Value::Null,
        }
    }

    /// Waits for everything that is due now.
    pub(crate) async fn settle(&self) {
        tokio::time::sleep(AT_ONCE).await;
    }

    /// The functions that ran and the writes, in order, under the names of the cases.
    pub(crate) fn calls(&self) -> Vec<String> {
        let notes = self.script.lock().notes.clone();
        let mut notes = notes.into_iter().peekable();
        let (mut all, mut is_removed) = (Vec::new(), false);
        for (place, call) in self.world.wire.calls().iter().enumerate() {
            while let Some((note, ..)) = notes.next_if(|(_, calls, _)| *calls <= place) {
                all.push(note);
            }
            if call.is_write() && call.path.contains("/outsides/x") {
                let name = named(call);
                all.push(if is_removed && call.is_status_write() { format!("{name}|{LATE}") } else { name.clone() });
                is_removed |= name.contains("remove_finalizer");
            }
        }
        all.extend(notes.map(|(note, ..)| note));
        all
    }

    /// Writes of the object and its status.
    pub(crate) fn writes(&self) -> usize {
        self.world.wire.count(|call| call.is_write() && call.path.contains("/outsides/x"))
    }

    /// Ready with the severity of its event.
    pub(crate) async fn ready(&self) -> Value {
        let object = self.object().await;
        let Some(ready) = evenkeel_tests::widget::condition(&object, "Ready").cloned() else { return Value::Null };
        let stalled = evenkeel_tests::widget::status_of(&object, "Stalled") == "True";
        let events = self.world.events("x").await;
        let event = events.iter().rev().find(|event| event.reason.as_deref() == ready["reason"].as_str());
        let severity = match (ready["status"].as_str(), event.and_then(|event| event.type_.as_deref())) {
            (Some("False"), _) if stalled => "Error",
            (Some("False"), Some("Warning")) => "Warning",
            (Some("False"), _) => "Info",
            _ => "",
        };
        json!({ "status": ready["status"], "severity": severity, "reason": ready["reason"], "message": ready["message"] })
    }
}

/// A status write after the removal of our finalizer.
const LATE: &str = "status_write_after_remove";

/// All names of calls.
pub(crate) const CALLS: [&str; 11] = [
    "claim",
    "persist_finalizer",
    "persist_operator_namespace",
    "create_or_update",
    "update_status",
    "delete",
    "remove_finalizer",
    "write_ready_error",
    "commit",
    "commit_if_changed",
    LATE,
];

/// The name of a write in the cases.
fn named(call: &evenkeel_tests::recording_client::Call) -> String {
    let body: Value = serde_json::from_str(&call.body).unwrap_or_default();
    if call.is_status_write() {
        let is_ready = evenkeel_tests::widget::status_of(&body, "Ready") == "True";
        return if is_ready { "commit|commit_if_changed" } else { "write_ready_error|commit_if_changed" }.into();
    }
    let mut names = Vec::new();
    match body["metadata"]["finalizers"].as_array().map(|all| all.iter().any(|one| one == FINALIZER)) {
        Some(true) => names.push("persist_finalizer"),
        _ if body["metadata"].as_object().is_some_and(|meta| meta.contains_key("finalizers")) => {
            names.push("remove_finalizer");
        }
        _ => {}
    }
    if body["metadata"]["annotations"][OPERATOR_NAMESPACE].is_string() {
        names.push("persist_operator_namespace");
    }
    names.join("|")
}

/// The finalizer of the reconciler.
pub(crate) const FINALIZER: &str = "systems.evenkeel.dev/tester";

/// The annotations of the policy and the operator's namespace in the case.
pub(crate) fn annotations(policy: &Value, operator: &Value) -> Value {
    let mut annotations = json!({});
    if let Some(policy) = policy.as_str() {
        annotations[POLICY] = policy.into();
    }
    if let Some(operator) = operator.as_str() {
        annotations[OPERATOR_NAMESPACE] = operator.into();
    }
    annotations
}
