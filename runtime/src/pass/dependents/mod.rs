//! The calls for the dependents of a component: what the caches know, and writes of single objects.

mod body;
mod discovery;
mod event;
mod former;
mod kind_discovery;
mod kinship;
mod other_objects;
mod send;
mod spared;

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::core::{DynamicObject, ObjectMeta};

use self::kinship::is_owner;
use super::api::PassBackend;
use super::api::calls::Calls;
use crate::api::{ApiError, DependentCalls, KeptObject, ObjectCall, Owner, Selection, StepSite, Target, marked};
use crate::dependent_rules::manifest::ObjectId;
use crate::trigger::{number, text};
use crate::watch::clusters::Cluster;
use crate::watch::dependents::{DependentCache, KnownDependent};
use crate::wiring::annotations::{DEPENDENT_OF, DOMAIN};
use crate::wiring::{How, KindInfo, StepWiring, Wiring};

impl PassBackend {
    /// The component as the owner of a set.
    pub(super) fn owner_of(&self, set: &str) -> Owner {
        let step = self.wiring.step_of_own_set(set).unwrap_or_else(|| Wiring::step_of_set(set));
        let cluster = self.sets.cluster(step).and_then(|_| self.sets.clusters.own_uid());
        let set = cluster.iter().fold(set.to_owned(), |set, cluster| format!("{set}@{cluster}"));
        Owner { set: Some(set), ..self.owner().clone() }
    }

    /// What is known of the dependents at the site of a step.
    ///
    /// # Errors
    /// Its cluster has not been reached.
    pub(super) fn cache_of(&self, step: &str) -> Result<DependentCache, ApiError> {
        let Some(cluster) = self.sets.cluster(step) else { return Ok(self.sets.cache.clone()) };
        let unreached = || ApiError::Failed("the cluster of the site has not been reached".into());
        cluster.cache().cloned().ok_or_else(unreached)
    }

    /// The steps that keep dependents in other clusters.
    fn sets_elsewhere(&self) -> Vec<(&'static str, Arc<Cluster>)> {
        let keeps = |name: &str| self.wiring.step(name).is_some_and(StepWiring::keeps_dependents);
        self.sets.elsewhere().into_iter().filter(|(step, _)| keeps(step)).collect()
    }

    /// The reads of objects of others at the site of a step. They have the rights of the operator, or those of the kubeconfig.
    pub(super) fn reads_of(&self, step: &str) -> Calls {
        match self.sets.cluster(step) {
            Some(_) => self.set_calls(step),
            None => self.calls.clone(),
        }
    }

    /// Whether two steps act in the same cluster.
    fn are_together(&self, one: &str, other: &str) -> bool {
        match (self.sets.cluster(one), self.sets.cluster(other)) {
            (Some(one), Some(other)) => Arc::ptr_eq(&one, &other) || one.uid().is_some() && one.uid() == other.uid(),
            (None, None) => true,
            _ => false,
        }
    }

    /// The calls for the set of a step. A step that is gone from the code has no name, and no user of its own.
    pub(super) fn set_calls(&self, step: &str) -> Calls {
        let known = self.wiring.step(step).map_or("", |one| one.name);
        self.calls_of(known).whole()
    }

    fn kept(&self, id: &ObjectId, known: KnownDependent) -> KeptObject {
        let (step, finalizers, annotated) = (known.step.clone(), known.finalizers.clone(), known.annotated.clone());
        let kind = self.cache_of(&step).ok().and_then(|cache| cache.kind(&id.group, &id.kind));
        let type_name = kind.map(|KindInfo { resource, .. }| format!("{}.{}", resource.plural, resource.group));
        let type_name = type_name.unwrap_or_default();
        let is_former = known.is_former;
        KeptObject { id: id.clone(), step, live: known.now(), type_name, finalizers, annotated, is_former }
    }

    /// Whether the step that the mark names may keep an object in its namespace.
    fn may_be_kept(&self, kind: &KindInfo, meta: &ObjectMeta) -> bool {
        let owner = marked(kind, meta);
        let step = owner.as_ref().and_then(|owner| self.wiring.step(self.wiring.step_of_own_set(owner.set_key()?)?));
        let (own, component) = (meta.namespace.as_deref(), self.identity.target.namespace.as_deref());
        step.is_none_or(|step| step.may_keep_in(own, component))
    }

    /// The target of a call for the object at the site of the step.
    fn target_of(&self, step: &str, id: &ObjectId) -> Result<Target, ApiError> {
        let target = self.cache_of(step)?.target(id);
        target.ok_or_else(|| {
            let declare = format!("add {} to the `dependents(..)` of the step", id.kind);
            ApiError::Invalid(format!("{id} is of a kind that no step declares; {declare}").into())
        })
    }

    /// The objects of all kinds with the marks of these sets, as an API server lists them now: that of the operator, or that of a step which
    /// acts elsewhere.
    async fn marked_at(&self, at: (&Calls, Option<&str>), ids: &[String]) -> Result<Vec<ObjectId>, ApiError> {
        let mut found = Vec::new();
        let cache = at.1.map_or_else(|| Ok(self.sets.cache.clone()), |step| self.cache_of(step))?;
        for kind in cache.kinds() {
            match self.marked_objects(at, &kind, ids).await {
                Ok(marked) => found.extend(marked),
                // The API server answers, and has no such kind, and so no objects of it.
                Err(ApiError::NotServed(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(found)
    }

    async fn marked_objects(
        &self,
        (calls, elsewhere): (&Calls, Option<&str>),
        of_kind: &KindInfo,
        ids: &[String],
    ) -> Result<Vec<ObjectId>, ApiError> {
        let selector = format!("{} in ({})", self.owner().key(DEPENDENT_OF), ids.join(","));
        let namespaces = elsewhere.map_or_else(|| self.relations.namespaces(of_kind), |_| vec![None]);
        let mut found = Vec::new();
        for namespace in namespaces {
            let all = calls.list(&Selection::new(of_kind.clone(), namespace, &selector)).await?;
            let (group, kind) = (&of_kind.resource.group, &of_kind.resource.kind);
            // The label alone may be a copy.
            let own = all
                .into_iter()
                .map(|object| object.metadata)
                .filter(|meta| marked(of_kind, meta).is_some_and(|owner| ids.contains(&owner.id())))
                .filter(|meta| self.may_be_kept(of_kind, meta));
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
    fn act_at(&self, step: &'static str, site: Result<StepSite, String>) -> BoxFuture<'_, ()> {
        let wiring = self.wiring.step(step);
        let owns = wiring.is_some_and(|step| step.relations.iter().any(|relation| relation.how == How::Owns));
        let site = match site {
            Ok(StepSite::Elsewhere(_)) if owns => {
                let cure = "use `dependents(..)` instead of `owns(..)`";
                Err(format!("it is in another cluster, where the step `{step}` cannot own objects; {cure}"))
            }
            site => site,
        };
        async move { self.sets.act_at((&self.key, step), site, &self.calls.sender.client).await }.boxed()
    }

    fn site_problem(&self, step: &str) -> Option<String> {
        self.sets.problem(step)
    }

    fn is_elsewhere(&self, step: &str) -> bool {
        self.sets.cluster(step).is_some()
    }

    fn has_site(&self, step: &str) -> bool {
        self.sets.has_site(step)
    }

    fn cluster(&self, step: &str) -> Option<String> {
        Some(self.sets.cluster(step)?.uid()?.to_owned())
    }

    fn marks(&self) -> Option<String> {
        (*self.domain != *DOMAIN).then(|| self.domain.to_string())
    }

    fn listed<'a>(&'a self, step: Option<&'a str>) -> BoxFuture<'a, Result<(), ApiError>> {
        async move {
            let elsewhere = self.sets_elsewhere();
            let asked = elsewhere.iter().filter(|(known, _)| step.is_none_or(|step| step == *known));
            for (_, cluster) in asked.clone() {
                self.sets.clusters.listed(cluster).await?;
            }
            // The set of a step that acts elsewhere has nothing here.
            if step.is_none() || asked.count() == 0 { self.sets.cache.listed().await } else { Ok(()) }
        }
        .boxed()
    }

    fn want(&self, step: &'static str, ids: Vec<ObjectId>) -> Result<(), (ObjectId, &'static str)> {
        self.sets.limit_calls(self.wiring.step(step).and_then(|step| step.timeout));
        self.sets.wanted.want(step, ids, &|other| self.are_together(other, step))
    }

    fn is_wanted(&self, step: &str, id: &ObjectId) -> Option<bool> {
        self.sets.wanted.is_wanted(step, id, &|other| self.are_together(other, step))
    }

    fn wanted(&self, step: &str) -> Option<Vec<ObjectId>> {
        self.sets.wanted.of(step)
    }

    fn unanswered(&self) -> Option<(ObjectId, Duration)> {
        let elsewhere = self.sets_elsewhere();
        let caches = elsewhere.iter().filter_map(|(_, cluster)| cluster.cache()).chain([&self.sets.cache]);
        caches.filter_map(|cache| cache.unanswered(&self.key)).max_by_key(|(_, left)| *left)
    }

    fn kinship(&self, id: &ObjectId) -> Option<&'static str> {
        match self.identity.target.is(id) {
            true => Some("it is the component itself"),
            false => {
                is_owner(self, id).then_some("it is an owner of the component, so neither of them would get ready")
            }
        }
    }

    fn is_declared(&self, kind: &str) -> bool {
        let (kind, group) = kind.split_once('.').unwrap_or((kind, ""));
        self.sets.cache.kind(group, kind).is_some()
    }

    fn check(&self, step: &str, id: &ObjectId) -> Result<(), ApiError> {
        let target = self.target_of(step, id)?;
        // The namespaces of the operator are those of its own cluster.
        self.sets.cluster(step).map_or_else(|| self.sets.cache.check(&target), |_| Ok(()))
    }

    fn get(&self, step: &str, id: &ObjectId) -> Option<KeptObject> {
        let cache = self.cache_of(step).ok()?;
        let known = cache.get(&cache.target(id)?)?;
        (known.component == self.key).then(|| self.kept(id, known))
    }

    fn cached(&self, step: &str, id: &ObjectId) -> Option<Arc<DynamicObject>> {
        let cache = self.cache_of(step).ok()?;
        let known = cache.get(&cache.target(id)?)?;
        known.content.filter(|_| known.component == self.key && *known.step == *step)
    }

    fn reference(&self, step: &str, id: &ObjectId) -> Option<String> {
        if self.sets.cluster(step).is_some() {
            return None;
        }
        Some(self.sets.cache.target(id)?.to_string())
    }

    fn all(&self) -> Vec<KeptObject> {
        let elsewhere = self.sets_elsewhere();
        let here = self.sets.cache.of(&self.key).into_iter();
        let mut all: Vec<_> =
            here.filter(|(_, known)| elsewhere.iter().all(|(step, _)| **step != *known.step)).collect();
        for (step, cluster) in elsewhere {
            let there = cluster.cache().map(|cache| cache.of(&self.key)).unwrap_or_default();
            all.extend(there.into_iter().filter(|(_, known)| *known.step == *step));
        }
        all.into_iter().map(|(id, known)| self.kept(&id, known)).collect()
    }

    fn applied(&self, step: &str, ids: &[&ObjectId]) -> String {
        let cache = self.cache_of(step).ok();
        let known = |id: &ObjectId| cache.as_ref().and_then(|cache| cache.get(&cache.target(id)?));
        let known = ids.iter().filter_map(|id| Some((id, known(id)?)));
        let numbers = known.map(|(id, known)| {
            let fields = known.fields.map(text).unwrap_or_default();
            number(&[&id.to_string(), &fields])
        });
        text(numbers.fold(0, u64::wrapping_add))
    }

    fn accept(&self, step: &str, ids: &[&ObjectId]) {
        if let Ok(cache) = self.cache_of(step) {
            cache.accept(ids);
        }
    }

    fn send<'a>(&'a self, step: &'a str, call: ObjectCall<'a>) -> BoxFuture<'a, Result<(), ApiError>> {
        async move {
            let Some(id) = call.changes() else { return self.send_call(step, call).await };
            let (cache, target) = (self.cache_of(step)?, self.target_of(step, id)?);
            let before = cache.share(&target, &self.key);
            let sent = self.send_call(step, call).await;
            self.sets.seen.changed(before, cache.share(&target, &self.key));
            sent
        }
        .boxed()
    }

    fn take_changes(&self) -> [usize; 3] {
        self.sets.rolled_out.take()
    }

    fn look(&self, step: Option<&str>) {
        self.sets.seen.look(step, self.relations.dependents_sums(&self.key));
    }

    fn seen(&self) -> u64 {
        self.sets.seen.sum()
    }

    fn sum(&self) -> u64 {
        self.relations.dependents_sum(&self.key)
    }

    fn must_end(&self) -> bool {
        let Some(newest) = self.primary.get(&self.key) else { return true };
        let meta = newest.meta();
        self.sets.is_late()
            || newest.uid() != self.identity.uid
            || meta.generation != self.identity.generation
            || meta.deletion_timestamp.is_some() != self.identity.deleting
    }

    fn remaining<'a>(&'a self, sets: &'a [String]) -> BoxFuture<'a, Result<Vec<ObjectId>, ApiError>> {
        async move {
            let ids: Vec<String> = sets.iter().map(|set| self.owner_of(set).id()).collect();
            let mut found = self.marked_at((&self.calls, None), &ids).await?;
            let mut asked: Vec<Arc<Cluster>> = Vec::new();
            for (step, cluster) in self.sets_elsewhere() {
                if asked.iter().all(|known| !Arc::ptr_eq(known, &cluster)) {
                    found.extend(self.marked_at((&self.set_calls(step), Some(step)), &ids).await?);
                    asked.push(cluster);
                }
            }
            Ok(found)
        }
        .boxed()
    }
}
