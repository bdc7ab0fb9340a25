//! The table of triggers. Each entry defines the events of its trigger, the facts that prevent a short-circuit, and its part of the digest.
//! The event filter and the short-circuit evaluate all entries.

use std::fmt;

use kube::api::ObjectMeta;

use super::digest::Digest;
use super::facts::{Inputs, PrimaryChange, TriggerFacts};
use super::trigger_set::{TriggerSet, Urgency};
use crate::status::ObservedInputs;
use crate::status::request::is_requested;
use crate::wiring::annotations::OPERATOR_NAMESPACE;
use crate::wiring::triggers::{Counted, is_own};

/// One trigger.
pub(super) struct Trigger {
    pub(super) trigger: TriggerSet,
    /// The name in the log.
    pub(super) word: &'static str,
    /// How soon its passes run.
    pub(super) urgency: Urgency,
    /// The event filter: whether two versions of the object differ in this respect.
    pub(super) event: fn(&PrimaryChange<'_>) -> bool,
    /// The short-circuit: whether the facts of the object prevent it.
    pub(super) stands: fn(&TriggerFacts<'_>) -> bool,
    /// The short-circuit: the inputs that must be unchanged since the body ran, if any.
    pub(super) digest: Option<fn(&Inputs<'_>, &mut Digest)>,
}

impl Trigger {
    const fn named(trigger: TriggerSet, word: &'static str) -> Self {
        Self { trigger, word, urgency: Urgency::Changed, event: |_| false, stands: |_| false, digest: None }
    }
}

macro_rules! triggers {
    ($($(#[$doc:meta])* $name:ident = $word:literal { $($field:ident: $value:expr),* $(,)? })*) => {
        #[allow(clippy::upper_case_acronyms, reason = "the names of the constants; only their order is used")]
        enum Place { $($name),* }

        impl TriggerSet {
            $($(#[$doc])* pub(crate) const $name: Self = Self(1 << Place::$name as u16);)*
        }

        pub(super) const TRIGGERS: &[Trigger] =
            &[$(Trigger { $($field: $value,)* ..Trigger::named(TriggerSet::$name, $word) }),*];
    };
}

triggers! {
    /// Seen for the first time: new, recreated, or after a restart or relist.
    APPEARED = "appeared" {
        urgency: Urgency::Timed,
        event: |event| event.before.is_none(),
        digest: Some(|inputs, digest| digest.add(inputs.meta.uid.as_deref().unwrap_or_default())),
    }
    /// The generation differs from the previous or the observed one, or the content of a [`Bare`](crate::Bare) object changed.
    GENERATION = "generation" {
        event: |event| match event.before {
            Some(before) => {
                before.generation != event.now.generation || !event.is_ours && event.content.0 != event.content.1
            }
            None => event.observed != generation(event.now),
        },
        stands: |object| object.observed != generation(object.meta),
        digest: Some(|inputs, digest| {
            // The content says more than the generation, which some kinds raise at each change of their status.
            let generation = inputs.meta.generation.unwrap_or_default();
            digest.add_number(inputs.content.map_or(generation, u64::cast_signed));
        }),
    }
    /// A label that a body may read changed: any label, unless the reconciler declares those that count.
    LABELS = "labels" {
        event: |event| event.changed(|meta| labels(meta, event.counted)),
        digest: Some(|inputs, digest| digest.add_all(labels(inputs.meta, inputs.counted))),
    }
    /// An annotation that a body may read changed.
    ANNOTATIONS = "annotations" {
        event: |event| event.changed(|meta| annotations(meta, event.counted, event.request_annotation, event.policy)),
        digest: Some(|inputs, digest| {
            digest.add_all(annotations(inputs.meta, inputs.counted, inputs.request_annotation, inputs.policy_key));
        }),
    }
    /// The policy annotation was added, changed or removed. The digest contains the policy that results.
    POLICY = "policy" {
        event: |event| event.changed(|meta| annotation(meta, event.policy)),
        digest: Some(|inputs, digest| digest.add(inputs.policy)),
    }
    /// The annotation with the owning operator changed. Changes while another operator owned the object were ignored.
    OWNERSHIP = "ownership" {
        // The adoption of an unowned object is our own write, not a trigger.
        event: |event| {
            let owner = |meta| annotation(meta, Some(OPERATOR_NAMESPACE)).find(|owner| !owner.is_empty());
            event.before.and_then(owner).is_some_and(|before| owner(event.now) != Some(before))
        },
        stands: |object| object.received.contains(TriggerSet::OWNERSHIP),
    }
    /// The object is being deleted, or was deleted.
    DELETION = "deletion" {
        event: |event| is_deleting(event.now) && !event.before.is_some_and(is_deleting),
        stands: |object| is_deleting(object.meta),
    }
    /// One of our finalizers is missing or no longer needed.
    FINALIZER = "finalizer" {
        event: |event| {
            !is_deleting(event.now) && event.before.is_some_and(|before| event.holds(before)) && !event.holds(event.now)
        },
        stands: |object| object.is_finalizer_due,
    }
    /// The code changed (conditions, steps, relations or the author's revision), or the digest of such a pass is due to be stored.
    WIRING = "wiring" {
        digest: Some(|inputs, digest| digest.add(inputs.wiring)),
    }
    /// An owned object changed or was deleted.
    OWNED = "owned" {
        urgency: Urgency::Related,
        // Without owned objects the digest is the same as before they were a number.
        digest: Some(|inputs, digest| if inputs.owned != 0 { digest.add_number(inputs.owned.cast_signed()) }),
    }
    /// A watched object appeared, changed or was deleted.
    WATCHED = "watched" {
        urgency: Urgency::Related,
        digest: Some(|inputs, digest| digest.add_all(inputs.watched)),
    }
    /// The requeue interval or a poll time passed.
    RESYNC = "resync" {
        urgency: Urgency::Timed,
        stands: |object| object.received.contains(TriggerSet::RESYNC),
    }
    /// The last outcome was not final; the back-off passed.
    RETRY = "retry" {
        urgency: Urgency::Timed,
        stands: |object| !object.inputs.is_some_and(ObservedInputs::is_final),
    }
    /// A pass was requested: the token is new or changed, or the status does not record it as handled.
    REQUESTED = "requested" {
        event: |event| event.before.is_some_and(|before| is_requested(event.token(before), event.token(event.now))),
        stands: |object| object.is_requested || object.received.contains(TriggerSet::REQUESTED),
    }
    /// An external event source reported a change, which no object in the cluster reflects. For a watcher with `on(any)`: the object has a new
    /// version, whatever changed in it.
    TRIGGERED = "triggered" {
        event: |event| {
            let is_new = |before: &ObjectMeta| before.resource_version != event.now.resource_version;
            event.any_version && !event.is_ours && event.before.is_some_and(is_new)
        },
        stands: |object| object.received.contains(TriggerSet::TRIGGERED),
    }
    /// The object was suspended or resumed. Changes during the suspension were ignored.
    SUSPENSION = "suspension" {
        event: |event| event.before.is_some() && event.suspended.0 != event.suspended.1,
        stands: |object| object.received.contains(TriggerSet::SUSPENSION),
    }
}

/// The generation as a pass records it: some built-in kinds have none, which counts as 0.
pub(crate) fn generation(meta: &ObjectMeta) -> Option<i64> {
    Some(meta.generation.unwrap_or_default())
}

fn is_deleting(meta: &ObjectMeta) -> bool {
    meta.deletion_timestamp.is_some()
}

/// The annotations that a body may read.
pub(super) fn annotations<'a>(
    meta: &'a ObjectMeta,
    counted: Counted<'a>,
    request_annotation: &str,
    policy: Option<&str>,
) -> impl Iterator<Item = (&'a String, &'a String)> {
    let all = meta.annotations.iter().flatten();
    all.filter(move |(name, _)| counted.has_annotation(name) && !is_own(name, request_annotation, policy))
}

/// The value of one annotation.
fn annotation<'a>(meta: &'a ObjectMeta, name: Option<&str>) -> impl Iterator<Item = &'a String> {
    name.and_then(|name| meta.annotations.as_ref()?.get(name)).into_iter()
}

pub(super) fn labels<'a>(meta: &'a ObjectMeta, counted: Counted<'a>) -> impl Iterator<Item = (&'a String, &'a String)> {
    meta.labels.iter().flatten().filter(move |(name, _)| counted.has_label(name))
}

impl TriggerSet {
    /// Triggers that only the queue records and no object in the cluster shows. They are cleared once a pass has begun.
    pub(crate) const TRANSIENT_TRIGGERS: Self =
        Self::RESYNC.union(Self::REQUESTED).union(Self::TRIGGERED).union(Self::SUSPENSION).union(Self::OWNERSHIP);

    /// Triggers that a debounce window holds back. All others run at once.
    pub(crate) const DEBOUNCED: Self = Self::APPEARED
        .union(Self::GENERATION)
        .union(Self::LABELS)
        .union(Self::ANNOTATIONS)
        .union(Self::OWNED)
        .union(Self::WATCHED);

    /// Changes of the object itself, which a watcher hands to `update`.
    pub(crate) const OF_OBJECT: Self =
        Self::GENERATION.union(Self::LABELS).union(Self::ANNOTATIONS).union(Self::TRIGGERED);

    /// Whether the two sets have a trigger in common.
    pub(crate) const fn intersects(self, other: Self) -> bool {
        !self.both(other).is_empty()
    }

    /// The urgency of the most urgent trigger.
    pub(crate) fn urgency(self) -> Urgency {
        let triggers = TRIGGERS.iter().filter(|trigger| self.contains(trigger.trigger));
        triggers.map(|trigger| trigger.urgency).min().unwrap_or(Urgency::Timed)
    }
}

impl fmt::Display for TriggerSet {
    /// Formats the triggers as `generation,owned`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = TRIGGERS.iter().filter(|trigger| self.contains(trigger.trigger));
        for (at, trigger) in words.enumerate() {
            let comma = if at == 0 { "" } else { "," };
            write!(f, "{comma}{}", trigger.word)?;
        }
        Ok(())
    }
}
