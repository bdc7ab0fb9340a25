//! What a function that reviews writes declares: its kind and its wiring.

use crate::wiring::Kind;
use crate::wiring::admission::AdmissionWiring;

/// A function that reviews writes. `#[validate]` and `#[mutate]` implement it on a type with the name of the function.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not review writes",
    label = "neither `#[validate]` nor `#[mutate]`",
    note = "mark the function with `#[validate]`, or with `#[mutate]` if it changes the object"
)]
pub trait AdmissionFunction: Sized + Send + Sync + 'static {
    /// The kind that it reviews.
    type Object: Kind;
    /// Its declarations.
    const WIRING: AdmissionWiring;
}

/// Checks that a review is of a kind, in the same way as [`has_cleanup`](crate::bounds::has_cleanup).
#[doc(hidden)]
#[must_use]
pub const fn is_kind<K: Kind>() -> usize {
    0
}

/// A known kind. `N` is the value of [`is_kind`].
#[doc(hidden)]
pub trait ReviewedKind<const N: usize> {
    /// The kind itself.
    type Kind: Kind;
}

#[diagnostic::do_not_recommend]
impl<K: Kind, const N: usize> ReviewedKind<N> for K {
    type Kind = K;
}
