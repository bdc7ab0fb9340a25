//! What is known of one reconciler at compile time: all texts of this folder are made of it.

use crate::pipeline::reconciler::Reconciler;
use crate::wiring::{KindInfo, Wiring};

/// What is known of one reconciler within an operator.
///
/// ```ignore
/// let known = ReconcilerInfo::of::<git_repository>("source-controller");
/// println!("{}", known.graph());
/// ```
#[derive(Clone, Debug)]
pub struct ReconcilerInfo {
    /// What the macros found out.
    pub wiring: Wiring,
    /// The reconciled kind.
    pub kind: KindInfo,
    /// The field manager of all that it writes.
    pub field_manager: String,
    /// The finalizer that it puts on its objects; `None` where no step is external.
    pub finalizer: Option<String>,
}

impl ReconcilerInfo {
    /// What is known of a reconciler in the operator of the name.
    #[must_use]
    pub fn of<R: Reconciler>(operator: &str) -> Self {
        let kind = KindInfo::of::<R::Object>();
        let wiring = R::WIRING;
        let field_manager = wiring.field_manager_under(operator);
        let finalizer = wiring.needs_finalizer().then(|| wiring.finalizer_under(operator, &kind.resource.group));
        Self { wiring, kind, field_manager, finalizer }
    }

    /// The names of conditions at these places.
    pub(super) fn conditions(&self, places: &[usize]) -> Vec<&'static str> {
        let known = places.iter().filter_map(|place| self.wiring.conditions.get(*place));
        known.map(|info| info.type_).collect()
    }
}
