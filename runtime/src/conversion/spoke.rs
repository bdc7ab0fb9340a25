//! The trait of a version that is served, but not stored.

use kube::CustomResourceExt;
use kube::core::object::{HasSpec, HasStatus};

use super::wiring::ConversionWiring;

/// A version of a kind that is still served, while another one is stored and reconciled.
///
/// [`#[convert]`](macro@crate::convert) implements it. [`Operator::serves`](crate::Operator::serves) takes it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no conversion to a stored version",
    label = "no conversion",
    note = "write `#[convert(to = v1::K)] impl v1beta1::K {{ fn up(..) -> .. {{ .. }} fn down(..) -> .. {{ .. }} }}`"
)]
pub trait Spoke: 'static {
    /// The version that is stored.
    type Hub: 'static;
    /// The functions and declarations of the conversion.
    #[doc(hidden)]
    const CONVERSION: ConversionWiring;
}

/// A version of a custom resource.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no version of a custom resource",
    label = "no custom resource of this program",
    note = "name the type that `#[derive(CustomResource)]` generates, not its spec"
)]
#[doc(hidden)]
pub trait Version {}

#[diagnostic::do_not_recommend]
impl<K: CustomResourceExt> Version for K {}

/// A version with a status.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no status to convert",
    label = "no status",
    note = "leave out `up_status` and `down_status`, or write `status = \"..\"` in `#[kube(..)]`"
)]
#[doc(hidden)]
pub trait VersionWithStatus {}

#[diagnostic::do_not_recommend]
impl<K: HasStatus> VersionWithStatus for K {}

/// Checks that the type is a version, in the same way as [`has_cleanup`](crate::bounds::has_cleanup).
#[doc(hidden)]
#[must_use]
pub const fn is_version<K: Version>() -> usize {
    0
}

/// Checks that the version has a status.
#[doc(hidden)]
#[must_use]
pub const fn has_status<K: VersionWithStatus>() -> usize {
    0
}

/// A checked type. `N` is the value of the check; if that fails, it is the only error.
#[doc(hidden)]
pub trait Checked<const N: usize> {
    /// The type itself.
    type Itself;
}

impl<K, const N: usize> Checked<N> for K {
    type Itself = K;
}

/// The spec of a version.
#[doc(hidden)]
pub type ConvertedSpecOf<K> = <K as HasSpec>::Spec;

/// The status of a version.
#[doc(hidden)]
pub type ConvertedStatusOf<K> = <K as HasStatus>::Status;
