//! What a cause looks at: an event, an object before its pass, the inputs of a pass.

use std::collections::BTreeMap;

use kube::api::ObjectMeta;

use super::trigger_set::TriggerSet;
use crate::status::ObservedInputs;
use crate::wiring::triggers::Counted;

/// An event of the reconciled kind: two versions of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PrimaryChange<'a> {
    /// The version before; `None` at first sight, also of an object that was recreated.
    pub(crate) before: Option<&'a ObjectMeta>,
    pub(crate) now: &'a ObjectMeta,
    /// The generation that the last final outcome is for.
    pub(crate) observed: Option<i64>,
    /// A write of ours returned this version.
    pub(crate) is_ours: bool,
    /// The finalizer of the reconciler.
    pub(crate) finalizer: &'a str,
    /// The annotation that asks for a pass.
    pub(crate) request_annotation: &'a str,
    /// The annotation that holds the policy, where there are policies.
    pub(crate) policy: Option<&'a str>,
    /// The labels and annotations that count.
    pub(crate) counted: Counted<'a>,
    /// Whether the version before was suspended, and whether this one is.
    pub(crate) suspended: (bool, bool),
}

impl<'a> PrimaryChange<'a> {
    /// The token in the annotation that asks for a pass.
    pub(super) fn token(&self, meta: &'a ObjectMeta) -> Option<&'a str> {
        meta.annotations.as_ref()?.get(self.request_annotation).map(String::as_str)
    }

    /// Whether somebody else changed what `of` reads off the two versions.
    pub(super) fn changed<I: Iterator<Item: PartialEq>>(&self, of: impl Fn(&'a ObjectMeta) -> I) -> bool {
        !self.is_ours && self.before.is_some_and(|before| !of(before).eq(of(self.now)))
    }

    pub(super) fn holds(&self, meta: &ObjectMeta) -> bool {
        meta.finalizers.iter().flatten().any(|name| name == self.finalizer)
    }
}

/// An object before its pass, as its own fields tell: what may stand in the way of leaving it alone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TriggerFacts<'a> {
    /// Why the pass runs.
    pub(crate) received: TriggerSet,
    pub(crate) meta: &'a ObjectMeta,
    /// The generation that the last final outcome is for.
    pub(crate) observed: Option<i64>,
    /// What the last pass saw.
    pub(crate) inputs: Option<&'a ObservedInputs>,
    /// A finalizer has to be put on or taken off.
    pub(crate) is_finalizer_due: bool,
    /// The annotation asks for a pass that has not been.
    pub(crate) is_requested: bool,
}

/// All that a pass depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inputs<'a> {
    pub(crate) meta: &'a ObjectMeta,
    /// The annotation that asks for a pass.
    pub(crate) request_annotation: &'a str,
    /// The annotation that holds the policy, where there are policies.
    pub(crate) policy_key: Option<&'a str>,
    /// The labels and annotations that count.
    pub(crate) counted: Counted<'a>,
    /// The policy that counts; empty where there are none.
    pub(crate) policy: &'a str,
    /// The hash of the wiring, the author's revision included.
    pub(crate) wiring: &'a str,
    /// A number for all owned objects, by uid and version; 0 where there are none.
    pub(crate) owned: u64,
    /// The objects asked for by name, each with uid and version, or `absent`.
    pub(crate) watched: &'a BTreeMap<String, String>,
}
