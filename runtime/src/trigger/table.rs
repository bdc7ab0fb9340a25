//! The table of triggers. Each entry says what an event of this cause looks like, what of it stands in the way of leaving an object alone,
//! and what it adds to the digest; the event filter and the short-circuit ask all entries.

use std::fmt;

use kube::api::ObjectMeta;

use super::digest::Digest;
use super::facts::{Inputs, PrimaryChange, TriggerFacts};
use super::trigger_set::{TriggerSet, Urgency};
use crate::status::ObservedInputs;
use crate::status::request::is_requested;
use crate::wiring::annotations::OPERATOR_NAMESPACE;
use crate::wiring::triggers::{Counted, is_own};

/// One cause.
pub(super) struct Trigger {
    pub(super) trigger: TriggerSet,
    /// As it stands in the log.
    pub(super) word: &'static str,
    /// What goes first.
    pub(super) urgency: Urgency,
    /// The event filter: whether two versions of the object differ in this.
    pub(super) event: fn(&PrimaryChange<'_>) -> bool,
    /// The short-circuit: whether the object itself says that it must not be left alone.
    pub(super) stands: fn(&TriggerFacts<'_>) -> bool,
    /// The short-circuit: what has to be as it was when the body ran, if anything.
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
    /// The generation differs from the one before, or from the observed one.
    GENERATION = "generation" {
        event: |event| match event.before {
            Some(before) => before.generation != event.now.generation,
            None => event.observed.is_none() || event.observed != event.now.generation,
        },
        stands: |object| object.observed != object.meta.generation,
        digest: Some(|inputs, digest| digest.add_number(inputs.meta.generation.unwrap_or_default())),
    }
    /// A label changed that a body may read: it sees the whole object, unless the reconciler declares which count.
    LABELS = "labels" {
        event: |event| event.changed(|meta| labels(meta, event.counted)),
        digest: Some(|inputs, digest| digest.add_all(labels(inputs.meta, inputs.counted))),
    }
    /// An annotation changed that a body may read.
    ANNOTATIONS = "annotations" {
        event: |event| event.changed(|meta| annotations(meta, event.counted, event.request_annotation, event.policy)),
        digest: Some(|inputs, digest| {
            digest.add_all(annotations(inputs.meta, inputs.counted, inputs.request_annotation, inputs.policy_key));
        }),
    }
    /// The annotation that holds the policy changed, came or went; what it comes to counts in the digest.
    POLICY = "policy" {
        event: |event| event.changed(|meta| annotation(meta, event.policy)),
        digest: Some(|inputs, digest| digest.add(inputs.policy)),
    }
    /// The annotation that says which operator the object belongs to changed: what happened while it was another's was left alone.
    OWNERSHIP = "ownership" {
        // That an object of nobody becomes ours is our own doing.
        event: |event| {
            let owner = |meta| annotation(meta, Some(OPERATOR_NAMESPACE)).find(|owner| !owner.is_empty());
            event.before.and_then(owner).is_some_and(|before| owner(event.now) != Some(before))
        },
        stands: |object| object.received.contains(TriggerSet::OWNERSHIP),
    }
    /// Marked for deletion, or gone.
    DELETION = "deletion" {
        event: |event| is_deleting(event.now) && !event.before.is_some_and(is_deleting),
        stands: |object| is_deleting(object.meta),
    }
    /// A finalizer of ours is missing or too much.
    FINALIZER = "finalizer" {
        event: |event| {
            !is_deleting(event.now) && event.before.is_some_and(|before| event.holds(before)) && !event.holds(event.now)
        },
        stands: |object| object.is_finalizer_due,
    }
    /// The code is another one: conditions, steps, relations or the author's revision; or it is time to store the digest of such a pass.
    WIRING = "wiring" {
        digest: Some(|inputs, digest| digest.add(inputs.wiring)),
    }
    /// An owned object changed or vanished.
    OWNED = "owned" {
        urgency: Urgency::Related,
        // One without children has the digest that it had before they were a number.
        digest: Some(|inputs, digest| if inputs.owned != 0 { digest.add_number(inputs.owned.cast_signed()) }),
    }
    /// A watched object appeared, changed or vanished.
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
    /// Somebody asked for a pass: the token is new or another one, or the status holds no receipt for it.
    REQUESTED = "requested" {
        event: |event| event.before.is_some_and(|before| is_requested(event.token(before), event.token(event.now))),
        stands: |object| object.is_requested || object.received.contains(TriggerSet::REQUESTED),
    }
    /// Something outside of the cluster changed, as a trigger told: nothing that the cluster holds can show it.
    TRIGGERED = "triggered" {
        stands: |object| object.received.contains(TriggerSet::TRIGGERED),
    }
    /// Suspended or resumed: what happened in the meantime was left alone.
    SUSPENSION = "suspension" {
        event: |event| event.before.is_some() && event.suspended.0 != event.suspended.1,
        stands: |object| object.received.contains(TriggerSet::SUSPENSION),
    }
}

fn is_deleting(meta: &ObjectMeta) -> bool {
    meta.deletion_timestamp.is_some()
}

/// The annotations that a body may read.
fn annotations<'a>(
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

fn labels<'a>(meta: &'a ObjectMeta, counted: Counted<'a>) -> impl Iterator<Item = (&'a String, &'a String)> {
    meta.labels.iter().flatten().filter(move |(name, _)| counted.has_label(name))
}

impl TriggerSet {
    /// What only the wake-up tells, and nothing that the cluster holds: forgotten once a pass has begun.
    pub(crate) const TRANSIENT_TRIGGERS: Self =
        Self::RESYNC.union(Self::REQUESTED).union(Self::TRIGGERED).union(Self::SUSPENSION).union(Self::OWNERSHIP);

    /// A pass for one of these stores its digest at once. After others the digest can wait, where nothing else is to be written: the
    /// process remembers it, and after a restart the body runs once more.
    pub(crate) const STORED: Self = Self::WATCHED.union(Self::RESYNC);

    /// How soon it matters: as soon as the most urgent of them.
    pub(crate) fn urgency(self) -> Urgency {
        let triggers = TRIGGERS.iter().filter(|trigger| self.contains(trigger.trigger));
        triggers.map(|trigger| trigger.urgency).min().unwrap_or(Urgency::Timed)
    }
}

impl fmt::Display for TriggerSet {
    /// `generation,owned`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = TRIGGERS.iter().filter(|trigger| self.contains(trigger.trigger));
        for (at, trigger) in words.enumerate() {
            let comma = if at == 0 { "" } else { "," };
            write!(f, "{comma}{}", trigger.word)?;
        }
        Ok(())
    }
}
