//! The form in which a step writes a status: the status itself, unless a field is restricted to one step.

use std::borrow::Cow;

/// The status `T` in the form in which steps write it.
#[doc(hidden)]
pub trait StatusDraft<T: Clone>: Sized + Send + Sync + 'static {
    /// Makes the draft at the start of a pass.
    fn open(status: T, key: &DraftKey) -> Self;
    /// The current status.
    fn close(&self) -> Cow<'_, T>;
}

impl<T: Clone + Send + Sync + 'static> StatusDraft<T> for T {
    fn open(status: T, _: &DraftKey) -> Self {
        status
    }

    fn close(&self) -> Cow<'_, T> {
        Cow::Borrowed(self)
    }
}

/// The permission to construct restricted fields, which only the framework has.
#[doc(hidden)]
#[derive(Debug)]
pub struct DraftKey(());

impl DraftKey {
    pub(crate) const KEY: Self = Self(());
}
