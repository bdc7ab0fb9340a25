//! Functions that determine whether the objects of a kind are ready, instead of kstatus.

use std::collections::BTreeMap;

use evenkeel::dependents::{Dependents, ObjectStatus, Templates};
use evenkeel::prelude::*;
use evenkeel_tests::on_each_server;
use evenkeel_tests::running::Running;
use evenkeel_tests::test_env::World;
use evenkeel_tests::widget::{condition, is_ready, message, reason};
use k8s_openapi::api::core::v1::{ConfigMap, ServiceAccount};
use kube::{CustomResource, CustomResourceExt, KubeSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::shop::{Part, ShopCondition, ShopError, calls, named, on};

/// A part.
const DOORS: Templates = evenkeel::templates!("behaviour/dependents/doors");

#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Kiln", namespaced, status = "KilnStatus")]
pub(crate) struct KilnSpec {
    /// The pots, each a config map with its state in the manifest.
    #[serde(default)]
    pots: BTreeMap<String, String>,
    /// The name of a part.
    #[serde(default)]
    door: Option<String>,
    /// The name of a secret, and of a service account, whose kind has no function.
    #[serde(default)]
    key: Option<String>,
}

#[status(dependents)]
pub(crate) struct KilnStatus {}

/// A pot is ready when another client says so in an annotation, or when its manifest does.
fn fired(pot: &Value) -> ObjectStatus {
    let state = pot["metadata"]["annotations"]["example.com/state"].as_str().or_else(|| pot["data"]["state"].as_str());
    match state {
        Some("fired") => ObjectStatus::Current,
        Some("broken") => ObjectStatus::Failed("it is cracked".into()),
        Some("hot") => panic!("{} is too hot", pot["metadata"]["name"]),
        _ => ObjectStatus::InProgress(format!("it is {}", state.unwrap_or("empty"))),
    }
}

/// A door is ready when it is closed, whatever its conditions say.
fn closed(door: &Value) -> ObjectStatus {
    match door["metadata"]["annotations"]["example.com/closed"].as_str() {
        Some(_) => ObjectStatus::Current,
        None => ObjectStatus::InProgress("it is open".into()),
    }
}

/// A key is ready when it is cut. Without a function only the metadata of a secret is watched.
fn cut(key: &Value) -> ObjectStatus {
    match key["data"]["cut"].as_str() {
        Some(_) => ObjectStatus::Current,
        None => ObjectStatus::InProgress("it is not cut".into()),
    }
}

#[sub_reconciler(
    sets(on::Applied, on::Healthy),
    dependents(
        ConfigMap,
        ServiceAccount,
        kinds("v1/Secret"),
        templates(DOORS),
        ready(ConfigMap = fired, "v1/Secret" = cut, "tests.evenkeel.dev/v1/Part" = self::closed)
    )
)]
async fn fill(kiln: &Kiln, cx: &mut Cx) -> Result<Dependents, ShopError> {
    let mut wanted = cx.wanted();
    for (name, state) in &kiln.spec.pots {
        wanted.add::<ConfigMap>(&named(name, &json!({ "data": { "state": state } })));
    }
    if let Some(door) = &kiln.spec.door {
        wanted.render(&DOORS, &json!({ "door": door }));
    }
    if let Some(key) = &kiln.spec.key {
        wanted.yaml(&format!(
            "{{ apiVersion: v1, kind: Secret, metadata: {{ name: {key} }}, stringData: {{ cut: a }} }}"
        ));
        wanted.add::<ServiceAccount>(&named(key, &json!({})));
    }
    Ok(cx.converge(wanted).await?)
}

#[reconciler(conditions = ShopCondition)]
pub(crate) async fn kiln(kiln: &Kiln, cx: &mut Pass<'_>) -> PassResult {
    fill(kiln, cx).await?;
    Ok(())
}

on_each_server!(
    a_config_map_is_ready_when_its_function_returns_current,
    the_response_of_a_write_counts_at_once,
    a_function_that_panics_leaves_the_object_in_progress,
    a_kind_known_by_text_has_its_function_instead_of_its_conditions
);

async fn start(world: &World) -> Running {
    world.install(&Kiln::crd()).await;
    world.install(&Part::crd()).await;
    world.operator::<kiln>(())
}

async fn create(world: &World, spec: Value) {
    let kiln =
        json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Kiln", "metadata": { "name": "a" }, "spec": spec });
    world.create::<Kiln>(kiln).await;
}

async fn set_state(world: &World, pot: &str, state: &str) {
    let annotations = json!({ "metadata": { "annotations": { "example.com/state": state } } });
    world.merge::<ConfigMap>(pot, annotations).await;
}

fn is_unhealthy(text: &str) -> impl Fn(&Value) -> bool + '_ {
    move |kiln| {
        condition(kiln, "Healthy").is_some_and(|one| one["status"] == "False")
            && message(kiln, "Healthy").ends_with(text)
    }
}

async fn a_config_map_is_ready_when_its_function_returns_current(world: World) -> World {
    let operator = start(&world).await;
    create(&world, json!({ "pots": { "jug": "raw" }, "key": "lock" })).await;
    let kiln = world.until::<Kiln>("a", "raw", is_unhealthy("it is raw")).await;
    let jug = format!("ConfigMap {}/jug", world.namespace);
    assert_eq!(reason(&kiln, "Healthy"), "DependentsProgressing");
    assert_eq!(message(&kiln, "Healthy"), format!("wave 0: 2 of 3 ready; {jug}: it is raw"));
    assert_eq!(condition(&kiln, "Applied").unwrap()["status"], "True");
    // The watch of the kind shows what others write.
    set_state(&world, "jug", "broken").await;
    let kiln = world.until::<Kiln>("a", "broken", is_unhealthy("it is cracked")).await;
    assert_eq!(reason(&kiln, "Healthy"), "DependentFailed");
    set_state(&world, "jug", "fired").await;
    world.until::<Kiln>("a", "ready", is_ready).await;
    operator.stop().await.unwrap();
    world
}

async fn the_response_of_a_write_counts_at_once(world: World) -> World {
    let operator = start(&world).await;
    world.quiet().await;
    world.wire.clear();
    create(&world, json!({ "pots": { "jug": "fired" } })).await;
    world.until::<Kiln>("a", "ready", is_ready).await;
    world.quiet().await;
    let once = ["PATCH kilns/a", "PATCH kilns/a/status", "PATCH configmaps/jug", "PATCH kilns/a/status"];
    assert_eq!(calls(&world), once, "in one pass: no event of the watch was needed");
    operator.stop().await.unwrap();
    world
}

async fn a_function_that_panics_leaves_the_object_in_progress(world: World) -> World {
    let operator = start(&world).await;
    create(&world, json!({ "pots": { "jug": "fired", "mug": "fired" } })).await;
    world.until::<Kiln>("a", "ready", is_ready).await;
    set_state(&world, "mug", "hot").await;
    let text = format!("ConfigMap {}/mug: the function `fired` of `ready(..)` panicked", world.namespace);
    let kiln = world.until::<Kiln>("a", "in progress", is_unhealthy(&text)).await;
    assert_eq!(reason(&kiln, "Healthy"), "DependentsProgressing");
    // The watch goes on, for this object and for the others.
    set_state(&world, "mug", "fired").await;
    world.until::<Kiln>("a", "ready", is_ready).await;
    set_state(&world, "jug", "broken").await;
    world.until::<Kiln>("a", "broken", is_unhealthy("it is cracked")).await;
    operator.stop().await.unwrap();
    world
}

async fn a_kind_known_by_text_has_its_function_instead_of_its_conditions(world: World) -> World {
    let operator = start(&world).await;
    create(&world, json!({ "door": "front" })).await;
    let kiln = world.until::<Kiln>("a", "open", is_unhealthy("it is open")).await;
    assert_eq!(reason(&kiln, "Healthy"), "DependentsProgressing");
    // kstatus would wait for Ready.
    super::shop::set_ready(&world, "front", "False").await;
    let annotations = json!({ "metadata": { "annotations": { "example.com/closed": "yes" } } });
    world.merge::<Part>("front", annotations).await;
    world.until::<Kiln>("a", "ready", is_ready).await;
    operator.stop().await.unwrap();
    world
}
