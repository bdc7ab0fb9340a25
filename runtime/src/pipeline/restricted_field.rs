//! Status fields that only one step may write: `#[status(step = store)]`.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use crate::pipeline::step::SubReconciler;
use crate::status::draft::DraftKey;

/// A field of a status that only the step `S` writes, declared with `#[status(step = ..)]`. All steps can read it: it derefs to its value.
///
/// The step writes it through [`Cx::write`](crate::Cx::write):
///
/// ```ignore (a fragment of a step)
/// *cx.write(|status| &mut status.artifact) = Some(artifact);
/// ```
///
/// The value cannot be replaced through [`Cx::status`](crate::Cx::status), since only the framework can construct a `Restricted`. In the
/// kind's own status, in JSON and in the schema, the field has the type that its author wrote.
///
/// `H` is only a hint in the type that rustc prints: [`with_cx_write`].
pub struct Restricted<S, H, T> {
    value: T,
    step: PhantomData<fn() -> (S, H)>,
}

/// A hint in compiler messages for a plain assignment: write `*cx.write(|status| &mut status.field) = value` instead.
#[allow(non_camel_case_types, reason = "as the author writes it, in messages")]
#[derive(Debug)]
pub enum with_cx_write {}

impl<S, H, T> Restricted<S, H, T> {
    #[doc(hidden)]
    pub fn new(value: T, _: &DraftKey) -> Self
    where
        S: SubReconciler,
    {
        Self { value, step: PhantomData }
    }

    pub(crate) fn value(&mut self) -> &mut T {
        &mut self.value
    }
}

impl<S, H, T> Deref for Restricted<S, H, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<S, H, T: fmt::Debug> fmt::Debug for Restricted<S, H, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

impl<S, H, T: PartialEq> PartialEq<T> for Restricted<S, H, T> {
    fn eq(&self, other: &T) -> bool {
        self.value == *other
    }
}

/// The status fields of this step may be written by the step `S` only if both are the same.
#[diagnostic::on_unimplemented(
    message = "`{S}` may not write this status field",
    label = "only `{Self}` writes it",
    note = "`#[status(step = {Self})]` restricts it to `{Self}`: let that step write it, or drop the restriction"
)]
pub trait WrittenBy<S> {}

#[diagnostic::do_not_recommend]
impl<S> WrittenBy<S> for S {}
