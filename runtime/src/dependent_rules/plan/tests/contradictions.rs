//! Sets that are refused before anything is applied.

use super::*;

fn error(manifests: &[Value]) -> String {
    try_plan_with(manifests, OPTIONS).unwrap_err().to_string()
}

fn namespace(settings: &[(&str, &str)]) -> Value {
    manifest("v1", "Namespace", "a", settings)
}

#[test]
fn an_instance_is_applied_after_its_type_and_deleted_before_it() {
    let early = error(&[crd(&[("apply-order", "1")]), shop(&[])]);
    let expected = "Shop.example.com a/main: apply-order: 0 is before 1, the one of CustomResourceDefinition shops.example.com, which must exist first";
    assert_eq!(early, expected);
    let late = error(&[crd(&[]), shop(&[("delete-order", "1")])]);
    assert!(late.starts_with("Shop.example.com a/main: delete-order: 1 is after 0, "), "{late}");
    let left = error(&[crd(&[]), shop(&[("delete-policy", "orphan-on-delete")])]);
    assert!(left.starts_with("Shop.example.com a/main: delete-policy: it is `orphan-on-delete`, but Custom"), "{left}");
    plan(&[crd(&[("delete-policy", "orphan")]), shop(&[("delete-policy", "orphan-on-apply"), ("apply-order", "3")])]);
}

#[test]
fn content_is_applied_after_its_namespace_and_deleted_before_it() {
    let early = error(&[namespace(&[]), config("x", &[("apply-order", "-1")])]);
    assert!(early.starts_with("ConfigMap a/x: apply-order: -1 is before 0, the one of Namespace a,"), "{early}");
    let late = error(&[namespace(&[("delete-order", "-2")]), config("x", &[])]);
    assert!(late.starts_with("ConfigMap a/x: delete-order: 0 is after -2, "), "{late}");
    plan(&[manifest("v1", "Namespace", "b", &[("apply-order", "5")]), config("x", &[])]);
}

#[test]
fn some_settings_are_not_possible_for_a_kind() {
    for kind in [namespace(&[("purge-order", "0")]), crd(&[("purge-order", "0")])] {
        assert!(error(&[kind]).contains(": purge-order: it is not possible"));
    }
    let purged = manifest("v1", "PersistentVolumeClaim", "x", &[("update-policy", "recreate")]);
    assert!(error(&[purged]).contains("update-policy: this object is never recreated"));
    assert!(error(&[config("x", &[("delete-policy", "delete-with-content")])]).contains("for Namespaces only"));
    plan(&[namespace(&[("delete-policy", "delete-with-content")]), config("x", &[("delete-policy", "orphan")])]);
}

#[test]
fn a_set_whose_volumes_are_deleted_with_it_is_never_recreated() {
    let set = |when_deleted: &str| {
        let mut set = manifest("apps/v1", "StatefulSet", "db", &[("update-policy", "recreate")]);
        set["spec"] = json!({ "persistentVolumeClaimRetentionPolicy": { "whenDeleted": when_deleted } });
        set
    };
    plan(&[set("Retain")]);
    assert!(error(&[set("Delete")]).contains("this object is never recreated"));
}

#[test]
fn what_answers_a_conversion_webhook_is_deleted_after_the_crd() {
    let mut converted = crd(&[("delete-order", "1")]);
    let called = json!({ "service": { "name": "hooks", "namespace": "a" } });
    converted["spec"]["conversion"] = json!({ "strategy": "Webhook", "webhook": { "clientConfig": called } });
    let mut service = manifest("v1", "Service", "hooks", &[("delete-order", "1")]);
    service["spec"] = json!({ "selector": { "app": "hooks" } });
    let pods = |name: &str, app: &str, settings: &[(&str, &str)]| {
        let mut pods = manifest("apps/v1", "Deployment", name, settings);
        pods["spec"] = json!({ "template": { "metadata": { "labels": { "app": app } } } });
        pods
    };
    let last = [("delete-order", "2")];
    plan(&[converted.clone(), service.clone(), pods("hooks", "hooks", &last), pods("other", "other", &[])]);
    let early = error(&[converted.clone(), service.clone(), pods("hooks", "hooks", &[])]);
    assert!(early.starts_with("Deployment a/hooks: delete-order: 0 is before 1, the one of CustomResource"), "{early}");
    service["metadata"]["annotations"] = json!({});
    let early = error(&[converted, service, pods("hooks", "hooks", &last)]);
    assert!(early.starts_with("Service a/hooks: delete-order: 0 is before 1, "), "{early}");
}

#[test]
fn a_default_recreates_nothing_that_contains_other_objects() {
    let policies = Policies { update: Some("recreate".parse().unwrap()), ..Policies::default() };
    let options = PlanOptions { policies, ..OPTIONS };
    let all = [crd(&[]), shop(&[]), namespace(&[]), config("x", &[])];
    let updates =
        try_plan_with(&all, options).unwrap().items.into_iter().map(|one| (one.id.kind, one.settings.update.as_str()));
    let expected =
        [("Namespace", "apply"), ("CustomResourceDefinition", "apply"), ("ConfigMap", "recreate"), ("Shop", "apply")];
    assert_eq!(updates.collect::<Vec<_>>(), expected.map(|(kind, update)| (kind.to_owned(), update)));
    let own = [crd(&[]), shop(&[("update-policy", "recreate")])];
    assert_eq!(try_plan_with(&own, options).unwrap().items[1].settings.update.as_str(), "recreate");
}

#[test]
fn an_object_is_wanted_once_whatever_its_version() {
    let twice = error(&[manifest("x.io/v1", "Foo", "a", &[]), manifest("x.io/v2", "Foo", "a", &[])]);
    assert_eq!(
        twice,
        "Foo.x.io a/a: metadata.name: two manifests have it, as x.io/v1/Foo and as x.io/v2/Foo; remove one"
    );
    plan(&[manifest("x.io/v1", "Foo", "a", &[]), manifest("y.io/v1", "Foo", "a", &[])]);
}

#[test]
fn the_number_of_objects_is_limited() {
    let all: Vec<_> = (0..101).map(|i| config(&format!("c{i}"), &[])).collect();
    assert_eq!(error(&all), "the set: objects: there are 101, and 100 are allowed; write `limit = 101`");
    let purged: Vec<_> = (0..501).map(|i| config(&format!("c{i}"), &[("purge-order", "0")])).collect();
    let error = try_plan_with(&purged, PlanOptions { limit: 1000, ..OPTIONS }).unwrap_err().to_string();
    assert!(error.ends_with("501 objects have a purge order; 500 are possible"), "{error}");
}
