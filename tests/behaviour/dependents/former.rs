//! Objects that a component of SAP's component reconciler created, taken over in place.

use evenkeel::dependents::{Dependents, DependentsError};
use evenkeel::prelude::*;
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::World;
use evenkeel_tests::widget::{condition, is_ready, message};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::api::PostParams;
use kube::{Api, CustomResource, CustomResourceExt, KubeSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::shop::calls;

/// The name of the earlier operator: its field manager, and the prefix of its marks.
const FORMER: &str = "heir-operator.example.com";

#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Heir", namespaced, status = "HeirStatus")]
pub(crate) struct HeirSpec {
    /// The names of its config maps.
    maps: Vec<String>,
}

#[status(dependents)]
pub(crate) struct HeirStatus {}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub(crate) enum HeirCondition {
    /// All objects are as wanted, and ready.
    #[condition(positive)]
    Applied,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
pub(crate) enum HeirError {
    #[error(transparent)]
    #[class(transparent)]
    Dependents(#[from] DependentsError),
}

#[sub_reconciler(
    sets(on::Applied),
    dependents(
        ConfigMap,
        adopt = never,
        previously(field_managers("heir-operator.example.com"), marks("heir-operator.example.com"))
    )
)]
async fn inherit(heir: &Heir, cx: &mut Cx) -> Result<Dependents, HeirError> {
    let mut wanted = cx.wanted();
    for name in &heir.spec.maps {
        let mut map = ConfigMap::default();
        map.metadata.name = Some(name.clone());
        map.data = Some([("kept".to_owned(), "1".to_owned())].into());
        wanted.add(&map);
    }
    Ok(cx.converge(wanted).await?)
}

#[reconciler(conditions = HeirCondition)]
pub(crate) async fn heir(heir: &Heir, cx: &mut Pass<'_>) -> PassResult {
    inherit(heir, cx).await?;
    Ok(())
}

on_each_server!(
    objects_of_a_component_of_sap_are_taken_over_in_place,
    an_object_of_another_component_of_sap_is_in_the_way
);

/// A config map that the earlier operator created for a component of this name.
async fn leave(world: &World, name: &str, component: &str) -> ConfigMap {
    let cluster = Api::<Namespace>::all(world.client.clone()).get("kube-system").await.unwrap().metadata.uid.unwrap();
    let owner = format!("{cluster}/{}/{component}", world.namespace);
    let map = json!({ "metadata": { "name": name,
        "labels": { format!("{FORMER}/owner-id"): base32(&Sha256::digest(&owner)) },
        "annotations": { format!("{FORMER}/owner-id"): owner, format!("{FORMER}/digest"): "abc" } },
        "data": { "kept": "1", "dropped": "1" } });
    let params = PostParams { field_manager: Some(FORMER.into()), ..PostParams::default() };
    world.api::<ConfigMap>().create(&params, &serde_json::from_value(map).unwrap()).await.unwrap()
}

/// Base32 by RFC 4648 in lower case, without padding.
fn base32(bytes: &[u8]) -> String {
    let bits: String = bytes.iter().map(|byte| format!("{byte:08b}")).collect();
    let letter = |at: usize| {
        let bits = format!("{:0<5}", &bits[at..bits.len().min(at + 5)]);
        "abcdefghijklmnopqrstuvwxyz234567".chars().nth(usize::from_str_radix(&bits, 2).unwrap()).unwrap()
    };
    (0..bits.len()).step_by(5).map(letter).collect()
}

async fn create(world: &World, maps: &[&str]) {
    let heir = json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Heir", "metadata": { "name": "a" },
        "spec": { "maps": maps } });
    world.create::<Heir>(heir).await;
}

async fn objects_of_a_component_of_sap_are_taken_over_in_place(world: World) -> World {
    world.install(&Heir::crd()).await;
    let (wanted, others) = (leave(&world, "wanted", "a").await, leave(&world, "others", "b").await);
    leave(&world, "redundant", "a").await;
    let operator = world.operator::<heir>(());
    create(&world, &["wanted", "new"]).await;
    world.until::<Heir>("a", "ready", is_ready).await;
    world.until_gone::<ConfigMap>("redundant").await;
    // The object is the same, without the field that the manifest does not have and without the former marks.
    let map = world.api::<ConfigMap>().get("wanted").await.unwrap();
    assert_eq!(map.metadata.uid, wanted.metadata.uid);
    assert_eq!(map.data, Some([("kept".to_owned(), "1".to_owned())].into()));
    let is_former = |key: &String| key.starts_with(FORMER);
    assert!(
        !map.metadata.labels.unwrap().keys().any(is_former) && !map.metadata.annotations.unwrap().keys().any(is_former)
    );
    let managers = map.metadata.managed_fields.unwrap();
    assert!(managers.iter().all(|entry| entry.manager.as_deref() != Some(FORMER)), "{managers:?}");
    let untouched = world.api::<ConfigMap>().get("others").await.unwrap();
    assert_eq!(untouched.metadata.resource_version, others.metadata.resource_version);
    // It is done once.
    world.quiet().await;
    let lists = || world.wire.calls().iter().filter(|call| call.query.contains("owner-id")).count();
    assert_eq!(lists(), 1);
    world.merge::<Heir>("a", json!({ "spec": { "maps": ["wanted"] } })).await;
    world.until_gone::<ConfigMap>("new").await;
    assert_eq!(lists(), 1);
    world.delete::<Heir>("a").await;
    world.until_gone::<Heir>("a").await;
    assert!(world.api::<ConfigMap>().get_opt("wanted").await.unwrap().is_none());
    operator.stop().await.unwrap();
    world
}

async fn an_object_of_another_component_of_sap_is_in_the_way(world: World) -> World {
    world.install(&Heir::crd()).await;
    let others = leave(&world, "others", "b").await;
    let operator = world.operator::<heir>(());
    create(&world, &["others"]).await;
    let is_foreign =
        |heir: &Value| condition(heir, "Applied").is_some_and(|applied| applied["reason"] == "DependentForeign");
    let heir = world.until::<Heir>("a", "foreign", is_foreign).await;
    assert!(message(&heir, "Applied").contains("belongs to the component "), "{heir}");
    world.quiet().await;
    assert!(!calls(&world).iter().any(|call| call.starts_with("DELETE")), "{:?}", calls(&world));
    let untouched = world.api::<ConfigMap>().get("others").await.unwrap();
    assert_eq!(untouched.metadata.resource_version, others.metadata.resource_version);
    operator.stop().await.unwrap();
    world
}
