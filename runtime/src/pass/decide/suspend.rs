//! Whether an object is suspended.

use crate::pipeline::dyn_reconciler::DynReconciler;
use crate::pipeline::object::Object;
use crate::wiring::suspend::SUSPEND;

/// Whether the field or the annotation suspends the object; the reconciler declares which of them count.
pub(in crate::pass) fn is_suspended(reconciler: &dyn DynReconciler, object: &Object) -> bool {
    let annotated = || object.annotations().get(SUSPEND).is_some_and(|value| value == "true");
    reconciler
        .wiring()
        .suspend
        .is_some_and(|suspend| reconciler.is_suspended(object) || (suspend.annotation && annotated()))
}
