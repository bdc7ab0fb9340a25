//! The calls for the dependents of a component: what the caches know, and writes of single objects.

mod body;
mod discovery;
mod other_objects;
mod send;
mod spared;

use std::sync::PoisonError;

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::core::ObjectMeta;

use super::api::PassBackend;
use super::api::calls::Calls;
use crate::api::{ApiError, DependentCalls, Identity, KeptObject, ObjectCall, Owner, Selection, Target, marked};
use crate::dependent_rules::manifest::ObjectId;
use crate::trigger::{number, text};
use crate::watch::dependents::KnownDependent;
use crate::wiring::KindInfo;
use crate::wiring::annotations::DEPENDENT_OF;

impl PassBackend {
    /// The component as the owner of a set.
    pub(super) fn owner_of(&self, set: String) -> Owner {
        Owner { set: Some(set), ..self.owner().clone() }
    }

    /// The calls for the set of a step. A step that is gone from the code has no name, and no user of its own.
    pub(super) fn set_calls(&self, step: &str) -> Calls {
        let known = self.wiring.steps.iter().find(|one| one.name == step).map_or("", |one| one.name);
        self.calls_of(known).whole()
    }

    fn kept(&self, id: &ObjectId, known: KnownDependent) -> KeptObject {
        let (step, finalizers, annotated) = (known.step.clone(), known.finalizers.clone(), known.annotated.clone());
        let target = self.sets.cache.target(id);
        let type_name = target.map(|Target { kind, .. }| format!("{}.{}", kind.resource.plural, kind.resource.group));
        let type_name = type_name.unwrap_or_default();
        KeptObject { id: id.clone(), step, live: known.now(), type_name, finalizers, annotated }
    }

    /// Whether the step that the mark names may keep an object in its namespace.
    fn may_be_kept(&self, kind: &KindInfo, meta: &ObjectMeta) -> bool {
        let set = marked(kind, meta).and_then(|owner| owner.set).unwrap_or_default();
        let step = self.wiring.steps.iter().find(|step| self.wiring.set_key(step.name) == set);
        let (own, component) = (meta.namespace.as_deref(), self.identity.target.namespace.as_deref());
        step.is_none_or(|step| step.may_keep_in(own, component))
    }

    /// The target of a call for the object.
    fn target_of(&self, id: &ObjectId) -> Result<Target, ApiError> {
        let target = self.sets.cache.target(id);
        target.ok_or_else(|| {
            let declare = format!("add {} to the `dependents(..)` of the step", id.kind);
            ApiError::Invalid(format!("{id} is of a kind that no step declares; {declare}").into())
        })
    }

    /// The objects of a kind with the marks of these sets, as the API server lists them now.
    async fn marked_objects(&self, calls: &Calls, target: &Target, ids: &[String]) -> Result<Vec<ObjectId>, ApiError> {
        let selector = format!("{DEPENDENT_OF} in ({})", ids.join(","));
        let mut found = Vec::new();
        for namespace in self.relations.namespaces(&target.kind) {
            let all = calls.list(&Selection::new(target.kind.clone(), namespace, &selector)).await?;
            let (group, kind) = (&target.kind.resource.group, &target.kind.resource.kind);
            // The label alone may be a copy.
            let own = all
                .into_iter()
                .map(|object| object.metadata)
                .filter(|meta| marked(&target.kind, meta).is_some_and(|owner| ids.contains(&owner.id())))
                .filter(|meta| self.may_be_kept(&target.kind, meta));
            found.extend(own.map(|meta| ObjectId {
                group: group.clone(),
                kind: kind.clone(),
                namespace: meta.namespace,
                name: meta.name.unwrap_or_default(),
            }));
        }
        Ok(found)
    }
}

impl DependentCalls for PassBackend {
    fn act_as(&self, step: &'static str, user: Result<Option<Identity>, String>) {
        self.sets.act_as(step, user, &self.calls.sender.client);
    }

    fn has_user(&self, step: &str) -> bool {
        self.sets.has_user(step)
    }

    fn listed(&self) -> BoxFuture<'_, Result<(), ApiError>> {
        self.sets.cache.listed().boxed()
    }

    fn want(&self, step: &'static str, ids: Vec<ObjectId>) -> Result<(), (ObjectId, &'static str)> {
        self.sets.wanted.want(step, ids)
    }

    fn is_wanted(&self, step: &str, id: &ObjectId) -> Option<bool> {
        self.sets.wanted.is_wanted(step, id)
    }

    fn wanted(&self, step: &str) -> Option<Vec<ObjectId>> {
        self.sets.wanted.of(step)
    }

    fn is_component(&self, id: &ObjectId) -> bool {
        let Target { kind, namespace, name } = &self.identity.target;
        id.is(&kind.resource.group, &kind.resource.kind) && id.namespace == *namespace && id.name == *name
    }

    fn is_declared(&self, kind: &str) -> bool {
        let (kind, group) = kind.split_once('.').unwrap_or((kind, ""));
        self.sets.cache.kinds().iter().any(|one| one.resource.kind == kind && one.resource.group == group)
    }

    fn check(&self, id: &ObjectId) -> Result<(), ApiError> {
        self.sets.cache.check(&self.target_of(id)?)
    }

    fn get(&self, id: &ObjectId) -> Option<KeptObject> {
        let known = self.sets.cache.get(&self.sets.cache.target(id)?)?;
        (known.component == self.key).then(|| self.kept(id, known))
    }

    fn reference(&self, id: &ObjectId) -> Option<String> {
        Some(self.sets.cache.target(id)?.to_string())
    }

    fn all(&self) -> Vec<KeptObject> {
        self.sets.cache.of(&self.key).into_iter().map(|(id, known)| self.kept(&id, known)).collect()
    }

    fn applied(&self, ids: &[&ObjectId]) -> String {
        let known = ids.iter().filter_map(|id| Some((id, self.sets.cache.get(&self.sets.cache.target(id)?)?)));
        let numbers = known.map(|(id, known)| {
            let fields = known.fields.map(|fields| fields.to_string()).unwrap_or_default();
            number(&[&id.to_string(), &fields])
        });
        text(numbers.fold(0, u64::wrapping_add))
    }

    fn accept(&self, ids: &[&ObjectId]) {
        self.sets.cache.accept(ids);
    }

    fn send<'a>(&'a self, step: &'a str, call: ObjectCall<'a>) -> BoxFuture<'a, Result<(), ApiError>> {
        self.send_call(step, call).boxed()
    }

    fn observed(&self) {
        *self.sets.seen.lock().unwrap_or_else(PoisonError::into_inner) = self.sets.cache.sum(&self.key);
    }

    fn is_superseded(&self) -> bool {
        let Some(newest) = self.primary.get(&self.key) else { return true };
        let meta = newest.meta();
        newest.uid() != self.identity.uid
            || meta.generation != self.identity.generation
            || meta.deletion_timestamp.is_some() != self.identity.deleting
    }

    fn remaining<'a>(&'a self, sets: &'a [String]) -> BoxFuture<'a, Result<Vec<ObjectId>, ApiError>> {
        async move {
            let ids: Vec<String> = sets.iter().map(|set| self.owner_of(set.clone()).id()).collect();
            let mut found = Vec::new();
            for kind in self.sets.cache.kinds() {
                let target = Target { kind: kind.clone(), namespace: None, name: String::new() };
                match self.marked_objects(&self.calls, &target, &ids).await {
                    Ok(marked) => found.extend(marked),
                    // The API server answers, and has no such kind, and so no objects of it.
                    Err(ApiError::NotServed(_)) => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(found)
        }
        .boxed()
    }
}
