//! A cluster in memory, in which a set lives. It checks each call by rules of its own.

use std::collections::{BTreeMap, BTreeSet};

use evenkeel_random_cases::Choices;

use super::*;
use crate::dependent_rules::manifest::{Digest, ObjectId};
use crate::dependent_rules::policy::{DeletePolicy, ReconcilePolicy};

/// The function under test, or one with a planted bug.
pub(super) type Next = for<'a> fn(&Plan, &dyn Fn(&Item) -> Live<'a>, Completed<'_>) -> Stage<'a>;

#[derive(Default)]
pub(super) struct World {
    pub(super) live: BTreeMap<ObjectId, LiveObject>,
    /// The records of purged objects.
    records: BTreeMap<ObjectId, Option<Digest>>,
    pub(super) orphans: BTreeSet<ObjectId>,
    created: u32,
}

impl World {
    fn is_completed(&self, item: &Item) -> bool {
        item.settings.purge_order.is_some() && self.records.get(&item.id) == Some(&item.applied.content)
    }

    fn is_ready(&self, item: &Item) -> bool {
        let is_as_wanted = |object: &LiveObject| {
            let is_once = item.settings.reconcile == ReconcilePolicy::Once;
            let is_applied = object.applied.is_some_and(|applied| applied.content == item.applied.content);
            !object.is_deleted && object.status == ObjectStatus::Current && (is_once || is_applied)
        };
        match self.live.get(&item.id) {
            Some(object) => !self.is_completed(item) && is_as_wanted(object),
            None => self.is_completed(item),
        }
    }

    /// Makes calls until there is nothing to do but wait. Returns whether the set is ready and nothing else is left.
    pub(super) fn pass(&mut self, plan: &Plan, next: Next, choices: &mut Choices) -> Result<bool, String> {
        for _ in 0..100 {
            let stage = next(plan, &|item| self.live.get(&item.id).map_or(Live::Absent, Live::Object), &|item| {
                self.is_completed(item)
            });
            let (actions, is_done) = (stage.actions.clone(), stage.is_done());
            if actions.is_empty() {
                return Ok(is_done && self.remove(plan, RemovalReason::Redundant)?);
            }
            for (i, action) in actions {
                self.perform(plan, i, action, choices)?;
            }
        }
        Err("the pass never ends".into())
    }

    fn perform(&mut self, plan: &Plan, i: usize, action: Action, choices: &mut Choices) -> Result<(), String> {
        let item = &plan.items[i];
        let is_correction = self.live.get(&item.id).is_some_and(|one| one.applied == Some(item.applied));
        if !is_correction {
            self.check_turn(plan, i, action)?;
        }
        if self.live.get(&item.id).is_some_and(|object| object.is_deleted) {
            return Err(format!("{action:?} of {}, which is being deleted", item.id));
        }
        let status = if choices.chance(0.5) { ObjectStatus::Current } else { ObjectStatus::InProgress("new".into()) };
        match action {
            Action::Create => {
                self.created += 1;
                let created = LiveObject { uid: self.created.to_string(), status, ..ready(item) };
                self.orphans.remove(&item.id);
                if self.live.insert(item.id.clone(), created).is_some() {
                    return Err(format!("{} is there already", item.id));
                }
            }
            Action::Update(_) => {
                let object = self.live.get_mut(&item.id).ok_or("an update of nothing")?;
                *object = LiveObject { uid: object.uid.clone(), status, ..ready(item) };
            }
            Action::Recreate => self.delete(&item.id),
            Action::Record => {
                self.records.insert(item.id.clone(), item.applied.content);
            }
            Action::Purge if !self.is_completed(item) => return Err(format!("{} is purged without a record", item.id)),
            Action::Purge => self.delete(&item.id),
        }
        Ok(())
    }

    /// Checks that everything is ready that comes before the call.
    fn check_turn(&self, plan: &Plan, i: usize, action: Action) -> Result<(), String> {
        let item = &plan.items[i];
        let place = |one: &Item| match action {
            Action::Record | Action::Purge => one.settings.apply_order <= item.purge_wave().unwrap_or(i16::MAX),
            _ => (one.settings.apply_order, one.part) < (item.settings.apply_order, item.part),
        };
        let mut before = plan.items.iter().filter(|one| place(one) && one.id != item.id);
        // A purge only finishes what its record began, whatever has happened since.
        let is_recorded = |one: &Item| action == Action::Record && self.is_completed(one);
        match before.find(|one| action != Action::Purge && !self.is_ready(one) && !is_recorded(one)) {
            Some(one) => Err(format!("{action:?} of {} before {} is ready", item.id, one.id)),
            None if action == Action::Record && !self.is_ready(item) => Err(format!("{} is recorded early", item.id)),
            None => Ok(()),
        }
    }

    fn delete(&mut self, id: &ObjectId) {
        self.live.get_mut(id).into_iter().for_each(|object| object.is_deleted = true);
    }

    /// Removes what the plan does not want. Returns whether nothing is left of it.
    pub(super) fn remove(&mut self, plan: &Plan, why: RemovalReason) -> Result<bool, String> {
        let is_wanted = |id: &ObjectId| plan.items.iter().any(|item| item.id == *id);
        let all: Vec<_> = self
            .live
            .iter()
            .filter(|(id, _)| !is_wanted(id))
            .map(|(id, object)| (id.clone(), object.clone()))
            .collect();
        let unwanted: Vec<_> = all.iter().map(|(id, object)| unwanted(id, object, &all)).collect();
        for (i, removal) in removal(&unwanted, why) {
            let one = &unwanted[i];
            match removal {
                Removal::Orphan => {
                    self.live.remove(one.id);
                    self.orphans.insert(one.id.clone());
                }
                Removal::Delete if why.orphans(one.delete) => return Err(format!("{} should stay", one.id)),
                Removal::Delete if one.is_deleted => return Err(format!("{} is deleted twice", one.id)),
                Removal::Delete => {
                    let earlier = unwanted.iter().find(|other| is_before(other, one) && !why.orphans(other.delete));
                    if let Some(other) = earlier {
                        return Err(format!("{} is deleted before {}", one.id, other.id));
                    }
                    self.delete(one.id);
                }
            }
        }
        Ok(unwanted.is_empty())
    }

    /// Other controllers and people change something.
    pub(super) fn disturb(&mut self, choices: &mut Choices) {
        let ids: Vec<_> = self.live.keys().cloned().collect();
        if ids.is_empty() {
            return;
        }
        let id = choices.pick(&ids);
        let Some(object) = self.live.get_mut(&id) else { return };
        match choices.range(0..6_u8) {
            0 => object.status = ObjectStatus::Current,
            1 => object.status = ObjectStatus::InProgress("it restarts".into()),
            2 => object.status = ObjectStatus::Failed("it failed".into()),
            3 => object.has_drifted = true,
            4 => object.is_deleted = true,
            _ if object.is_deleted => _ = self.live.remove(&id),
            _ => {}
        }
    }

    /// All controllers finish their work.
    pub(super) fn settle(&mut self) {
        self.live.retain(|_, object| !object.is_deleted);
        self.live.values_mut().for_each(|object| object.status = ObjectStatus::Current);
    }

    /// Whether the cluster is as the plan says, without any order.
    pub(super) fn check(&self, plan: &Plan) -> Result<(), String> {
        let wanted: BTreeMap<_, _> = plan.items.iter().map(|item| (&item.id, item)).collect();
        let expected: Vec<_> =
            wanted.values().filter(|one| one.settings.purge_order.is_none()).map(|one| &one.id).collect();
        if self.live.keys().collect::<Vec<_>>() != expected {
            return Err(format!("there are {:?}, not {expected:?}", self.live.keys()));
        }
        let is_outdated = |(id, object): &(&ObjectId, &LiveObject)| {
            let item = wanted[id];
            let is_once = item.settings.reconcile == ReconcilePolicy::Once;
            !is_once && (object.applied != Some(item.applied) || object.has_drifted)
        };
        self.live.iter().find(is_outdated).map_or(Ok(()), |(id, _)| Err(format!("{id} is outdated")))
    }
}

fn unwanted<'a>(id: &'a ObjectId, object: &LiveObject, all: &[(ObjectId, LiveObject)]) -> Unwanted<'a> {
    let has_type = all.iter().any(|(id, _)| id.kind == "CustomResourceDefinition");
    let applied = object.applied.as_ref();
    Unwanted {
        id,
        delete: applied.map_or(DeletePolicy::Delete, |applied| applied.delete),
        order: applied.map_or(0, |applied| applied.delete_order),
        is_deleted: object.is_deleted,
        is_instance: id.kind == "Shop" && has_type,
    }
}

/// Whether the first one must be gone before the second one is deleted.
fn is_before(first: &Unwanted<'_>, second: &Unwanted<'_>) -> bool {
    match [first, second].map(|one| one.id.kind == "Namespace") {
        [false, true] => true,
        [true, _] => false,
        [false, false] if first.order == second.order => first.is_instance && !second.is_instance,
        [false, false] => first.order < second.order,
    }
}
