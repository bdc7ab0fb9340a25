//! What a step gets to write of a status: the status itself, unless a field of it is restricted to one step.

use std::borrow::Cow;

/// The status `T` in the form in which steps write it.
#[doc(hidden)]
pub trait StatusDraft<T: Clone>: Sized + Send + Sync + 'static {
    /// At the start of a pass.
    fn open(status: T, key: &DraftKey) -> Self;
    /// The status as it stands.
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

/// The leave to make restricted fields, which the framework alone has.
#[doc(hidden)]
#[derive(Debug)]
pub struct DraftKey(());

impl DraftKey {
    pub(crate) const KEY: Self = Self(());
}
