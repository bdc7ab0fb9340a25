//! The object that is reconciled: a kind with a status, and when one is deleted.

use std::fmt::Debug;

use kube::core::ObjectMeta;
use kube::core::object::HasStatus;

use crate::status::StatusContract;
use crate::wiring::Kind;

/// A kind that can be reconciled: it has a status that keeps conditions.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be reconciled: it has no `#[status]` to keep conditions in",
    label = "no `#[status]`",
    note = "add `status = \"..\"` to `#[kube(..)]`, and `#[evenkeel::status]` to that struct"
)]
pub trait Primary: Kind + Debug {
    /// What it keeps its conditions in.
    type Status: StatusContract;

    /// The status, if the object has one yet.
    fn status(&self) -> Option<&Self::Status>;
}

#[diagnostic::do_not_recommend]
impl<K: Kind + HasStatus<Status: StatusContract> + Debug> Primary for K {
    type Status = <K as HasStatus>::Status;

    fn status(&self) -> Option<&Self::Status> {
        HasStatus::status(self)
    }
}

/// Whether an object is deleted as far as its owner of finalizers is concerned: marked for deletion, and none of the owned finalizers
/// is left. Finalizers of others may still hold it.
pub fn is_deleted(meta: &ObjectMeta, is_owned: impl Fn(&str) -> bool) -> bool {
    meta.deletion_timestamp.is_some() && !meta.finalizers.iter().flatten().any(|finalizer| is_owned(finalizer))
}
