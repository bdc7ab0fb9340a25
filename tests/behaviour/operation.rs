//! Long operations: started once, stored before the wait, polled until they end.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use evenkeel::prelude::*;
use evenkeel_tests::on_each_server;
use evenkeel_tests::sweep::from_everywhere;
use evenkeel_tests::test_env::World;
use evenkeel_tests::widget::is_ready;
use kube::api::{Patch, PatchParams};
use kube::{Api, CustomResource, CustomResourceExt as _};
use schemars::JsonSchema;
use serde_json::{Value, json};

/// A service with long operations.
#[derive(Default)]
pub(crate) struct Plant {
    /// How often each operation was polled.
    operations: Mutex<BTreeMap<String, usize>>,
    started: AtomicUsize,
    /// The number of polls until an operation ends.
    takes: usize,
}

impl Plant {
    pub(crate) fn taking(questions: usize) -> Arc<Self> {
        Arc::new(Self { takes: questions, ..Self::default() })
    }

    /// Starts the operation, or returns the one that was started before.
    fn start(&self, what: &str) -> String {
        self.started.fetch_add(1, Ordering::SeqCst);
        let handle = format!("order of {what}");
        self.operations.lock().unwrap().entry(handle.clone()).or_default();
        handle
    }

    /// The result, once the operation has ended.
    fn ask(&self, handle: &str) -> Option<String> {
        let mut operations = self.operations.lock().unwrap();
        let asked = operations.get_mut(handle).unwrap();
        *asked += 1;
        (*asked > self.takes).then(|| format!("made by {handle}"))
    }

    pub(crate) fn started(&self) -> usize {
        self.started.load(Ordering::SeqCst)
    }
}

#[derive(CustomResource, JsonSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Engine", namespaced, status = "EngineStatus")]
pub(crate) struct EngineSpec {
    /// What to build.
    pub size: u32,
}

#[evenkeel::status]
pub(crate) struct EngineStatus {
    /// What was built.
    pub built: Option<String>,
    /// The building of it.
    pub building: Option<RemoteOperation>,
}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub(crate) enum EngineCondition {
    /// It is built.
    #[condition(positive)]
    Built,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
pub(crate) enum EngineError {
    #[error("it is being built")]
    #[class(waiting(poll = "1s"))]
    Building,
    #[error(transparent)]
    #[class(transient, retry = "fast")]
    Api(#[from] ApiError),
}

#[sub_reconciler(sets(on::Built))]
async fn build(engine: &Engine, plant: &Arc<Plant>, cx: &mut Cx) -> Result<(), EngineError> {
    let wanted = format!("size {}", engine.spec.size);
    if cx.status().building.is_none() && cx.status().built.as_ref().is_some_and(|built| built.contains(&wanted)) {
        return Ok(());
    }
    let built = cx.operation(
        |status| &mut status.building,
        || async { Ok::<_, EngineError>(plant.start(&wanted)) },
        |handle| async move { Ok(plant.ask(&handle)) },
    );
    let Some(built) = built.await? else { return Err(EngineError::Building) };
    cx.status().built = Some(built);
    Ok(())
}

#[reconciler(conditions = EngineCondition)]
pub(crate) async fn engine(engine: &Engine, plant: &Arc<Plant>, cx: &mut Pass<'_>) -> PassResult {
    build(engine, plant, cx).await?;
    Ok(())
}

pub(crate) fn an_engine(size: u32) -> Value {
    json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Engine", "metadata": { "name": "e" }, "spec": { "size": size } })
}

fn built(object: &Value) -> &str {
    object["status"]["built"].as_str().unwrap_or_default()
}

async fn a_long_operation_starts_once_across_restarts(world: World) -> World {
    let plant = Plant::taking(2);
    world.install(&Engine::crd()).await;
    let operator = world.operator::<engine>(plant.clone());
    world.create::<Engine>(an_engine(1)).await;
    world.until::<Engine>("e", "begun", |e| e["status"]["building"]["handle"] == "order of size 1").await;
    operator.crash().await;
    let operator = world.operator::<engine>(plant.clone());
    let object = world.until::<Engine>("e", "built", is_ready).await;
    assert_eq!((built(&object), &object["status"]["building"]), ("made by order of size 1", &Value::Null));
    assert_eq!(plant.started(), 1);
    operator.stop().await.unwrap();
    world
}

async fn a_changed_spec_starts_a_second_operation(world: World) -> World {
    let plant = Plant::taking(2);
    world.install(&Engine::crd()).await;
    let operator = world.operator::<engine>(plant.clone());
    world.create::<Engine>(an_engine(1)).await;
    world.until::<Engine>("e", "begun", |e| e["status"]["building"]["generation"] == 1).await;
    world.merge::<Engine>("e", json!({ "spec": { "size": 2 } })).await;
    let object = world.until::<Engine>("e", "built", is_ready).await;
    assert_eq!((built(&object), plant.started()), ("made by order of size 2", 2));
    operator.stop().await.unwrap();
    world
}

async fn writes_by_others_do_not_restart_an_operation(world: World) -> World {
    let plant = Plant::taking(4);
    world.install(&Engine::crd()).await;
    let operator = world.operator::<engine>(plant.clone());
    world.create::<Engine>(an_engine(1)).await;
    world.until::<Engine>("e", "begun", |e| e["status"]["building"].is_object()).await;
    // One client removes the handle and sets a wrong result, another one edits a field that no step reads.
    let api: Api<Engine> = world.api();
    let lies = json!({ "status": { "building": null, "built": "by hand", "conditions": [] } });
    api.patch_status("e", &PatchParams::default(), &Patch::Merge(lies)).await.unwrap();
    world
        .merge::<Engine>("e", json!({ "metadata": { "annotations": { "note": "hello" }, "labels": { "a": "b" } } }))
        .await;
    let object = world.until::<Engine>("e", "built", is_ready).await;
    assert_eq!((built(&object), &object["status"]["building"]), ("made by order of size 1", &Value::Null));
    assert_eq!((plant.started(), &object["metadata"]["annotations"]["note"]), (1, &json!("hello")));
    operator.stop().await.unwrap();
    world
}

on_each_server!(
    writes_by_others_do_not_restart_an_operation,
    a_long_operation_starts_once_across_restarts,
    a_changed_spec_starts_a_second_operation,
);

#[tokio::test(start_paused = true)]
async fn long_operations_converge_after_any_fault() {
    from_everywhere(&Engine::crd(), async |stage| {
        let plant = Plant::taking(2);
        stage.operate::<engine>(plant.clone());
        stage.create::<Engine>(an_engine(1)).await;
        stage.rest().await;
        stage.merge::<Engine>("e", json!({ "spec": { "size": 2 } })).await;
        stage.rest().await;
        let object = stage.raw::<Engine>("e").await;
        assert!(is_ready(&object) && built(&object) == "made by order of size 2", "{object:#}");
        // Only a crash between the start and the write can start it again.
        assert!((2..=3).contains(&plant.started()), "{}", plant.started());
        built(&object).to_owned()
    })
    .await;
}
