//! The part of an object to which a rule belongs.

/// A field on the way to the part. The method of an `Option` looks into it.
#[derive(Clone, Copy, Debug)]
pub struct At<'o, T>(pub &'o T);

impl<'o, T> At<'o, Option<T>> {
    /// The value, if it is there.
    #[must_use]
    pub fn located(self) -> Option<&'o T> {
        self.0.as_ref()
    }
}

/// The same for a field that is always there.
pub trait Located<'o, T> {
    /// The value.
    fn located(self) -> Option<&'o T>;
}

impl<'o, T> Located<'o, T> for At<'o, T> {
    fn located(self) -> Option<&'o T> {
        Some(self.0)
    }
}
