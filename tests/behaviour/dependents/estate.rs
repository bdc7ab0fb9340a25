//! A kind whose sets contain what others may use, too: types with instances, and namespaces.

use std::collections::BTreeMap;

use evenkeel::dependents::{Dependents, DependentsError, Policies};
use evenkeel::prelude::*;
use evenkeel_testkit::eventually;
use evenkeel_tests::test_env::{Running, SOON, Server, World};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, DeleteParams, PostParams};
use kube::{CustomResource, CustomResourceExt, KubeSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Estate", namespaced, status = "EstateStatus")]
#[serde(rename_all = "camelCase")]
pub(crate) struct EstateSpec {
    /// Whether the set contains the type Room.
    #[serde(default)]
    pub(crate) has_type: bool,
    /// Whether no version of the type is served.
    #[serde(default)]
    pub(crate) is_unserved: bool,
    /// The delete policy of the type.
    #[serde(default)]
    pub(crate) type_policy: Option<String>,
    /// The rooms.
    #[serde(default)]
    pub(crate) rooms: Vec<String>,
    /// The namespaces.
    #[serde(default)]
    pub(crate) namespaces: Vec<String>,
    /// Config maps, each with its namespace.
    #[serde(default)]
    pub(crate) maps: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) policies: Option<Policies>,
}

#[status(dependents)]
pub(crate) struct EstateStatus {}

/// An instance of a type that is in the set.
#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "estate.tests.evenkeel.dev", version = "v1", kind = "Room", namespaced)]
pub(crate) struct RoomSpec {
    pub(crate) size: i32,
}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub(crate) enum EstateCondition {
    /// All objects are as wanted, and ready.
    #[condition(positive)]
    Applied,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
pub(crate) enum EstateError {
    #[error(transparent)]
    #[class(transparent)]
    Dependents(#[from] DependentsError),
}

#[sub_reconciler(
    sets(on::Applied),
    dependents(CustomResourceDefinition, Room, Namespace, ConfigMap, policies = spec.policies)
)]
async fn build(estate: &Estate, cx: &mut Cx) -> Result<Dependents, EstateError> {
    let mut wanted = cx.wanted();
    for room in &estate.spec.rooms {
        wanted.add(&Room::new(room, RoomSpec { size: 1 }));
    }
    if estate.spec.has_type {
        let mut definition = Room::crd();
        definition.spec.versions[0].served = !estate.spec.is_unserved;
        let policy = estate.spec.type_policy.clone();
        definition.metadata.annotations = policy.map(|policy| [("evenkeel.dev/delete-policy".into(), policy)].into());
        wanted.add(&definition);
    }
    for (map, namespace) in &estate.spec.maps {
        let mut object = ConfigMap::default();
        (object.metadata.name, object.metadata.namespace) = (Some(map.clone()), Some(namespace.clone()));
        wanted.add(&object);
    }
    for name in &estate.spec.namespaces {
        let mut object = Namespace::default();
        object.metadata.name = Some(name.clone());
        wanted.add(&object);
    }
    Ok(cx.converge(wanted).await?)
}

#[reconciler(conditions = EstateCondition)]
pub(crate) async fn estate(estate: &Estate, cx: &mut Pass<'_>) -> PassResult {
    build(estate, cx).await?;
    Ok(())
}

/// An operator for estates, which may use these namespaces, too.
pub(crate) async fn start(world: &World, others: &[&str]) -> Running {
    world.install(&Estate::crd()).await;
    let namespaces: Vec<&str> = others.iter().copied().chain([&*world.namespace]).collect();
    Running::start(world.prepare_in::<estate>(&namespaces, ()))
}

/// Creates an estate.
pub(crate) async fn found(world: &World, name: &str, spec: &Value) {
    let estate =
        json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Estate", "metadata": { "name": name }, "spec": spec });
    world.create::<Estate>(estate).await;
}

/// A namespace of this name.
pub(crate) async fn namespace(world: &World, name: &str) -> Option<Namespace> {
    Api::<Namespace>::all(world.client.clone()).get_opt(name).await.expect("it can be read")
}

/// Waits until a namespace is being deleted, and ends its deletion where no controller does.
pub(crate) async fn until_namespace_gone(world: &World, name: &str) {
    let all = Api::<Namespace>::all(world.client.clone());
    let is_deleted =
        || async { namespace(world, name).await.is_none_or(|one| one.metadata.deletion_timestamp.is_some()) };
    eventually(SOON, || async { is_deleted().await.then_some(()) }).await;
    if world.server != Server::InProcess
        && let Some(mut namespace) = namespace(world, name).await
    {
        namespace.spec = Some(k8s_openapi::api::core::v1::NamespaceSpec::default());
        let _ = all.replace_subresource("finalize", name, &PostParams::default(), &namespace).await;
    }
    eventually(SOON, || async { namespace(world, name).await.is_none().then_some(()) }).await;
}

/// Deletes a CRD that other tests of this server may have left.
pub(crate) async fn without_type(world: &World) {
    let crds = Api::<CustomResourceDefinition>::all(world.client.clone());
    let name = Room::crd().metadata.name.expect("a definition has a name");
    let _ = crds.delete(&name, &DeleteParams::default()).await;
    eventually(SOON, || async { crds.get_opt(&name).await.ok()?.is_none().then_some(()) }).await;
}
