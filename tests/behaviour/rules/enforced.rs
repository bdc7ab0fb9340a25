//! The API server enforces the rules of the CRD.

use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{Server, World};
use kube::api::{Patch, PatchParams, PostParams};
use serde_json::{Value, json};

use super::kind::Depot;
use super::printed::operator;

on_each_server!(
    a_refusal_has_the_message_the_reason_and_the_field,
    a_rule_with_an_old_value_is_checked_at_changes,
    a_rule_below_an_option_is_checked_where_there_is_a_value,
    renamed_fields_and_null_are_read,
);

/// Installs the CRD with rules: the same for all tests, since it belongs to the whole server. Kubernetes 1.20 has no rules, and refuses them in
/// server-side apply.
async fn installed(world: &World) -> bool {
    if world.server == Server::Full {
        return false;
    }
    world.install(&operator().definitions()[0]).await;
    true
}

#[expect(clippy::needless_pass_by_value, reason = "reads as a sentence with json!")]
fn a_depot(name: &str, spec: Value) -> Value {
    let mut object = json!({
        "apiVersion": "rules.tests.evenkeel.dev/v1", "kind": "Depot", "metadata": { "name": name },
        "spec": { "url": "https://a", "replicas": 1, "namespace": "b" },
    });
    object["spec"].as_object_mut().unwrap().extend(spec.as_object().unwrap().clone());
    object
}

/// The causes of a refused creation.
async fn causes(world: &World, object: Value) -> Vec<String> {
    // Created from raw JSON: null and an absent field differ.
    let resource = kube::core::ApiResource::erase::<Depot>(&());
    let api =
        kube::Api::<kube::core::DynamicObject>::namespaced_with(world.client.clone(), &world.namespace, &resource);
    let object = serde_json::from_value(object).unwrap();
    listed(api.create(&PostParams::default(), &object).await.unwrap_err())
}

fn listed(error: kube::Error) -> Vec<String> {
    let kube::Error::Api(status) = error else { panic!("{error}") };
    assert_eq!(status.code, 422, "{status:?}");
    let causes = status.details.clone().unwrap().causes;
    causes.iter().map(|cause| format!("{} {}: {}", cause.reason, cause.field, cause.message)).collect()
}

async fn a_refusal_has_the_message_the_reason_and_the_field(world: World) -> World {
    if installed(&world).await {
        world.create::<Depot>(a_depot("a", json!({ "secret": { "name": "b" } }))).await;
        let refused = causes(&world, a_depot("b", json!({ "secret": { "name": "b" }, "serviceAccount": "c" }))).await;
        assert_eq!(refused, ["FieldValueForbidden spec.serviceAccount: Forbidden: A depot has one login"]);
    }
    world
}

async fn a_rule_with_an_old_value_is_checked_at_changes(world: World) -> World {
    if installed(&world).await {
        world.create::<Depot>(a_depot("a", json!({ "limits": { "cpu": 2, "memory": 5 } }))).await;
        let patch = Patch::Merge(json!({ "spec": { "url": "https://b", "limits": { "cpu": 1 } } }));
        let refused = listed(world.api::<Depot>().patch("a", &PatchParams::default(), &patch).await.unwrap_err());
        assert_eq!(refused.len(), 2, "{refused:?}");
        assert_eq!(refused[0], "FieldValueInvalid spec.url: Invalid value: the URL cannot be changed");
        assert!(refused[1].starts_with("FieldValueInvalid spec.limits: Invalid value: "), "{refused:?}");
        let patch = Patch::Merge(json!({ "spec": { "limits": { "cpu": 3 } } }));
        world.api::<Depot>().patch("a", &PatchParams::default(), &patch).await.unwrap();
    }
    world
}

async fn a_rule_below_an_option_is_checked_where_there_is_a_value(world: World) -> World {
    if installed(&world).await {
        for (name, secret) in
            [("a", json!(null)), ("b", json!({ "name": "a", "key": "" })), ("c", json!({ "name": "b" }))]
        {
            world.create::<Depot>(a_depot(name, json!({ "secret": secret }))).await;
        }
        for secret in [json!({ "name": "a" }), json!({ "name": "a", "key": null })] {
            let refused = causes(&world, a_depot("d", json!({ "secret": secret }))).await;
            assert_eq!(
                refused,
                ["FieldValueRequired spec.secret.key: Required value: The login of a depot is complete"]
            );
        }
    }
    world
}

async fn renamed_fields_and_null_are_read(world: World) -> World {
    if installed(&world).await {
        // Without a `b` or a final `c`, one of the other conditions must hold: a size of 3, or a long account.
        let login = json!({ "name": "b", "key": "a" });
        let spec = |more: Value| {
            let mut spec = json!({ "namespace": null, "secret": login });
            spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            spec
        };
        for more in [json!({ "max-size": 2 }), json!({ "max-size": null }), json!({ "namespace": "a" })] {
            let refused = causes(&world, a_depot("a", spec(more))).await;
            assert!(refused.len() == 1 && refused[0].contains("failed rule"), "{refused:?}");
        }
        for (name, more) in
            [("b", json!({ "max-size": 3 })), ("c", json!({ "namespace": "ab" })), ("d", json!({ "namespace": "c" }))]
        {
            world.create::<Depot>(a_depot(name, spec(more))).await;
        }
    }
    world
}
