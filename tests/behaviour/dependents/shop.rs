//! A kind whose objects say in their spec which dependents they have.

use std::collections::BTreeMap;

use evenkeel::dependents::{Dependents, DependentsError, Policies};
use evenkeel::prelude::*;
use evenkeel_tests::recording_client::Call;
use evenkeel_tests::test_env::{Running, World};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{CustomResource, CustomResourceExt, KubeSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Shop", namespaced, status = "ShopStatus")]
#[serde(rename_all = "camelCase")]
pub(crate) struct ShopSpec {
    /// The config maps, with the value of their only key.
    #[serde(default)]
    pub(crate) maps: BTreeMap<String, String>,
    /// Annotations of all config maps.
    #[serde(default)]
    pub(crate) annotations: BTreeMap<String, String>,
    /// Parts that are not ready before their status says so, each with its wave.
    #[serde(default)]
    pub(crate) parts: BTreeMap<String, i16>,
    /// A secret.
    #[serde(default)]
    pub(crate) secret: Option<String>,
    #[serde(default)]
    pub(crate) policies: Option<Policies>,
    /// The step keeps what there is.
    #[serde(default)]
    pub(crate) keeps: bool,
    /// The step is skipped.
    #[serde(default)]
    pub(crate) closed: bool,
}

#[status(dependents)]
pub(crate) struct ShopStatus {}

/// A dependent that is ready when its condition says so.
#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Part", namespaced, status = "PartStatus")]
pub(crate) struct PartSpec {
    pub(crate) size: i32,
}

#[derive(KubeSchema, Clone, Debug, Deserialize, Serialize)]
pub(crate) struct PartStatus {
    #[serde(default)]
    pub(crate) conditions: Vec<Condition>,
}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub(crate) enum ShopCondition {
    /// All objects are as wanted.
    #[condition(positive)]
    Applied,
    /// All objects are ready.
    #[condition(positive)]
    Healthy,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
pub(crate) enum ShopError {
    #[error(transparent)]
    #[class(transparent)]
    Dependents(#[from] DependentsError),
}

pub(crate) fn named<K: serde::de::DeserializeOwned>(name: &str, more: &Value) -> K {
    let mut object = json!({ "metadata": { "name": name } });
    for (field, value) in more.as_object().into_iter().flatten() {
        object[field] = value.clone();
    }
    serde_json::from_value(object).expect("an object of its kind")
}

#[sub_reconciler(
    sets(on::Applied, on::Healthy),
    dependents(ConfigMap, Secret, Part, policies = spec.policies, ready_within = "1h", prefix = "shops.example.com")
)]
async fn install(shop: &Shop, cx: &mut Cx) -> Result<Dependents, ShopError> {
    if shop.spec.keeps {
        return Ok(cx.keep().await?);
    }
    let mut wanted = cx.wanted();
    for (name, value) in &shop.spec.maps {
        let mut map: ConfigMap = named(name, &json!({ "data": { "value": value } }));
        map.metadata.annotations = Some(shop.spec.annotations.clone()).filter(|all| !all.is_empty());
        wanted.add(&map);
    }
    if let Some(secret) = &shop.spec.secret {
        wanted.add::<Secret>(&named("login", &json!({ "stringData": { "password": secret } })));
    }
    for (name, wave) in &shop.spec.parts {
        let hints = "has-ready-condition".parse().expect("a hint");
        wanted.add(&Part::new(name, PartSpec { size: 1 })).apply_order(*wave).delete_order(-*wave).hints(hints);
    }
    Ok(cx.converge(wanted).await?)
}

#[reconciler(conditions = ShopCondition, suspend(annotation))]
pub(crate) async fn shop(shop: &Shop, cx: &mut Pass<'_>) -> PassResult {
    if shop.spec.closed {
        skip(install, "Closed");
    } else {
        install(shop, cx).await?;
    }
    Ok(())
}

pub(crate) fn definitions() -> [CustomResourceDefinition; 2] {
    [Shop::crd(), Part::crd()]
}

/// An operator for shops.
pub(crate) async fn start(world: &World) -> Running {
    for definition in definitions() {
        world.install(&definition).await;
    }
    world.operator::<shop>(())
}

/// Creates a shop.
pub(crate) async fn open(world: &World, name: &str, spec: &Value) {
    let shop =
        json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Shop", "metadata": { "name": name }, "spec": spec });
    world.create::<Shop>(shop).await;
}

/// Sets the Ready condition of a part.
pub(crate) async fn set_ready(world: &World, name: &str, status: &str) {
    let generation = world.raw::<Part>(name).await["metadata"]["generation"].clone();
    let ready = json!({ "type": "Ready", "status": status, "reason": "Test", "message": "set by a test", "observedGeneration": generation,
        "lastTransitionTime": "2026-01-01T00:00:00Z" });
    let patch = kube::api::Patch::Merge(json!({ "status": { "conditions": [ready] } }));
    world.api::<Part>().patch_status(name, &kube::api::PatchParams::default(), &patch).await.expect("it is stored");
}

/// The calls that the operator sent, without watches, lists and events: the verb, the kind and the name.
pub(crate) fn calls(world: &World) -> Vec<String> {
    let is_told = |call: &&Call| !call.is_event() && (call.is_write() || !call.is_list());
    world.wire.calls().iter().filter(is_told).filter(|call| !call.is_watch()).map(short).collect()
}

/// `PATCH configmaps/a`.
fn short(call: &Call) -> String {
    let path = call.path.split('?').next().unwrap_or_default();
    let parts: Vec<&str> = path.split('/').collect();
    // Behind the namespace, if there is one.
    let at = parts.iter().position(|part| *part == "namespaces").map_or(0, |at| at + 2);
    let rest = parts.get(at..).filter(|rest| !rest.is_empty()).unwrap_or(&parts);
    format!("{} {}", call.method, rest.join("/"))
}
