//! The order of the objects of a plan.

use super::*;

fn names(plan: &Plan) -> Vec<&str> {
    plan.items.iter().map(|item| item.id.name.as_str()).collect()
}

#[test]
fn fault_26_objects_are_sorted_by_wave_part_and_rank() {
    let webhook = |name: &str, service: &str| {
        let mut webhook = manifest("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", name, &[]);
        webhook["webhooks"] = json!([{ "clientConfig": { "service": { "name": service, "namespace": "a" } } }]);
        webhook
    };
    let api = manifest("apiregistration.k8s.io/v1", "APIService", "v1.metrics", &[]);
    let plan = plan(&[
        shop(&[]),
        webhook("own", "hooks"),
        api,
        manifest("v1", "Service", "hooks", &[]),
        config("first", &[("apply-order", "-1")]),
        webhook("foreign", "elsewhere"),
        config("data", &[]),
        crd(&[]),
        manifest("v1", "Namespace", "b", &[]),
        config("last", &[("apply-order", "1")]),
    ]);
    let expected = ["first", "b", "foreign", "shops.example.com", "data", "hooks", "own", "v1.metrics", "main", "last"];
    assert_eq!(names(&plan), expected);
    assert_eq!(plan.waves().collect::<Vec<_>>(), [-1, 0, 1]);
}

#[test]
fn declared_types_count_as_managed() {
    let patterns = ["*.crossplane.io/*".parse().unwrap()];
    let bucket = manifest("s3.aws.crossplane.io/v1", "Bucket", "data", &[]);
    let options = PlanOptions { manages: &patterns, ..OPTIONS };
    assert_eq!(try_plan_with(std::slice::from_ref(&bucket), options).unwrap().items[0].part, Part::Instance);
    assert_eq!(plan(&[bucket]).items[0].part, Part::Normal);
}

#[test]
fn the_digest_changes_with_any_object() {
    let one = plan(&[config("a", &[]), config("b", &[])]).digest;
    assert_eq!(plan(&[config("a", &[]), config("b", &[])]).digest, one);
    assert_ne!(plan(&[config("a", &[])]).digest, one);
    assert_ne!(plan(&[config("a", &[]), config("b", &[("delete-policy", "orphan")])]).digest, one);
}

#[test]
fn a_change_of_the_component_counts_where_the_policy_says_so() {
    let content = |policy: &str, component| {
        let options = PlanOptions { component, ..OPTIONS };
        try_plan_with(&[config("a", &[("reconcile-policy", policy)])], options).unwrap().items[0].applied.content
    };
    assert_eq!(content("on-object-change", "1"), content("on-object-change", "2"));
    assert_ne!(content("on-object-or-component-change", "1"), content("on-object-or-component-change", "2"));
}

#[test]
fn objects_applied_together_are_due_at_different_times() {
    let settings = [("reapply-interval", "100s")];
    let objects: Vec<_> = (0..50).map(|i| config(&format!("c{i}"), &settings)).collect();
    let plan = plan(&objects);
    let due = |seconds| plan.items.iter().filter(|item| item.is_reapply_due(Duration::from_secs(seconds))).count();
    assert_eq!((due(49), due(100)), (0, 50));
    assert!((10..=40).contains(&due(75)), "{}", due(75));
}
