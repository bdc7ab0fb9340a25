//! Whether an object is selected: by the labels and the function that its reconciler declares.

use std::panic::{AssertUnwindSafe, catch_unwind};

use kube::api::ObjectMeta;

use crate::pipeline::dyn_reconciler::DynReconciler;
use crate::pipeline::object::Object;
use crate::watch::matches;
use crate::wiring::Wiring;

/// Whether an object has the labels that its reconciler selects.
pub(in crate::pass) fn has_labels(wiring: &Wiring, meta: &ObjectMeta) -> bool {
    wiring.labels.is_none_or(|labels| matches(labels, meta.labels.as_ref()))
}

/// Whether the object has the labels and passes the author's function. If that panics, the object is reconciled, so that nothing is lost.
pub(in crate::pass) fn is_wanted(reconciler: &dyn DynReconciler, object: &Object) -> bool {
    let Wiring { name, filtered, .. } = reconciler.wiring();
    if !has_labels(reconciler.wiring(), object.meta()) {
        return false;
    }
    let passes = || {
        catch_unwind(AssertUnwindSafe(|| reconciler.filter(object))).unwrap_or_else(|_| {
            let object = object.meta().name.as_deref().unwrap_or_default();
            tracing::error!(reconciler = name, object, "the filter panicked; the object is reconciled");
            true
        })
    };
    !filtered || passes()
}
