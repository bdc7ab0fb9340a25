//! The next calls for the wanted objects.

use std::collections::BTreeMap;

use super::*;
use crate::dependent_rules::policy::UpdatePolicy;

/// The objects in the cluster, by name.
type Objects = BTreeMap<String, LiveObject>;

/// All objects of the plan, ready.
fn all_ready(plan: &Plan) -> Objects {
    plan.items.iter().map(|item| (item.id.name.clone(), ready(item))).collect()
}

fn next<'m>(plan: &Plan, objects: &'m Objects, completed: &[&str]) -> Stage<'m> {
    let live = |item: &Item| objects.get(&item.id.name).map_or(Live::Absent, Live::Object);
    stage(plan, &live, &|item| completed.contains(&item.id.name.as_str()))
}

/// The names of the objects with actions.
fn acts<'p>(plan: &'p Plan, stage: &Stage<'_>) -> Vec<(&'p str, Action)> {
    stage.actions.iter().map(|(i, action)| (plan.items[*i].id.name.as_str(), *action)).collect()
}

#[test]
fn a_wave_starts_when_the_one_before_is_ready() {
    let plan = plan(&[config("a", &[]), config("b", &[("apply-order", "1")])]);
    let mut objects = Objects::new();
    assert_eq!(acts(&plan, &next(&plan, &objects, &[])), [("a", Action::Create)]);
    for status in [ObjectStatus::InProgress("x".into()), ObjectStatus::Failed("x".into())] {
        objects.insert("a".into(), LiveObject { status, ..ready(&plan.items[0]) });
        let stage = next(&plan, &objects, &[]);
        assert_eq!((stage.wave, stage.actions.len(), stage.waits.len()), (Some(0), 0, 1));
    }
    objects.insert("a".into(), ready(&plan.items[0]));
    assert_eq!(acts(&plan, &next(&plan, &objects, &[])), [("b", Action::Create)]);
    assert!(next(&plan, &all_ready(&plan), &[]).is_done());
}

#[test]
fn an_instance_waits_for_its_type() {
    let plan = plan(&[shop(&[]), crd(&[])]);
    let mut objects = Objects::new();
    assert_eq!(acts(&plan, &next(&plan, &objects, &[])), [("shops.example.com", Action::Create)]);
    objects.insert("shops.example.com".into(), ready(&plan.items[0]));
    assert_eq!(acts(&plan, &next(&plan, &objects, &[])), [("main", Action::Create)]);
}

#[test]
fn a_changed_object_is_updated_by_its_policy() {
    for (policy, on_change, on_drift) in [
        ("apply", Action::Update(Method::Apply), Method::Apply),
        ("apply-or-recreate", Action::Update(Method::ApplyOrRecreate), Method::Apply),
        ("override", Action::Update(Method::Override), Method::Override),
        ("replace", Action::Update(Method::Replace), Method::Replace),
        ("recreate", Action::Recreate, Method::Apply),
    ] {
        let settings = [("update-policy", policy), ("reapply-interval", "60s")];
        let mut manifest = config("a", &settings);
        let old = plan(&[manifest.clone()]);
        manifest["data"] = json!({ "x": "y" });
        let new = plan(&[manifest]);
        assert_eq!(acts(&new, &next(&new, &all_ready(&old), &[])), [("a", on_change)], "{policy}");
        let drifted = LiveObject { has_drifted: true, ..ready(&old.items[0]) };
        let due = LiveObject { age: Duration::from_secs(60), ..ready(&old.items[0]) };
        let unknown = LiveObject { applied: None, ..ready(&old.items[0]) };
        for object in [drifted, due, unknown] {
            let objects = Objects::from([("a".into(), object)]);
            assert_eq!(acts(&old, &next(&old, &objects, &[])), [("a", Action::Update(on_drift))], "{policy}");
        }
    }
    assert_eq!(UpdatePolicy::ALL.len(), 5, "all of them are here");
}

#[test]
fn a_changed_setting_recreates_nothing() {
    let old = plan(&[config("a", &[("update-policy", "recreate")])]);
    let new = plan(&[config("a", &[("update-policy", "recreate"), ("delete-policy", "orphan")])]);
    let objects = all_ready(&old);
    let stage = next(&new, &objects, &[]);
    assert_eq!(stage.actions, [(0, Action::Update(Method::Apply))]);
}

#[test]
fn an_object_with_policy_once_is_never_updated() {
    let mut manifest = config("a", &[("reconcile-policy", "once")]);
    let old = plan(&[manifest.clone()]);
    manifest["data"] = json!({ "x": "y" });
    let new = plan(&[manifest]);
    let drifted = LiveObject { has_drifted: true, age: Duration::from_secs(1_000_000), ..ready(&old.items[0]) };
    assert!(next(&new, &Objects::from([("a".into(), drifted)]), &[]).is_done());
    assert_eq!(next(&new, &Objects::new(), &[]).actions, [(0, Action::Create)]);
}

#[test]
fn an_object_that_is_being_deleted_is_left_alone() {
    let mut manifest = config("a", &[]);
    let old = plan(&[manifest.clone()]);
    manifest["data"] = json!({ "x": "y" });
    let new = plan(&[manifest]);
    let objects = Objects::from([("a".into(), LiveObject { is_deleted: true, ..ready(&old.items[0]) })]);
    let stage = next(&new, &objects, &[]);
    assert_eq!((stage.actions.len(), stage.waits), (0, vec![(0, Wait::Terminating)]));
}

#[test]
fn drift_is_corrected_whatever_the_wave() {
    let plan = plan(&[config("a", &[]), config("b", &[("apply-order", "1")]), config("c", &[("apply-order", "1")])]);
    let mut objects = all_ready(&plan);
    objects.get_mut("a").unwrap().status = ObjectStatus::InProgress("x".into());
    objects.get_mut("b").unwrap().has_drifted = true;
    objects.remove("c");
    let stage = next(&plan, &objects, &[]);
    assert_eq!(acts(&plan, &stage), [("b", Action::Update(Method::Apply))], "c is created in its wave");
    assert_eq!((stage.wave, stage.waits.len()), (Some(0), 1));
}

#[test]
fn a_purged_object_is_recorded_before_it_is_deleted() {
    let job = |order| manifest("batch/v1", "Job", "job", &[("purge-order", order)]);
    let plan = plan(&[job("1"), config("b", &[("apply-order", "1")]), config("c", &[("apply-order", "2")])]);
    let mut objects = all_ready(&plan);
    objects.remove("b");
    assert_eq!(acts(&plan, &next(&plan, &objects, &[])), [("b", Action::Create)], "wave 1 is not ready");
    objects.insert("b".into(), ready(&plan.items[1]));
    objects.remove("c");
    assert_eq!(acts(&plan, &next(&plan, &objects, &[])), [("job", Action::Record)]);
    assert_eq!(acts(&plan, &next(&plan, &objects, &["job"])), [("job", Action::Purge)]);
    objects.get_mut("job").unwrap().is_deleted = true;
    let stage = next(&plan, &objects, &["job"]);
    assert_eq!((stage.actions.len(), stage.waits.len()), (0, 1), "its end is waited for");
    objects.remove("job");
    assert_eq!(acts(&plan, &next(&plan, &objects, &["job"])), [("c", Action::Create)]);
}

#[test]
fn a_purge_order_may_be_the_number_of_no_wave() {
    for order in ["-3", "7"] {
        let job = manifest("batch/v1", "Job", "job", &[("purge-order", order)]);
        let plan = plan(&[job]);
        assert_eq!(next(&plan, &all_ready(&plan), &[]).actions, [(0, Action::Record)], "no wave has the number");
    }
    let job = manifest("batch/v1", "Job", "job", &[("purge-order", "-3"), ("apply-order", "2")]);
    let plan = plan(&[config("a", &[]), job]);
    assert_eq!(acts(&plan, &next(&plan, &all_ready(&plan), &[])), [("job", Action::Record)]);
    assert!(next(&plan, &Objects::from([("a".into(), ready(&plan.items[0]))]), &["job"]).is_done());
}

#[test]
fn a_refused_object_does_not_stop_the_others_of_its_part() {
    let plan = plan(&[config("a", &[]), config("b", &[]), config("c", &[("apply-order", "1")])]);
    let live = |item: &Item| if item.id.name == "a" { Live::Refused } else { Live::Absent };
    let stage = stage(&plan, &live, &|_| false);
    assert_eq!(acts(&plan, &stage), [("b", Action::Create)]);
    assert_eq!(stage.waits, [(0, Wait::Refused)]);
}
