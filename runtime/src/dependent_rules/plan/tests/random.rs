//! Random lives of a set: whatever happens on the way, the cluster is in the end as the last set says.

use evenkeel_random_cases::{Choices, each};

use super::world::{Next, World};
use super::*;

/// The settings of an object that contradict nothing.
fn settings(choices: &mut Choices, is_contained: bool) -> Vec<(&'static str, &'static str)> {
    let mut all = Vec::new();
    if is_contained {
        all.extend([
            ("apply-order", choices.pick(&["0", "1", "2"])),
            ("delete-order", choices.pick(&["0", "-1", "-2"])),
        ]);
    }
    all.push(("update-policy", if is_contained { choices.pick(&["apply", "recreate", "replace"]) } else { "apply" }));
    if choices.chance(0.2) {
        all.push(("reconcile-policy", "once"));
    }
    all
}

fn objects(choices: &mut Choices) -> Vec<Value> {
    let mut all = Vec::new();
    for name in ["x", "y", "z"] {
        if choices.chance(0.6) {
            let mut own = settings(choices, true);
            if choices.chance(0.3) {
                own.push(("purge-order", choices.pick(&["0", "1", "2"])));
            } else if choices.chance(0.3) {
                own.push(("delete-policy", choices.pick(&["orphan-on-apply", "orphan-on-delete", "orphan"])));
            }
            let mut config = config(name, &own);
            config["metadata"]["namespace"] = json!("elsewhere");
            config["data"] = json!({ "value": choices.range(0..3_u8) });
            all.push(config);
        }
    }
    if choices.chance(0.5) {
        all.push(manifest("v1", "Namespace", "a", &[]));
    }
    if choices.chance(0.5) {
        all.push(crd(&settings(choices, false)));
        let mut shop = shop(&settings(choices, true));
        shop["spec"] = json!(choices.range(0..2_u8));
        all.push(shop);
    }
    choices.shuffle(&mut all);
    all
}

/// Rolls out some sets in a row, and deletes the component in the end.
fn life(choices: &mut Choices, next: Next) -> Result<(), String> {
    let mut world = World::default();
    let mut plan = plan(&[]);
    for _ in 0..choices.range(1..4_u8) {
        plan = try_plan_with(&objects(choices), OPTIONS).map_err(|error| error.to_string())?;
        for _ in 0..choices.range(0..12_u8) {
            if choices.chance(0.5) {
                world.disturb(choices);
            } else {
                world.pass(&plan, next, choices)?;
            }
        }
        let mut quiet = false;
        for _ in 0..60 {
            world.settle();
            quiet = world.pass(&plan, next, choices)? || quiet;
        }
        if !quiet {
            return Err("the set never gets ready".into());
        }
        world.check(&plan)?;
    }
    plan.items.clear();
    for _ in 0..60 {
        world.settle();
        world.remove(&plan, RemovalReason::ComponentDeleted)?;
    }
    world.settle();
    if world.live.is_empty() { Ok(()) } else { Err(format!("left: {:?}", world.live)) }
}

#[test]
fn every_life_ends_with_the_last_set() {
    each(300, |choices| {
        let ended = life(choices, |plan, live, completed| stage(plan, live, completed));
        assert_eq!(ended, Ok(()));
    });
}

/// The first error that the lives find.
fn found(next: Next) -> String {
    let mut errors = (0..300).filter_map(|seed| life(&mut Choices::of(seed), next).err());
    errors.next().unwrap_or_default()
}

#[test]
fn the_lives_find_waves_that_do_not_wait() {
    let error = found(|plan, live, completed| {
        let mut plan = plan.clone();
        plan.items.iter_mut().for_each(|item| (item.settings.apply_order, item.part) = (0, Part::Normal));
        stage(&plan, live, completed)
    });
    assert!(error.contains(" before ") && error.ends_with(" is ready"), "{error}");
}

#[test]
fn the_lives_find_a_missing_record() {
    let error = found(|plan, live, completed| {
        let mut stage = stage(plan, live, completed);
        stage
            .actions
            .iter_mut()
            .filter(|(_, action)| *action == Action::Record)
            .for_each(|(_, action)| *action = Action::Purge);
        stage
    });
    assert!(error.ends_with(" is purged without a record"), "{error}");
}

#[test]
fn the_lives_find_an_update_of_an_object_that_is_being_deleted() {
    let error = found(|plan, live, completed| {
        let mut stage = stage(plan, live, completed);
        let deleted = stage.waits.iter().filter(|(_, wait)| *wait == Wait::Terminating);
        stage.actions.extend(deleted.map(|(i, _)| (*i, Action::Update(Method::Apply))));
        stage
    });
    assert!(error.ends_with(", which is being deleted"), "{error}");
}

#[test]
fn the_lives_find_drift_that_stays() {
    let error = found(|plan, live, completed| {
        let mut stage = stage(plan, live, completed);
        stage.actions.retain(|(_, action)| !matches!(action, Action::Update(_)));
        stage
    });
    assert!(error.ends_with(" is outdated") || error.starts_with("there are "), "{error}");
}
