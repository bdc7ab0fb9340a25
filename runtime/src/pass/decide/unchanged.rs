//! The short-circuit: whether anything that the last pass depended on has changed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;

use k8s_openapi::api::core::v1::Namespace;
use kube::api::DynamicObject;

use super::dependencies::DEPENDENCIES;
use crate::api::{Selected, Target};
use crate::outcome::{Class, Halt};
use crate::pass::api::PassBackend;
use crate::pass::finish::late_digest::Late;
use crate::pass::{PassWorker, observed};
use crate::pipeline::object::Object;
use crate::queue::Key;
use crate::status::ObservedInputs;
use crate::trigger::{Inputs, digits, text};
use crate::watch::Seen;
use crate::wiring::triggers::Counted;
use crate::wiring::{How, KindInfo, Relation, Wiring};

/// The objects beside its own that a pass depends on: one number for all owned ones, and of watched ones by name the uid and version.
#[derive(Clone, Debug, Default)]
pub(in crate::pass) struct Tracked {
    pub(in crate::pass) owned: u64,
    pub(in crate::pass) watched: BTreeMap<String, String>,
}

impl Tracked {
    /// A write of ours moved the number of the owned objects by so much.
    pub(in crate::pass) fn moved(&mut self, by: u64) {
        self.owned = self.owned.wrapping_add(by);
    }

    /// The first version that a pass read is the one that counts: a later one wakes it again.
    pub(in crate::pass) fn read(&mut self, target: &Target, found: Option<&DynamicObject>) {
        let version = watched_version(found.map(|object| Seen::of(target, object)).as_ref());
        self.watched.entry(target.to_string()).or_insert(version);
    }
}

impl PassWorker {
    /// Whether all that the last pass depended on is as it was, where everything that the object refers to is watched. Only final outcomes
    /// record a digest.
    pub(in crate::pass) fn is_as_it_was(
        &self,
        object: &Object,
        inputs: &ObservedInputs,
        held_up: Option<&Halt>,
        late: Option<Late>,
    ) -> bool {
        let owned = self.owned(object);
        let references = inputs.references.iter().map(|reference| (reference.clone(), self.now(reference)));
        // What merely waits is found out by the next pass; a verdict that it is useless to wait is part of what was seen.
        let stalled = held_up.filter(|halt| halt.class == Class::Stalled);
        let verdict = stalled.map(|halt| (DEPENDENCIES.to_owned(), halt.message.clone()));
        let mut watched = BTreeMap::new();
        watched.extend(references.chain(verdict));
        let now = || self.digest(object, &Tracked { owned, watched }, &inputs.claimed);
        match late {
            Some(late) => late.is(now()),
            None => inputs.is_final() && *inputs.digest.as_bytes() == digits(now()),
        }
    }

    /// Whether the last pass was final, and all that it depended on is as it was: also where a timer or a request runs the body all the same.
    pub(in crate::pass) fn is_settled(&self, key: &Key, object: &Object) -> bool {
        let inputs = observed(self.wiring, object).inputs.filter(|inputs| !inputs.digest.is_empty());
        inputs.is_some_and(|inputs| self.is_as_it_was(object, &inputs, None, self.late(key, &inputs)))
    }

    fn now(&self, reference: &str) -> String {
        let relations = &self.env.relations;
        if is_policy_only(self.wiring, reference) {
            return POLICY_ONLY.to_owned();
        }
        match resolve(self.wiring, reference) {
            Some((_, target)) if target.selected().is_some() => relations.version_of_all(&target).unwrap_or_default(),
            resolved => watched_version(resolved.and_then(|(_, target)| relations.version_of(&target)).as_ref()),
        }
    }

    /// After a restart: takes up the watches of the names that the last pass asked for. False if one cannot be read.
    pub(in crate::pass) async fn follow(&self, key: &Key, object: &Object) -> bool {
        let Some(inputs) = observed(self.wiring, object).inputs else { return false };
        for reference in &inputs.references {
            let Some((how, target)) = resolve(self.wiring, reference) else { return false };
            let read = match how {
                How::WatchesLabels(_) if target.selected().is_some() => {
                    self.env.relations.list(key, &target).await.map(|_| None)
                }
                How::WatchesLabels(selector) => self.env.relations.labelled(key, selector, &target).await,
                _ => self.env.relations.named(key, &target).await,
            };
            if read.is_err() {
                return false;
            }
        }
        true
    }

    /// The owned objects as they are known now; nothing has been read yet.
    pub(in crate::pass) fn tracked(&self, object: &Object) -> Tracked {
        Tracked { owned: self.owned(object), watched: BTreeMap::new() }
    }

    fn owned(&self, object: &Object) -> u64 {
        self.env.relations.sum_of_children(object.meta().uid.as_deref().unwrap_or_default())
    }

    fn digest(&self, object: &Object, tracked: &Tracked, claimed: &[String]) -> u64 {
        let Tracked { owned, watched } = tracked;
        let policy = self.policy(object);
        self.env.causes.digest(&Inputs {
            meta: object.meta(),
            requested: self.wiring.requested,
            policy_key: self.wiring.policies.map(|policies| policies.key),
            counted: Counted { triggers: self.wiring.triggers, claimed },
            policy: if self.wiring.policies.is_some() { policy.text() } else { "" },
            wiring: &self.wiring_hash,
            owned: *owned,
            watched,
        })
    }

    /// The digest of a pass that has ended. What it asked for and could not read counts as absent.
    pub(in crate::pass) fn digest_after(
        &self,
        object: &Object,
        backend: &PassBackend,
        references: &BTreeSet<String>,
        claimed: &[String],
    ) -> String {
        let mut tracked = backend.tracked.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for reference in references {
            let unread =
                || if is_policy_only(self.wiring, reference) { POLICY_ONLY.to_owned() } else { watched_version(None) };
            tracked.watched.entry(reference.clone()).or_insert_with(unread);
        }
        text(self.digest(object, &tracked, claimed))
    }
}

/// Of the namespace only the policy counts, which has a place of its own in the digest.
const POLICY_ONLY: &str = "policy";

/// Whether the object is followed for its policy only: a namespace that no step reads.
fn is_policy_only(wiring: &Wiring, reference: &str) -> bool {
    let kind = KindInfo::of::<Namespace>();
    let is_read = || wiring.all_steps().flat_map(|step| step.relations).any(|relation| relation.is_of(&kind));
    wiring.policies.is_some_and(|policies| policies.namespace) && parse(kind.clone(), reference).is_some() && !is_read()
}

/// A watched object is seen whole.
fn watched_version(seen: Option<&Seen>) -> String {
    seen.map_or_else(|| "absent".into(), |seen| format!("{} {}", seen.uid, seen.resource_version))
}

/// The declared relation that a stored reference belongs to.
fn resolve(wiring: &Wiring, reference: &str) -> Option<(How, Target)> {
    let watched = wiring.relations().filter(|relation| relation.how.is_watch());
    let mut resolved = watched.filter_map(|relation| Some((relation, parse(relation.kind?(), reference)?)));
    let found =
        resolved.find(|(relation, target)| target.selected().is_none_or(|selected| answers(relation, selected)));
    found.map(|(relation, target)| (relation.how, target))
}

/// A selection is that of its own selector, and an entry that of an index with this name: of one that was renamed nothing is known.
fn answers(relation: &Relation, selected: Selected<'_>) -> bool {
    let has = |entry| relation.indexes.iter().any(|indexer| indexer.has(entry));
    relation.how.selector() == Some(selected.selector) && selected.entry.is_none_or(has)
}

fn parse(kind: KindInfo, reference: &str) -> Option<Target> {
    let prefix = format!("{}/{}/", kind.resource.api_version, kind.resource.kind);
    let rest = reference.strip_prefix(&prefix)?;
    let (namespace, name) = match rest.split_once('/') {
        Some((namespace, name)) if !namespace.starts_with('?') => (Some(namespace.to_owned()), name),
        _ => (None, rest),
    };
    Some(Target { kind, namespace, name: name.to_owned() })
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::Secret;

    use super::*;

    #[test]
    fn a_reference_is_read_as_it_was_written() {
        let kind = KindInfo::of::<Secret>;
        let target = |namespace: Option<&str>, name: &str| Target {
            kind: kind(),
            namespace: namespace.map(ToOwned::to_owned),
            name: name.to_owned(),
        };
        for target in [
            target(Some("a"), "x"),
            target(None, "x"),
            target(Some("a"), "?tier=web"),
            target(None, "?tier=web"),
            // The slash is the selector's own.
            target(None, "?example.com/tier=web"),
            target(Some("a"), "?example.com/tier=web"),
        ] {
            assert_eq!(parse(kind(), &target.to_string()), Some(target));
        }
        assert_eq!(parse(kind(), "v1/ConfigMap/a/x"), None);
    }

    #[test]
    fn another_object_of_the_name_and_another_version_of_it_are_seen() {
        let seen = |uid: &str, version: &str| {
            let target = Target { kind: KindInfo::of::<Secret>(), namespace: None, name: "x".into() };
            let meta = serde_json::json!({ "uid": uid, "resourceVersion": version, "generation": 1 });
            watched_version(Some(&Seen::of_meta(&target, &serde_json::from_value(meta).unwrap())))
        };
        let all: BTreeSet<_> = [seen("u", "1"), seen("u", "2"), seen("v", "1"), watched_version(None)].into();
        assert_eq!(all.len(), 4);
    }

    #[test]
    fn a_reference_to_an_index_that_is_not_declared_is_not_followed() {
        use crate::wiring::index::{Index, indexer};
        use crate::wiring::{StepWiring, Wiring};
        struct ByUser;
        impl Index for ByUser {
            const NAME: &'static str = "by-user";
            type Object = Secret;
            fn keys(_: &Secret) -> Vec<String> {
                Vec::new()
            }
        }
        const SECRETS: Relation = Relation::new(How::WatchesLabels("a=b"), Some(KindInfo::of::<Secret>));
        const PLAIN: StepWiring = StepWiring { relations: &[SECRETS], ..StepWiring::EMPTY };
        const FOUND: StepWiring =
            StepWiring { relations: &[SECRETS.indexed(&[indexer::<ByUser, Secret>()])], ..StepWiring::EMPTY };
        let wiring = Wiring { steps: &[PLAIN, FOUND], ..Wiring::EMPTY };
        let is_followed = |reference| resolve(&wiring, reference).is_some();
        assert!(is_followed("v1/Secret/a/?a=b") && is_followed("v1/Secret/a/?a=b|by-user=alice"));
        // As it was stored before indexes had names, or under another name. Nothing is found there, which may be what was found before.
        assert!(
            !is_followed("v1/Secret/a/?a=b|operator::ByUser=alice") && !is_followed("v1/Secret/a/?a=c|by-user=alice")
        );
    }
}
