//! Dependents that a step reads back from the cache.

use evenkeel::ApiError;
use evenkeel::dependents::{Dependents, DependentsError};
use evenkeel::prelude::*;
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::World;
use evenkeel_tests::widget::{condition, is_ready};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{CustomResource, CustomResourceExt, KubeSchema, ResourceExt};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::shop::calls;

#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Gauge", namespaced, status = "GaugeStatus")]
pub(crate) struct GaugeSpec {}

#[status(dependents)]
pub(crate) struct GaugeStatus {}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub(crate) enum GaugeCondition {
    /// All objects are as wanted, and ready.
    #[condition(positive)]
    Applied,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
pub(crate) enum GaugeError {
    #[error(transparent)]
    #[class(transparent)]
    Dependents(#[from] DependentsError),
    #[error(transparent)]
    #[class(transparent)]
    Call(#[from] ApiError),
}

/// The set is one config map, to which another client adds a reading.
#[sub_reconciler(sets(on::Applied), dependents(ConfigMap(cache = full)))]
async fn measure(gauge: &Gauge, cx: &mut Cx) -> Result<Dependents, GaugeError> {
    let mut wanted = cx.wanted();
    let mut map = ConfigMap::default();
    map.metadata.name = Some("reading".into());
    map.data = Some([("unit".to_owned(), "bar".to_owned())].into());
    wanted.add(&map);
    let dependents = cx.converge(wanted).await?;
    let namespace = gauge.namespace().unwrap_or_default();
    assert!(cx.dependent::<ConfigMap>(&dependents, "other")?.is_none());
    assert!(cx.dependent_in::<ConfigMap>(&dependents, "elsewhere", "reading")?.is_none());
    let map = cx.dependent_in::<ConfigMap>(&dependents, &namespace, "reading")?;
    assert!(map == cx.dependent::<ConfigMap>(&dependents, "reading")?);
    let data = map.and_then(|map| map.data).unwrap_or_default();
    cx.ready("Measured", format!("{} {}", data.get("value").map_or("no", String::as_str), data["unit"]));
    Ok(dependents)
}

#[reconciler(conditions = GaugeCondition)]
pub(crate) async fn gauge(gauge: &Gauge, cx: &mut Pass<'_>) -> PassResult {
    measure(gauge, cx).await?;
    Ok(())
}

on_each_server!(a_cached_dependent_is_read_without_a_request_and_its_change_triggers_a_pass);

async fn a_cached_dependent_is_read_without_a_request_and_its_change_triggers_a_pass(world: World) -> World {
    world.install(&Gauge::crd()).await;
    let operator = world.operator::<gauge>(());
    let reads = |text: &'static str| {
        move |gauge: &Value| condition(gauge, "Ready").is_some_and(|ready| ready["message"] == text)
    };
    world
        .create::<Gauge>(json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Gauge", "metadata": { "name": "a" },
        "spec": {} }))
        .await;
    world.until::<Gauge>("a", "no reading", reads("no bar")).await;
    world.merge::<ConfigMap>("reading", json!({ "data": { "value": "7" } })).await;
    world.until::<Gauge>("a", "a reading", reads("7 bar")).await;
    world.merge::<ConfigMap>("reading", json!({ "data": { "value": "8" } })).await;
    world.until::<Gauge>("a", "another one", |gauge| is_ready(gauge) && reads("8 bar")(gauge)).await;
    world.quiet().await;
    let sent = calls(&world);
    assert!(!sent.iter().any(|call| call.starts_with("GET configmaps")), "{sent:?}");
    operator.stop().await.unwrap();
    world
}
