//! Recorded sequences: what the rules do with a set, call after call, in a cluster in memory.
//!
//! Between two calls the API server removes what is deleted and has no finalizer. After a call that had nothing to do, other clients act.

use std::time::Duration;

use evenkeel::dependency::ObjectStatus;
use evenkeel::dependents::plan::{
    Action, Item, Live, LiveObject, Plan, Removal, RemovalReason, Unwanted, removal, stage,
};
use serde_json::{Map, Value, json};

use super::lab::{Lab, of_map};
use super::ownership::taken;
use super::set::{Member, Set};

/// An object in the cluster.
struct Object {
    member: Member,
    item: Item,
    live: LiveObject,
}

/// The cluster, and what is recorded of the set.
#[derive(Default)]
struct Cluster {
    objects: Vec<Object>,
    registered: Vec<String>,
    completed: Vec<String>,
    orphans: Vec<String>,
    gone: Vec<String>,
    /// What the last call did to each object.
    phases: Map<String, Value>,
    has_acted: bool,
}

impl Cluster {
    /// All objects of the set, as it was applied before.
    fn of(set: &Set) -> Self {
        let mut cluster = Self::default();
        for item in &set.plan.items {
            cluster.registered.push(item.id.name.clone());
            cluster.create(set, item, ObjectStatus::Current);
        }
        cluster
    }

    fn create(&mut self, set: &Set, item: &Item, status: ObjectStatus) {
        let live = LiveObject {
            uid: item.id.name.clone(),
            resource_version: "1".into(),
            applied: Some(item.applied),
            is_deleted: false,
            has_drifted: false,
            age: Duration::ZERO,
            status,
        };
        self.objects.push(Object { member: set.member(&item.id.name).clone(), item: item.clone(), live });
    }

    fn get(&self, name: &str) -> Option<&Object> {
        self.objects.iter().find(|object| object.item.id.name == name)
    }

    /// The API server removes objects without finalizers.
    fn collect(&mut self) {
        let is_gone = |object: &Object| object.live.is_deleted && !object.member.has_finalizer;
        self.gone
            .extend(self.objects.iter().filter(|object| is_gone(object)).map(|object| object.item.id.name.clone()));
        self.objects.retain(|object| !is_gone(object));
    }

    /// One call for a set. Returns whether everything is as wanted.
    fn apply(&mut self, set: &Set) -> bool {
        self.collect();
        (self.has_acted, self.phases) = (false, Map::new());
        let names: Vec<String> = set.plan.items.iter().map(|item| item.id.name.clone()).collect();
        let new: Vec<&String> = names.iter().filter(|name| !self.registered.contains(name)).collect();
        if !new.is_empty() {
            self.has_acted = true;
            self.registered.extend(new.into_iter().cloned().collect::<Vec<_>>());
            self.show(&set.plan);
            return false;
        }
        let (actions, is_ready) = self.stage(&set.plan);
        let mut sent = Map::new();
        for (i, action) in &actions {
            let name = &set.plan.items[*i].id.name;
            sent.insert(name.clone(), json!(self.perform(set, *i, *action)));
        }
        self.has_acted |= !actions.is_empty();
        let is_clean = is_ready && self.remove(Some(&set.plan), RemovalReason::Redundant);
        self.show(&set.plan);
        self.phases.extend(sent);
        is_clean
    }

    fn stage(&self, plan: &Plan) -> (Vec<(usize, Action)>, bool) {
        let live = |item: &Item| self.get(&item.id.name).map_or(Live::Absent, |object| Live::Object(&object.live));
        let next = stage(plan, &live, &|item| self.completed.contains(&item.id.name));
        let is_done = next.is_done();
        (next.actions, is_done)
    }

    /// Performs a call, and returns the phase of its object.
    fn perform(&mut self, set: &Set, i: usize, action: Action) -> &'static str {
        let item = &set.plan.items[i];
        match action {
            Action::Create => {
                let status = match set.member(&item.id.name).is_ready_at_once() {
                    true => ObjectStatus::Current,
                    false => ObjectStatus::InProgress("new".into()),
                };
                self.create(set, item, status);
                "Creating/InProgress"
            }
            Action::Record => {
                self.completed.push(item.id.name.clone());
                "ScheduledForCompletion/Current"
            }
            Action::Purge => {
                self.delete(&item.id.name);
                "Completing/Terminating"
            }
            other => panic!("no sequence has an action {other:?}"),
        }
    }

    fn delete(&mut self, name: &str) {
        let object = self.objects.iter_mut().find(|object| object.item.id.name == name);
        object.unwrap().live.is_deleted = true;
    }

    /// Removes what the plan does not have. Returns whether nothing is left of it.
    fn remove(&mut self, plan: Option<&Plan>, why: RemovalReason) -> bool {
        let is_wanted = |one: &Object| plan.is_some_and(|plan| plan.items.iter().any(|item| item.id == one.item.id));
        let unwanted: Vec<Unwanted<'_>> =
            self.objects.iter().filter(|one| !is_wanted(one)).map(|one| one.unwanted(&self.objects)).collect();
        let next = removal(&unwanted, why);
        let next: Vec<_> = next.into_iter().map(|(i, removal)| (unwanted[i].id.name.clone(), removal)).collect();
        self.has_acted |= !next.is_empty();
        for (name, removal) in next {
            match removal {
                Removal::Delete => self.delete(&name),
                Removal::Orphan => {
                    self.objects.retain(|object| object.item.id.name != name);
                    self.orphans.push(name);
                }
            }
        }
        let left = self.objects.iter().filter(|one| !is_wanted(one));
        let waiting =
            if why == RemovalReason::Redundant { "ScheduledForDeletion/Terminating" } else { "Ready/Current" };
        let phase = |one: &Object| if one.live.is_deleted { "Deleting/Terminating" } else { waiting };
        let left: Vec<_> = left.map(|one| (one.item.id.name.clone(), json!(phase(one)))).collect();
        let is_clean = left.is_empty();
        self.phases.extend(left);
        is_clean
    }

    /// The phases of wanted objects that no call was for.
    fn show(&mut self, plan: &Plan) {
        for item in &plan.items {
            let name = &item.id.name;
            let phase = match self.get(name).map(|object| &object.live) {
                None if self.completed.contains(name) => "Completed/",
                None => "ScheduledForApplication/InProgress",
                Some(live) if live.is_deleted => "Completing/Terminating",
                Some(live) if live.status == ObjectStatus::Current => "Ready/Current",
                Some(_) => "Creating/InProgress",
            };
            self.phases.insert(name.clone(), json!(phase));
        }
    }

    /// Other clients do what the set waits for. Returns a description of it.
    fn act(&mut self) -> String {
        let mut reporting = Vec::new();
        for object in &mut self.objects {
            if object.live.status != ObjectStatus::Current && !object.live.is_deleted {
                object.live.status = ObjectStatus::Current;
                reporting.push(object.item.id.name.clone());
            }
        }
        match &reporting[..] {
            [] => {}
            [one] => return format!("{one} reports Ready=True"),
            all => return format!("{} report Ready=True", all.join(" and ")),
        }
        let held = self.objects.iter_mut().filter(|one| one.live.is_deleted && one.member.has_finalizer);
        let held = held.map(|one| {
            one.member.has_finalizer = false;
            one.item.id.name.clone()
        });
        let held: Vec<String> = held.collect();
        match &held[..] {
            [] => panic!("nothing ends the wait"),
            [one] => format!("{one}'s finalizer removed"),
            all => format!("finalizers of {} removed", all.join(" and ")),
        }
    }

    /// Calls again and again, until nothing is left to do.
    fn run(mut self, mut call: impl FnMut(&mut Self) -> bool) -> Value {
        let (mut steps, mut was_done) = (Vec::new(), false);
        let mut before = None;
        for _ in 0..30 {
            let is_done = call(&mut self);
            let mut step = json!({ "returns_done": is_done, "inventory": self.phases });
            if let Some(before) = before.take() {
                step["before"] = json!(before);
            }
            steps.push(step);
            if is_done && (was_done || self.phases.is_empty()) {
                let present: Vec<String> =
                    self.objects.iter().map(|one| one.item.id.name.clone()).chain(self.orphans).collect();
                return json!({ "steps": steps, "finally_absent": self.gone, "finally_present": present });
            }
            was_done = is_done;
            before = (!is_done && !self.has_acted).then(|| self.act());
        }
        panic!("the set is never ready: {steps:?}")
    }
}

impl Object {
    fn unwanted(&self, all: &[Self]) -> Unwanted<'_> {
        let defines = |one: &Self| one.member.defines(&self.item.id);
        let applied = self.live.applied.unwrap();
        Unwanted {
            id: &self.item.id,
            delete: applied.delete,
            order: applied.delete_order,
            is_deleted: self.live.is_deleted,
            is_instance: self.member.is_managed || all.iter().any(defines),
        }
    }
}

pub(super) async fn apply(given: Value) -> Value {
    let set = Set::parse(&given["objects"]);
    if given["new_objects"].is_null() {
        return Cluster::default().run(|cluster| cluster.apply(&set));
    }
    assert_eq!(given["precondition"], "all Ready");
    let new = set.restricted(&given["new_objects"]);
    Cluster::of(&set).run(|cluster| cluster.apply(&new))
}

pub(super) async fn delete(given: Value) -> Value {
    if given["live_owner_of_c"] == "other" {
        return foreign(&given["inventory"]).await;
    }
    let set = Set::parse(&given["inventory"]);
    let is_gone = given.as_object().unwrap().contains_key("live") && given["live"].is_null();
    let cluster = if is_gone { Cluster::default() } else { Cluster::of(&set) };
    cluster.run(|cluster| {
        cluster.collect();
        (cluster.has_acted, cluster.phases) = (false, Map::new());
        cluster.remove(None, RemovalReason::ComponentDeleted)
    })
}

/// The object `c` belongs to another owner when its component is deleted.
async fn foreign(inventory: &Value) -> Value {
    assert_eq!(*inventory, json!(["c"]));
    let lab = Lab::running().await;
    lab.open("x", of_map("wanted", &json!({}))).await;
    lab.edit("c", "other", json!({ "metadata": taken() })).await;
    lab.delete("x").await;
    let is_deleted = lab.map("c").await.is_null();
    let is_dropped = lab.component("x").await.is_null();
    json!({ "deleted": if is_deleted { vec!["c"] } else { vec![] }, "dropped_from_inventory": if is_dropped { vec!["c"] } else { vec![] } })
}
