//! Components that are dependents of components.

use evenkeel::dependents::{Dependents, DependentsError};
use evenkeel::prelude::*;
use evenkeel_testkit::eventually;
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{SOON, Server, World};
use evenkeel_tests::widget::{condition, is_ready, message};
use kube::{CustomResource, CustomResourceExt, KubeSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Doll", namespaced, status = "DollStatus")]
pub(crate) struct DollSpec {
    /// The name of the doll in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    inner: Option<String>,
}

#[status(dependents)]
pub(crate) struct DollStatus {}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub(crate) enum DollCondition {
    /// The inner doll is there, and ready.
    #[condition(positive)]
    Filled,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
pub(crate) enum DollError {
    #[error(transparent)]
    #[class(transparent)]
    Dependents(#[from] DependentsError),
}

#[sub_reconciler(sets(on::Filled), dependents(Doll, empty = allow))]
async fn fill(doll: &Doll, cx: &mut Cx) -> Result<Dependents, DollError> {
    let mut wanted = cx.wanted();
    if let Some(inner) = &doll.spec.inner {
        wanted.add(&Doll::new(inner, DollSpec { inner: None }));
    }
    Ok(cx.converge(wanted).await?)
}

#[reconciler(conditions = DollCondition)]
pub(crate) async fn dolls(doll: &Doll, cx: &mut Pass<'_>) -> PassResult {
    fill(doll, cx).await?;
    Ok(())
}

on_each_server!(a_component_cannot_have_itself_or_an_owner_as_a_dependent);

async fn a_component_cannot_have_itself_or_an_owner_as_a_dependent(world: World) -> World {
    if world.server == Server::Full {
        // Before Kubernetes 1.22 the fields of a status and of a dependent are one entry of their field manager, which is the same here.
        return world;
    }
    world.install(&Doll::crd()).await;
    let operator = world.operator::<dolls>(());
    let doll = |name: &str, inner: &str| json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Doll", "metadata": { "name": name }, "spec": { "inner": inner } });
    world.create::<Doll>(doll("large", "middle")).await;
    world.until::<Doll>("large", "ready", is_ready).await;
    // What is not in the manifest of the large one stays.
    world.merge::<Doll>("middle", json!({ "spec": { "inner": "small" } })).await;
    eventually(SOON, || async { world.api::<Doll>().get_opt("small").await.unwrap() }).await;
    world.until::<Doll>("small", "ready", is_ready).await;
    world.merge::<Doll>("small", json!({ "spec": { "inner": "large" } })).await;
    let is_refused = |doll: &Value| condition(doll, "Filled").is_some_and(|one| one["reason"] == "ManifestInvalid");
    let small = world.until::<Doll>("small", "refused", is_refused).await;
    let object = format!("Doll.tests.evenkeel.dev {}/large: metadata.name: ", world.namespace);
    let why = "it is an owner of the component, so neither of them would get ready";
    assert_eq!(message(&small, "Filled"), format!("{object}{why}"));
    world.create::<Doll>(doll("mirror", "mirror")).await;
    let mirror = world.until::<Doll>("mirror", "refused", is_refused).await;
    assert!(message(&mirror, "Filled").ends_with("/mirror: metadata.name: it is the component itself"), "{mirror}");
    world.delete::<Doll>("large").await;
    for name in ["large", "middle", "small"] {
        world.until_gone::<Doll>(name).await;
    }
    operator.stop().await.unwrap();
    world
}
