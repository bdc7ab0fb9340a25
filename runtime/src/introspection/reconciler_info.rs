//! The compile-time information about one reconciler, from which all output of this folder is generated.

use crate::backoff::Backoff;
use crate::pipeline::object::{Primary, StatusStore};
use crate::pipeline::reconciler::Reconciler;
use crate::wiring::{KindInfo, Wiring};

/// The compile-time information about one reconciler within an operator.
///
/// ```ignore
/// let known = ReconcilerInfo::of::<git_repository>("source-controller");
/// println!("{}", known.graph());
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReconcilerInfo {
    /// The constants that the macros generated.
    pub wiring: Wiring,
    /// The reconciled kind.
    pub kind: KindInfo,
    /// Where the status of the kind is stored.
    pub(crate) status: StatusStore,
    /// The pauses between the retries of a failing object, unless an error or the reconciler declares others.
    pub(crate) backoff: Backoff,
    /// The field manager of all writes of the reconciler.
    pub field_manager: String,
    /// The finalizer on its objects; `None` if no step is external or owns objects in other namespaces, and no hook runs on deletion.
    pub finalizer: Option<String>,
}

impl ReconcilerInfo {
    /// Collects the information about a reconciler within the operator of this name.
    #[must_use]
    pub fn of<R: Reconciler>(operator: &str) -> Self {
        Self::of_kind::<R>(operator, KindInfo::of::<R::Object>())
    }

    pub(crate) fn of_kind<R: Reconciler>(operator: &str, kind: KindInfo) -> Self {
        let wiring = R::WIRING;
        let field_manager = wiring.field_manager_under(operator);
        let finalizer = wiring.needs_finalizer().then(|| wiring.finalizer_under(operator, &kind.resource.group));
        let (status, backoff) = (R::Object::STATUS_STORE, Backoff::FAILURE);
        Self { wiring, kind, status, backoff, field_manager, finalizer }
    }

    /// The types of the conditions at these indices.
    pub(super) fn conditions(&self, places: &[usize]) -> Vec<&'static str> {
        let known = places.iter().filter_map(|place| self.wiring.conditions.get(*place));
        known.map(|info| info.type_).collect()
    }
}
