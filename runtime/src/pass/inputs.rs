//! The short-circuit: whether anything that the last pass depended on has changed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;

use kube::{Resource, ResourceExt};

use super::backend::PassBackend;
use super::{PassWorker, digest};
use crate::backend::Target;
use crate::queue::{Causes, Key};
use crate::reconciler::{Primary, Reconciler};
use crate::status::StatusContract;
use crate::watch::Seen;
use crate::wiring::{How, KindInfo};

impl<R: Reconciler> PassWorker<R> {
    /// True only if a run of the body would find nothing new. Only final outcomes record a digest.
    pub(super) async fn is_unchanged(&self, key: &Key, object: &R::Object, causes: Causes) -> bool {
        if causes.intersects(Causes::RESYNC | Causes::REQUESTED) || self.finalizers.settle(object.meta()).is_some() {
            return false;
        }
        let Some(status) = object.status() else { return false };
        let Some(inputs) = status.observed_inputs() else { return false };
        if status.observed_generation() != object.meta().generation
            || inputs.wiring != self.wiring
            || inputs.digest.is_empty()
        {
            return false;
        }
        let references: BTreeSet<String> = inputs.references.iter().cloned().collect();
        if !self.follow(key, &references).await {
            return false;
        }
        self.digest(object, &references, &BTreeMap::new()) == inputs.digest
    }

    /// After a restart: takes up the watches of the names that the last pass asked for. False if one cannot be read.
    async fn follow(&self, key: &Key, references: &BTreeSet<String>) -> bool {
        for reference in references {
            let Some((how, target)) = resolve(&R::WIRING, reference) else { return false };
            let read = match how {
                How::WatchesLabels(selector) => self.env.relations.labelled(key, selector, &target).await,
                _ => self.env.relations.named(key, &target).await,
            };
            if read.is_err() {
                return false;
            }
        }
        true
    }

    fn digest(
        &self,
        object: &R::Object,
        references: &BTreeSet<String>,
        wrote: &BTreeMap<String, Option<Seen>>,
    ) -> String {
        let uid = object.uid().unwrap_or_default();
        let mut tracked: BTreeMap<String, String> = self
            .env
            .relations
            .children(&uid)
            .into_iter()
            .map(|seen| (seen.target.to_string(), child_version::<R>(&seen)))
            .collect();
        for (target, seen) in wrote {
            match seen {
                Some(seen) => tracked.insert(target.clone(), child_version::<R>(seen)),
                None => tracked.remove(target),
            };
        }
        for reference in references {
            let seen = resolve(&R::WIRING, reference).and_then(|(_, target)| self.env.relations.version_of(&target));
            tracked.insert(reference.clone(), seen.map_or_else(|| "absent".into(), |seen| watched_version(&seen)));
        }
        digest::inputs(&uid, object.meta().generation.unwrap_or_default(), &self.wiring, &tracked)
    }

    /// The digest of a pass that has ended.
    pub(super) fn digest_after(
        &self,
        object: &R::Object,
        backend: &PassBackend,
        references: &BTreeSet<String>,
    ) -> String {
        let wrote = backend.wrote.lock().unwrap_or_else(PoisonError::into_inner).clone();
        self.digest(object, references, &wrote)
    }
}

/// Of an owned object the generation counts, unless a step reads the kind: then its status counts, too.
fn child_version<R: Reconciler>(seen: &Seen) -> String {
    let relations = R::WIRING.steps.iter().flat_map(|step| step.relations);
    let mut reads = relations.filter(|relation| relation.how == How::Reads);
    let is_read = reads.any(|relation| relation.kind.is_some_and(|kind| kind() == seen.target.kind));
    format!("{} {}", seen.uid, if is_read { &seen.resource_version } else { &seen.version })
}

/// A watched object is seen whole.
fn watched_version(seen: &Seen) -> String {
    format!("{} {}", seen.uid, seen.resource_version)
}

/// The declared relation that a stored reference belongs to.
fn resolve(wiring: &crate::wiring::Wiring, reference: &str) -> Option<(How, Target)> {
    let relations = wiring.steps.iter().flat_map(|step| step.relations);
    let watched = relations.filter(|r| matches!(r.how, How::WatchesByName | How::WatchesLabels(_)));
    watched.filter_map(|relation| Some((relation.how, parse(relation.kind?(), reference)?))).next()
}

fn parse(kind: KindInfo, reference: &str) -> Option<Target> {
    let prefix = format!("{}/{}/", kind.resource.api_version, kind.resource.kind);
    let rest = reference.strip_prefix(&prefix)?;
    let (namespace, name) = match rest.split_once('/') {
        Some((namespace, name)) => (Some(namespace.to_owned()), name),
        None => (None, rest),
    };
    Some(Target { kind, namespace, name: name.to_owned() })
}
