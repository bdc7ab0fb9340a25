//! What a step with dependents returns, and the checks of it.

#[cfg(feature = "templates")]
use super::templates::Templates;
use crate::pipeline::object::Primary;
use crate::pipeline::permission::Unchecked;
use crate::pipeline::step::SubReconciler;
use crate::status::StoresDependents;

/// A step with `dependents(..)`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` keeps no dependents",
    label = "no `dependents(..)` in this step",
    note = "add for example `dependents(ConfigMap)` to `{Self}`: its watches and RBAC rules come from this declaration"
)]
pub trait Converges: SubReconciler {}

#[diagnostic::do_not_recommend]
impl<S: SubReconciler + Unchecked> Converges for S {}

/// A step with `templates(..)` in its `dependents(..)`.
#[cfg(feature = "templates")]
#[diagnostic::on_unimplemented(
    message = "`{Self}` renders no templates",
    label = "no `templates(..)` in the `dependents(..)` of this step",
    note = "add for example `templates(MANIFESTS)` to `dependents(..)` of `{Self}`: its watches and RBAC rules come from this declaration"
)]
pub trait Renders: Converges {
    /// The declared sets of templates.
    #[doc(hidden)]
    const TEMPLATES: &'static [&'static Templates];
}

#[cfg(feature = "templates")]
#[diagnostic::do_not_recommend]
impl<S: SubReconciler + Unchecked> Renders for S {
    const TEMPLATES: &'static [&'static Templates] = &[];
}

/// A value that a step with dependents returns: `Dependents`, or a tuple that begins with it.
pub trait Converged {}

impl Converged for Dependents {}
impl<T> Converged for (Dependents, T) {}

/// The result of a step with dependents.
#[diagnostic::on_unimplemented(
    message = "this step keeps dependents, but may end without converging them",
    label = "not the `Dependents` that `cx.converge(..)` returns",
    note = "return `Result<Dependents, ..>`, or a tuple whose first part is `Dependents`"
)]
#[doc(hidden)]
pub trait ConvergedOutput {}

#[diagnostic::do_not_recommend]
impl<T: Converged, E> ConvergedOutput for Result<T, E> {}

/// Checks what a step with dependents returns.
#[doc(hidden)]
pub const fn returns_dependents<R: ConvergedOutput>() {}

/// Checks that the status of a kind stores dependents.
#[doc(hidden)]
pub const fn stores_dependents<O: Primary<Status: StoresDependents>>() {}

/// A set whose objects are as wanted and ready. Only [`Cx::converge`](crate::Cx::converge) and [`Cx::keep`](crate::Cx::keep)
/// make one.
#[derive(Clone, Copy, Debug)]
pub struct Dependents {
    pub(super) revision: i64,
    pub(super) count: usize,
}

impl Dependents {
    /// The number of changes of the set so far.
    #[must_use]
    pub const fn revision(&self) -> i64 {
        self.revision
    }

    /// The number of objects.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.count
    }
}
