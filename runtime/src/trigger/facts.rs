//! The inputs of the triggers: an event, an object before its pass, the dependencies of a pass.

use std::collections::BTreeMap;

use kube::api::ObjectMeta;

use super::trigger_set::TriggerSet;
use crate::status::ObservedInputs;
use crate::wiring::triggers::Counted;

/// An event of the reconciled kind: two versions of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PrimaryChange<'a> {
    /// The previous version; `None` for an object that is seen for the first time or was recreated.
    pub(crate) before: Option<&'a ObjectMeta>,
    pub(crate) now: &'a ObjectMeta,
    /// The generation of the last final outcome.
    pub(crate) observed: Option<i64>,
    /// One of our writes returned this version.
    pub(crate) is_ours: bool,
    /// The finalizers of the reconciler. An object has one of them.
    pub(crate) finalizers: &'a [String],
    /// The annotation that requests a pass.
    pub(crate) request_annotation: &'a str,
    /// The policy annotation, if the reconciler has policies.
    pub(crate) policy: Option<&'a str>,
    /// The labels and annotations that count as triggers.
    pub(crate) counted: Counted<'a>,
    /// The hashes of the content before and now, if each change of it is a trigger.
    pub(crate) content: (Option<u64>, Option<u64>),
    /// Whether each new version of the object is a trigger.
    pub(crate) any_version: bool,
    /// Whether the previous version was suspended, and whether this one is.
    pub(crate) suspended: (bool, bool),
}

impl<'a> PrimaryChange<'a> {
    /// The token in the request annotation.
    pub(super) fn token(&self, meta: &'a ObjectMeta) -> Option<&'a str> {
        meta.annotations.as_ref()?.get(self.request_annotation).map(String::as_str)
    }

    /// Whether another client changed the values that `of` extracts from a version.
    pub(super) fn changed<I: Iterator<Item: PartialEq>>(&self, of: impl Fn(&'a ObjectMeta) -> I) -> bool {
        !self.is_ours && self.before.is_some_and(|before| !of(before).eq(of(self.now)))
    }

    pub(super) fn holds(&self, meta: &ObjectMeta) -> bool {
        meta.finalizers.iter().flatten().any(|name| self.finalizers.contains(name))
    }
}

/// The facts of an object before its pass that may prevent a short-circuit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TriggerFacts<'a> {
    /// The triggers of the pass.
    pub(crate) received: TriggerSet,
    pub(crate) meta: &'a ObjectMeta,
    /// The generation of the last final outcome.
    pub(crate) observed: Option<i64>,
    /// The inputs of the last pass, from the status.
    pub(crate) inputs: Option<&'a ObservedInputs>,
    /// A finalizer has to be added or removed, or the object has to be adopted.
    pub(crate) is_finalizer_due: bool,
    /// The annotation requests a pass that has not run yet.
    pub(crate) is_requested: bool,
}

/// Everything that a pass depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inputs<'a> {
    pub(crate) meta: &'a ObjectMeta,
    /// The hash of the content, if each change of it is a trigger.
    pub(crate) content: Option<u64>,
    /// The annotation that requests a pass.
    pub(crate) request_annotation: &'a str,
    /// The policy annotation, if the reconciler has policies.
    pub(crate) policy_key: Option<&'a str>,
    /// The labels and annotations that count as triggers.
    pub(crate) counted: Counted<'a>,
    /// The policy of the object; empty if the reconciler has no policies.
    pub(crate) policy: &'a str,
    /// The hash of the wiring, the author's revision included.
    pub(crate) wiring: &'a str,
    /// A number for all owned objects, by uid and version; 0 if there are none.
    pub(crate) owned: u64,
    /// The watched objects that were read, each with uid and version, or `absent`.
    pub(crate) watched: &'a BTreeMap<String, String>,
}
