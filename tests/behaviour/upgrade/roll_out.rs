//! A roll-out in all its steps: the new CRD, both programs at once, the hand-over, the migration, and a start of the old program.

use evenkeel::Operator;
use evenkeel::operator::Reason;
use evenkeel_testkit::eventually;
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{Running, SOON, World};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Api;
use kube::api::{ApiResource, DynamicObject, GroupVersionKind, PostParams};
use serde_json::{Value, json};

use super::programs::{CRD, new, old};

// One case, since a CRD is part of the whole cluster.
on_each_server!(a_roll_out_with_a_new_storage_version);

fn shelves(world: &World, version: &str) -> Api<DynamicObject> {
    let kind = GroupVersionKind::gvk("upgrade.tests.evenkeel.dev", version, "Shelf");
    let resource = ApiResource::from_gvk_with_plural(&kind, "shelves");
    Api::namespaced_with(world.client.clone(), &world.namespace, &resource)
}

async fn create(world: &World, name: &str) {
    let object = json!({
        "apiVersion": "upgrade.tests.evenkeel.dev/v1alpha1", "kind": "Shelf", "metadata": { "name": name }, "spec": { "width": 80 },
    });
    let object: DynamicObject = serde_json::from_value(object).unwrap();
    shelves(world, "v1alpha1").create(&PostParams::default(), &object).await.unwrap();
}

/// Waits until this program has reconciled the object.
async fn until_reconciled(world: &World, name: &str, program: &str) {
    eventually(SOON, || async {
        let found = shelves(world, "v1alpha1").get(name).await.ok()?;
        (found.data["status"]["program"] == program).then_some(())
    })
    .await;
}

async fn stored_versions(world: &World) -> Value {
    let definition = Api::<CustomResourceDefinition>::all(world.client.clone()).get(CRD).await.unwrap();
    json!(definition.status.unwrap().stored_versions)
}

async fn migrate(operator: Operator) -> (u8, String) {
    let mut out = Vec::new();
    let code = operator.cluster_command(["migrate"], &mut out).await.unwrap();
    (code, String::from_utf8(out).unwrap())
}

async fn a_roll_out_with_a_new_storage_version(world: World) -> World {
    let (client, namespace) = (world.client.clone(), world.namespace.clone());
    world.install(&old(client.clone(), &namespace).definitions()[0]).await;
    let before = Running::start(old(client.clone(), &namespace));
    create(&world, "first").await;
    until_reconciled(&world, "first", "old, 80 cm").await;
    let version = async || shelves(&world, "v1").get("first").await.unwrap().metadata.resource_version;

    // The CRD comes first, then the new pods, as standby of the old ones.
    let (operator, target) = new(client.clone(), &namespace);
    world.install(&operator.definitions_calling(&target)[0]).await;
    let after = Running::start(operator);
    eventually(SOON, || async { shelves(&world, "v1").get("first").await.ok() }).await;
    assert_eq!(stored_versions(&world).await, json!(["v1alpha1", "v1"]));
    create(&world, "second").await;
    until_reconciled(&world, "second", "old, 80 cm").await;
    assert_eq!(shelves(&world, "v1").get("second").await.unwrap().data["spec"], json!({ "widthMillimetres": 800 }));

    // The old pods go, and the new program works.
    before.stop().await.unwrap();
    for name in ["first", "second"] {
        until_reconciled(&world, name, "new, 800 mm").await;
    }

    // The old program does not start again, since nothing would convert what is stored.
    let refused = old(client.clone(), &namespace).run_until(std::future::pending()).await.unwrap_err();
    assert_eq!(refused.reason(), Reason::TooOld);
    let wanted =
        format!("objects of {CRD} may be stored in v1, which this program does not know: it is older than its CRD");
    assert!(refused.to_string().starts_with(&wanted), "{refused}");

    let unmigrated = version().await;
    let (code, text) = migrate(new(client.clone(), &namespace).0).await;
    let wanted = format!("{CRD}: 2 objects written in v1; no object is stored in v1alpha1 any more\n");
    assert_eq!((code, text), (0, wanted));
    assert_eq!(stored_versions(&world).await, json!(["v1"]));
    // The new program has written both objects in v1 by its status, so nothing changed.
    assert_eq!(version().await, unmigrated);
    let (code, text) = migrate(new(client, &namespace).0).await;
    assert_eq!((code, text), (0, format!("{CRD}: all objects are stored in v1 already\n")));
    after.stop().await.unwrap();
    world
}
