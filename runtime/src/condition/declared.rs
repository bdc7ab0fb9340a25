//! What is declared of conditions: the set, its summaries, its reasons, and the markers.

use super::Polarity;

/// What `#[derive(ConditionSet)]` knows of one condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConditionInfo {
    /// The condition type on the wire.
    pub type_: &'static str,
    /// Which status is the good one.
    pub polarity: Polarity,
    /// The doc comment of the variant.
    pub doc: &'static str,
    /// Its message while it is True, unless a step sets another one: the first sentence of the doc comment.
    pub message: &'static str,
    /// The closed set of its reasons (`reasons(..)`); empty where any will do.
    pub reasons: &'static [ReasonInfo],
}

impl ConditionInfo {
    /// A condition of which only type and polarity are known.
    #[must_use]
    pub const fn new(type_: &'static str, polarity: Polarity) -> Self {
        Self { type_, polarity, doc: "", message: "", reasons: &[] }
    }

    /// With its doc comment.
    #[must_use]
    pub const fn with_doc(self, doc: &'static str) -> Self {
        Self { doc, ..self }
    }

    /// With its message while it is True.
    #[must_use]
    pub const fn with_message(self, message: &'static str) -> Self {
        Self { message, ..self }
    }

    /// With the closed set of its reasons.
    #[must_use]
    pub const fn with_reasons(self, reasons: &'static [ReasonInfo]) -> Self {
        Self { reasons, ..self }
    }
}

/// What `#[derive(ConditionSet)]` knows of one declared reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReasonInfo {
    /// The word.
    pub name: &'static str,
    /// What it means, as the author says it.
    pub doc: &'static str,
}

/// A summary beside Ready: a condition that sums up some of the declared ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SummaryInfo {
    /// The condition type on the wire.
    pub type_: &'static str,
    /// The places of the conditions that it sums up, in declared order.
    pub of: &'static [usize],
    /// A sentence for people.
    pub doc: &'static str,
}

/// The conditions of one reconciler, in declared order. Derive it on an enum with [`ConditionSet`](derive@crate::ConditionSet).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a condition set",
    label = "not a condition set",
    note = "derive it on an enum: `#[derive(ConditionSet)] enum {Self} {{ .. }}`"
)]
pub trait ConditionSet: Send + Sync + 'static {
    /// The name of the enum.
    const NAME: &'static str;
    /// The declared conditions, highest rank first.
    const CONDITIONS: &'static [ConditionInfo];
    /// The summaries beside Ready (`summary(Available(..))`).
    const SUMMARIES: &'static [SummaryInfo] = &[];
    /// The module of the markers: `on`. For what the compiler says when the wiring does not fit.
    #[doc(hidden)]
    const MARKERS: &'static str;
}

/// The marker type of one condition: `on::SourceFetched`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a condition",
    label = "not a condition",
    note = "name the marker of a condition, in the module that `#[condition_set(mod = on)]` names: `on::SourceFetched`"
)]
pub trait ConditionMarker: Copy + Send + 'static {
    /// The set that declares the condition.
    type Set: ConditionSet;
    /// Its place in the declared order; at most 63.
    const INDEX: usize;
}
