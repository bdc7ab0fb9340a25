//! The names of the framework's fields in a status.

use crate::wiring::Wiring;

/// The JSON names of the fields of a status that belong to the framework.
pub(crate) const FRAMEWORK_FIELDS: [&str; 6] =
    ["observedGeneration", "conditions", "observedInputs", "lastHandledReconcileAt", HANDLED_ACTIONS, OBSERVED_BY];

/// The field of further reconcilers of a kind.
pub(crate) const OBSERVED_BY: &str = "observedBy";

/// The field that is written only if a step declares actions.
pub(crate) const HANDLED_ACTIONS: &str = "lastHandledActions";

/// The field of the sets of dependents. Statuses without `#[status(dependents)]` may have an author's field of this name.
pub(crate) const DEPENDENTS: &str = "dependents";

/// The framework's fields that this reconciler uses in the status.
pub(crate) fn used_fields(wiring: &Wiring) -> impl Iterator<Item = &'static str> + use<> {
    let (has_actions, is_second) = (wiring.actions().next().is_some(), wiring.summary.is_some());
    let is_needed = move |field: &str| (has_actions || field != HANDLED_ACTIONS) && (is_second || field != OBSERVED_BY);
    let sets = wiring.keeps_dependents().then_some(DEPENDENTS);
    FRAMEWORK_FIELDS.into_iter().filter(move |field| is_needed(field)).chain(sets)
}
