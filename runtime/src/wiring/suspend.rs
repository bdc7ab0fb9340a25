//! Suspension: the owner of an object pauses its reconciliation.

pub use super::annotations::SUSPEND;

/// The settings of `#[reconciler(suspend(..))]` besides the field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Suspend {
    /// Whether the annotation [`SUSPEND`] suspends an object, too.
    pub annotation: bool,
    /// Whether a suspended object's generation is recorded as observed. Otherwise only handled tokens are written.
    pub record: bool,
}

/// The type of a field in `suspend = spec.field`.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` cannot suspend an object",
    label = "neither a `bool` nor an `Option<bool>`",
    note = "make the field a `bool` or an `Option<bool>`"
)]
pub trait IsSuspended {
    /// Whether the object is suspended.
    fn is_suspended(&self) -> bool;
}

#[diagnostic::do_not_recommend]
impl IsSuspended for bool {
    fn is_suspended(&self) -> bool {
        *self
    }
}

#[diagnostic::do_not_recommend]
impl IsSuspended for Option<bool> {
    fn is_suspended(&self) -> bool {
        self.unwrap_or_default()
    }
}
