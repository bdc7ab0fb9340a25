//! The short-circuit: whether anything that the last pass depended on has changed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use k8s_openapi::api::core::v1::Namespace;

use crate::api::{Selection, Watched};
use crate::outcome::{Class, PassError};
use crate::pass::api::PassBackend;
use crate::pass::api::tracked::{Tracked, watched_version};
use crate::pass::context::{PassContext, claimed_before, observed};
use crate::pass::decide::dependencies::DEPENDENCIES;
use crate::pass::decide::{policy, wiring_hash};
use crate::pass::memory::late_digest::LateDigest;
use crate::pipeline::object::Object;
use crate::queue::Key;
use crate::status::ObservedInputs;
use crate::trigger::{Inputs, digits, text};
use crate::wiring::triggers::{Counted, Triggers};
use crate::wiring::{How, KindInfo, Relation, Wiring};

/// Whether everything that the last pass depended on is unchanged. All references of the object must be watched. Only final outcomes record
/// a digest.
pub(in crate::pass) fn is_as_it_was(
    context: &PassContext,
    (key, object): (&Key, &Object),
    inputs: &ObservedInputs,
    held_up: Option<&PassError>,
    late: Option<LateDigest>,
) -> bool {
    let owned = owned_sum(context, object).wrapping_add(context.dependents_sum(object));
    let references = inputs.references.iter().map(|reference| (reference.clone(), now(context, key, reference)));
    // The next pass checks a dependency that only waits. A stalled verdict is part of the digest.
    let stalled = held_up.filter(|pass_error| pass_error.class == Class::Stalled);
    let verdict = stalled.map(|pass_error| (DEPENDENCIES.to_owned(), pass_error.message.clone()));
    let mut watched = BTreeMap::new();
    watched.extend(references.chain(verdict));
    let settings = settings(context);
    let now = || digest(context, object, &Tracked { owned, watched, settings }, &inputs.claimed);
    match late {
        Some(late) => late.is(now()),
        None => inputs.is_final() && *inputs.digest.as_bytes() == digits(now()),
    }
}

/// Whether the last pass was final and knew this generation of the object, so that what it applied probably still holds.
pub(in crate::pass) fn is_settled(context: &PassContext, object: &Object) -> bool {
    let observed = observed(context.wiring, object);
    observed.inputs.is_some_and(|inputs| inputs.is_final()) && observed.generation == object.meta().generation
}

fn now(context: &PassContext, key: &Key, reference: &str) -> String {
    let relations = &context.env.relations;
    if is_policy_only(context.wiring, reference) {
        return POLICY_ONLY.to_owned();
    }
    match resolve(context.wiring, reference) {
        Some((_, Watched::Selection(selection))) => relations.version_of_all(key, &selection).unwrap_or_default(),
        Some((_, Watched::Object(target))) => watched_version(relations.counted_version(key, &target)),
        None => watched_version(None),
    }
}

/// Restores the watches of the objects that the last pass read, after a restart. Returns false if one cannot be read.
pub(in crate::pass) async fn follow(context: &PassContext, key: &Key, object: &Object) -> bool {
    let Some(inputs) = observed(context.wiring, object).inputs else { return false };
    for reference in &inputs.references {
        let Some((how, watched)) = resolve(context.wiring, reference) else { return false };
        let relations = &context.env.relations;
        let read = match (how, &watched) {
            (_, Watched::Selection(selection)) => relations.list(key, selection).await.map(|_| None),
            (How::WatchesLabels(selector), Watched::Object(target)) => relations.labelled(key, selector, target).await,
            (_, Watched::Object(target)) => relations.named(key, target).await,
        };
        if read.is_err() {
            return false;
        }
    }
    true
}

/// The owned objects in their known versions, and no watched object yet.
pub(in crate::pass) fn tracked(context: &PassContext, object: &Object) -> Tracked {
    Tracked { owned: owned_sum(context, object), watched: BTreeMap::new(), settings: settings(context) }
}

/// The hash of the settings in force, if a step reads them.
fn settings(context: &PassContext) -> Arc<str> {
    if context.wiring.reads_settings() { context.env.settings.current() } else { Arc::default() }
}

fn owned_sum(context: &PassContext, object: &Object) -> u64 {
    context.env.relations.sum_of_children(object.meta().uid.as_deref().unwrap_or_default())
}

fn digest(context: &PassContext, object: &Object, tracked: &Tracked, claimed: &[String]) -> u64 {
    let Tracked { owned, watched, settings } = tracked;
    let policy = policy::policy(context, object);
    context.env.enabled_triggers.digest(&Inputs {
        meta: object.meta(),
        content: object.content(context.wiring.watcher),
        request_annotation: context.wiring.request_annotation,
        policy_key: context.wiring.policies.map(|policies| policies.key),
        counted: Counted { triggers: context.wiring.triggers, claimed },
        policy: if context.wiring.policies.is_some() { policy.text() } else { "" },
        wiring: &wiring_hash::with_settings(&context.wiring_hash, settings),
        owned: *owned,
        watched,
    })
}

/// The digest of a finished pass. A reference that could not be read counts as absent.
pub(in crate::pass) fn digest_after(
    context: &PassContext,
    object: &Object,
    backend: &PassBackend,
    references: &BTreeSet<String>,
    claimed: &[String],
) -> String {
    let mut tracked = backend.tracked.lock().clone();
    tracked.moved(backend.dependents_seen());
    for reference in references {
        let unread =
            || if is_policy_only(context.wiring, reference) { POLICY_ONLY.to_owned() } else { watched_version(None) };
        tracked.watched.entry(reference.clone()).or_insert_with(unread);
    }
    text(digest(context, object, &tracked, claimed))
}

/// The labels and annotations that count because a claim wrote them, in this pass or an earlier one.
pub(in crate::pass) fn claimed(context: &PassContext, object: &Object, mut claimed: Vec<String>) -> Vec<String> {
    if context.wiring.claim.is_some() && context.wiring.triggers != Triggers::ALL {
        claimed.extend(claimed_before(context.wiring, object));
        claimed.sort();
        claimed.dedup();
    }
    claimed
}

/// The entry of a namespace that is watched for its policy only; the digest contains the policy separately.
const POLICY_ONLY: &str = "policy";

/// Whether the reference is a namespace that is watched for its policy only, since no step reads it.
fn is_policy_only(wiring: &Wiring, reference: &str) -> bool {
    let kind = KindInfo::of::<Namespace>();
    let is_read = || wiring.all_steps().flat_map(|step| step.relations).any(|relation| relation.is_of(&kind));
    wiring.policies.is_some_and(|policies| policies.namespace)
        && Watched::parse(kind.clone(), reference).is_some()
        && !is_read()
}

/// The declared relation that a stored reference belongs to.
fn resolve(wiring: &Wiring, reference: &str) -> Option<(How, Watched)> {
    let watches = wiring.relations().filter(|relation| relation.how.is_watch());
    let mut resolved = watches.filter_map(|relation| Some((relation, Watched::parse(relation.kind?(), reference)?)));
    let found = resolved.find(|(relation, watched)| match watched {
        Watched::Object(_) => true,
        Watched::Selection(selection) => answers(relation, selection),
    });
    found.map(|(relation, watched)| (relation.how, watched))
}

/// Whether the selection has the relation's selector and, if it names an index entry, the relation declares that index.
fn answers(relation: &Relation, selection: &Selection) -> bool {
    let has = |entry: &String| relation.indexes.iter().any(|indexer| indexer.has(entry));
    relation.how.selector() == Some(&*selection.selector) && selection.entry.as_ref().is_none_or(has)
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::Secret;

    use super::*;

    #[test]
    fn a_reference_to_an_undeclared_index_is_ignored() {
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
        // Stored before indexes had names, or under another name. A lookup would find nothing, perhaps as before.
        assert!(
            !is_followed("v1/Secret/a/?a=b|operator::ByUser=alice") && !is_followed("v1/Secret/a/?a=c|by-user=alice")
        );
    }
}
