//! Suspension: an object of which its owner wants that nothing is done for it now.

pub use super::annotations::SUSPEND;

/// What `#[reconciler(suspend(..))]` said beside the field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Suspend {
    /// The annotation [`SUSPEND`] suspends, too.
    pub annotation: bool,
    /// The generation counts as observed while suspended; otherwise nothing is written but receipts.
    pub record: bool,
}

/// What a field of `suspend = spec.field` may be.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say whether an object is suspended",
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
