//! When an object is gone for us.

use kube::core::ObjectMeta;

/// Whether an object is deleted as far as its owner of finalizers is concerned: marked for deletion, and none of the owned finalizers
/// is left. Finalizers of others may still hold it.
pub fn is_deleted(meta: &ObjectMeta, is_owned: impl Fn(&str) -> bool) -> bool {
    meta.deletion_timestamp.is_some() && !meta.finalizers.iter().flatten().any(|finalizer| is_owned(finalizer))
}
