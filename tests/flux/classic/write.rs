//! The suites about patches, on the API server of the test kit.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use evenkeel::ApiError;
use evenkeel::condition::{Stamp, delete, is_ready, is_reconciling, set};
use evenkeel::flux::{
    ClientPort, ConditionList, Focus, Object, Part, PatchError, PatchOptions, Port, SerialPatcher, focus,
};
use evenkeel_testkit::Cluster;
use evenkeel_testkit::patch::merge_patch;
use kube::api::{Api, Patch, PatchParams, PostParams};
use kube::core::CustomResourceExt;
use serde_json::{Value, json};

use super::end::block;
use super::fake::{Fake, fake, observed};
use crate::value::{condition, conditions, now, only, output, words};

pub(crate) fn focused(input: &Value) -> Value {
    let part = if input["focus"] == "spec" { Focus::Spec } else { Focus::Status };
    json!({ "document": focus(&input["object"], part, list(input)) })
}

fn list(input: &Value) -> ConditionList {
    if input["conditionsAware"] == false { ConditionList::Plain } else { ConditionList::Merged }
}

/// A port that records its writes and injects writes of other clients.
#[derive(Clone)]
struct Recording {
    port: ClientPort,
    written: Arc<Mutex<Vec<Value>>>,
    /// The number of foreign writes between a read and a write of conditions.
    conflicts: Arc<AtomicU64>,
}

impl Port for Recording {
    async fn read(&self) -> Result<Value, ApiError> {
        self.port.read().await
    }

    async fn write(&self, part: Part, patch: Value, field_owner: Option<&str>) -> Result<Value, ApiError> {
        let target = if part == Part::Main { "main" } else { "status" };
        let left = self.conflicts.load(Ordering::Relaxed);
        if left > 0 && patch.pointer("/status/conditions").is_some() {
            self.conflicts.store(left - 1, Ordering::Relaxed);
            let foreign = json!({ "metadata": { "annotations": { "example.com/other": left.to_string() } } });
            self.port.write(Part::Main, foreign, Some("other")).await?;
        }
        let written = self.port.write(part, patch.clone(), field_owner).await?;
        self.written.lock().unwrap().push(json!({ "target": target, "body": body(&patch) }));
        Ok(written)
    }

    async fn pause(&self) {
        self.port.pause().await;
    }
}

/// A patch in the notation of the cases.
fn body(patch: &Value) -> Value {
    let mut body = patch.clone();
    if let Some(version) = body.pointer_mut("/metadata/resourceVersion") {
        *version = "<read>".into();
    }
    if let Some(listed) = body.pointer_mut("/status/conditions") {
        *listed = conditions(listed).iter().map(output).collect();
    }
    body
}

/// A server with the object of a case.
struct Scene {
    api: Api<Fake>,
    port: Recording,
}

impl Scene {
    async fn new(object: &Value) -> (Self, Fake) {
        // The owner in a case need not exist.
        let cluster = Cluster::builder().gc_delay(Duration::from_secs(3600)).start().await;
        Api::all(cluster.client()).create(&PostParams::default(), &Fake::crd()).await.unwrap();
        let api: Api<Fake> = Api::namespaced(cluster.client(), "default");
        let mut document = json!(fake(&Value::Null));
        merge_patch(&mut document, &json!({ "metadata": { "resourceVersion": null, "generation": null } }));
        merge_patch(&mut document, object);
        let created: Fake = serde_json::from_value(document).unwrap();
        let created = api.create(&PostParams::default(), &created).await.unwrap();
        let read = send(&api, Part::Status, &json!({ "status": object["status"] })).await.unwrap_or(created);
        let port = ClientPort::new(cluster.client(), &read);
        let port = Recording { port, written: Arc::default(), conflicts: Arc::default() };
        (Self { api, port }, read)
    }

    async fn stored(&self) -> Fake {
        self.api.get("fake").await.unwrap()
    }
}

async fn send(api: &Api<Fake>, part: Part, patch: &Value) -> Option<Fake> {
    let params = PatchParams { field_manager: Some("other".into()), ..PatchParams::default() };
    let sent = match part {
        Part::Main => api.patch("fake", &params, &Patch::Merge(patch)).await,
        Part::Status => api.patch_status("fake", &params, &Patch::Merge(patch)).await,
    };
    sent.ok()
}

/// Applies the change of the case to an object.
fn change(fake: &Fake, change: &Value) -> Fake {
    only(change, &["conditions", "deleteConditions", "metadata", "spec", "status"]);
    let mut document = json!(fake);
    for part in ["metadata", "spec", "status"] {
        merge_patch(&mut document, &json!({ part: change.get(part).unwrap_or(&json!({})) }));
    }
    let mut changed: Fake = serde_json::from_value(document).unwrap();
    let stamp = changed.stamp();
    let listed = &mut changed.flux_status_mut().conditions;
    words(&change["deleteConditions"]).into_iter().for_each(|type_| delete(listed, type_));
    for one in change["conditions"].as_array().into_iter().flatten() {
        set(listed, condition(one), &stamp);
    }
    changed
}

fn patch_options(input: &Value) -> PatchOptions {
    only(input, &["fieldOwner", "force", "observedGeneration", "ownedConditions"]);
    PatchOptions {
        owned: words(&input["ownedConditions"]).into_iter().map(ToOwned::to_owned).collect(),
        force: input["force"] == true,
        field_owner: input["fieldOwner"].as_str().map(ToOwned::to_owned),
        observed_generation: input["observedGeneration"] == true,
    }
}

pub(crate) fn patched(input: &Value) -> Value {
    block(async {
        let (scene, read) = Scene::new(&input["object"]).await;
        only(&input["hooks"], &["conflictsBeforeConditionPatch"]);
        let conflicts = input["hooks"]["conflictsBeforeConditionPatch"].as_u64().unwrap_or_default();
        scene.port.conflicts.store(conflicts, Ordering::Relaxed);
        assert!(input["generation"].is_null() || read.generation() == input["generation"], "another generation");
        let elsewhere = change(&read, &input["serverChange"]);
        if !input["serverChange"].is_null() {
            let mut document = json!(elsewhere);
            document["metadata"] = json!({});
            send(&scene.api, Part::Main, &document).await.unwrap();
            send(&scene.api, Part::Status, &json!({ "status": document["status"] })).await.unwrap();
        }
        let mut local = change(&read, &input["localChange"]);
        let error = patch(&scene, &read, &mut local, input).await.err();
        let writes = scene.port.written.lock().unwrap().clone();
        report(&scene.stored().await, &local, &writes, error.is_some())
    })
}

async fn patch(scene: &Scene, read: &Fake, local: &mut Fake, input: &Value) -> Result<(), PatchError> {
    let options = patch_options(&input["options"]);
    if input["localKind"].is_null() && list(input) == ConditionList::Merged {
        return SerialPatcher::new(read, scene.port.clone())?.patch(local, &options).await;
    }
    let mut patcher = SerialPatcher::of_document(json!(read), list(input), scene.port.clone());
    let mut document = json!(local);
    if let Some(kind) = input["localKind"].as_str() {
        document["kind"] = kind.into();
    }
    patcher.patch_document(document, &Stamp::new(local.generation(), now()), &options).await
}

fn report(stored: &Fake, local: &Fake, writes: &[Value], error: bool) -> Value {
    let mut managers = stored.metadata.managed_fields.iter().flatten();
    let owner = managers.rfind(|field| field.subresource.as_deref() == Some("status"));
    json!({
        "error": error,
        "stored": stored,
        "storedConditions": stored.conditions().iter().map(output).collect::<Value>(),
        "storedFinalizers": stored.metadata.finalizers.clone().unwrap_or_default(),
        "storedFinalizersEmpty": stored.metadata.finalizers.iter().flatten().next().is_none(),
        "storedGeneration": stored.generation(),
        "storedObservedGeneration": observed(stored),
        "storedObservedValue": stored.status.as_ref().and_then(|s| s.observed_value.clone()).unwrap_or_default(),
        "storedSpec": stored.spec,
        "observedGenerationEqualsLocalGeneration": observed(stored) == local.generation(),
        "fieldOwnerOnStatus": owner.and_then(|field| field.manager.clone()),
        "writes": writes,
    })
}

pub(crate) fn serial(input: &Value) -> Value {
    block(async {
        let (scene, mut local) = Scene::new(&json!({})).await;
        let mut patcher = SerialPatcher::new(&local, scene.port.clone()).unwrap();
        let options = patch_options(&json!({ "ownedConditions": input["ownedConditions"] }));
        let mut after = Vec::new();
        for step in input["steps"].as_array().unwrap() {
            local = change(&local, step);
            patcher.patch(&mut local, &options).await.unwrap();
            let stored = scene.stored().await;
            let listed = stored.conditions();
            let finalizers = stored.metadata.finalizers.clone().unwrap_or_default();
            let (ready, reconciling) = (is_ready(listed), is_reconciling(listed));
            after.push(json!({ "finalizers": finalizers, "ready": ready, "reconciling": reconciling }));
        }
        json!({ "afterEach": after })
    })
}
