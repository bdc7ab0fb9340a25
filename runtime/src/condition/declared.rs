//! Declarations of conditions: condition sets, summaries, reasons and markers.

use super::Polarity;

/// A condition, as `#[derive(ConditionSet)]` declares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConditionInfo {
    /// The condition type in the status.
    pub type_: &'static str,
    /// Which status is the good one.
    pub polarity: Polarity,
    /// The doc comment of the variant.
    pub doc: &'static str,
    /// The message while the condition is True, unless a step sets another one: the first sentence of the doc comment.
    pub message: &'static str,
    /// The closed set of reasons (`reasons(..)`); empty if any reason is allowed.
    pub reasons: &'static [ReasonInfo],
}

impl ConditionInfo {
    /// Creates a condition without doc comment, message and reasons.
    #[must_use]
    pub const fn new(type_: &'static str, polarity: Polarity) -> Self {
        Self { type_, polarity, doc: "", message: "", reasons: &[] }
    }

    /// Sets the doc comment.
    #[must_use]
    pub const fn with_doc(self, doc: &'static str) -> Self {
        Self { doc, ..self }
    }

    /// Sets the message for the status True.
    #[must_use]
    pub const fn with_message(self, message: &'static str) -> Self {
        Self { message, ..self }
    }

    /// Sets the closed set of reasons.
    #[must_use]
    pub const fn with_reasons(self, reasons: &'static [ReasonInfo]) -> Self {
        Self { reasons, ..self }
    }
}

/// A reason, as `#[derive(ConditionSet)]` declares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReasonInfo {
    /// The reason in CamelCase.
    pub name: &'static str,
    /// The meaning of the reason, from its declaration.
    pub doc: &'static str,
}

/// A further summary: a condition that is computed from some of the declared ones, in addition to Ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SummaryInfo {
    /// The condition type in the status.
    pub type_: &'static str,
    /// The indices of the conditions that it summarizes, in declared order.
    pub of: &'static [usize],
    /// A description for users.
    pub doc: &'static str,
}

/// The conditions of one reconciler, in declared order.
///
/// Derive it on an enum with [`ConditionSet`](derive@crate::ConditionSet).
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
    /// The further summaries besides Ready (`summary(Available(..))`).
    const SUMMARIES: &'static [SummaryInfo] = &[];
    /// The module of the markers, `on`. It appears in compiler messages about the wiring.
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
    /// The index of the condition in the declared order; at most 63.
    const INDEX: usize;
}
