//! Permissions: the declarations of a step, as traits that the methods of its context require.
//!
//! A permission is a trait of the type that is set, read or written, not of the step. Otherwise rustc would infer that type for a step with
//! a single permission. Only the macro implements [`Declares`], which has no public path, so a hand-written permission does not compile.

use crate::pipeline::step::SubReconciler;
use crate::status::request::Action;

macro_rules! lists {
    ($($list:ident)*) => {
        $(#[doc = concat!("The declarations in `", stringify!($list), "(..)` of a step.")]
        #[allow(non_camel_case_types, reason = "as the author writes it, in messages")]
        #[derive(Debug)]
        pub enum $list {})*
    };
}

lists!(sets clears reads watches labels indexes mapped cached owns anywhere uses dependents kept);

/// A condition that the step `S` may set.
#[diagnostic::on_unimplemented(
    message = "`{S}` may not set the condition `{Self}`",
    label = "not in the `sets(..)` of this step",
    note = "a condition has one owner: add it to `sets(..)` of `{S}`, or let the step that owns it set it"
)]
pub trait SetBy<S>: Declared<S, sets> {}

#[diagnostic::do_not_recommend]
impl<T: Declared<S, sets>, S> SetBy<S> for T {}

/// A condition of an earlier step that the step `S` may clear.
#[diagnostic::on_unimplemented(
    message = "`{S}` may not clear the condition `{Self}`",
    label = "not in the `clears(..)` of this step",
    note = "add it to `clears(..)` of `{S}`, where it is negative and an earlier step sets it"
)]
pub trait ClearedBy<S>: Declared<S, clears> {}

#[diagnostic::do_not_recommend]
impl<T: Declared<S, clears>, S> ClearedBy<S> for T {}

/// A kind or a condition that the step `S` may read.
#[diagnostic::on_unimplemented(
    message = "`{S}` may not read `{Self}`",
    label = "not declared by this step",
    note = "add it to `reads(..)` of `{S}`: its RBAC rules and triggers come from this declaration"
)]
pub trait ReadBy<S>: Declared<S, reads> {}

#[diagnostic::do_not_recommend]
impl<T: Declared<S, reads>, S> ReadBy<S> for T {}

/// A kind whose changes trigger a reconcile of the object of the step `S`.
#[diagnostic::on_unimplemented(
    message = "`{S}` would wait for a `{Self}` that it does not watch",
    label = "not watched by this step",
    note = "add `watches({Self}, by_name)` to `{S}`"
)]
pub trait WatchedBy<S>: Declared<S, watches> {}

#[diagnostic::do_not_recommend]
impl<T: Declared<S, watches>, S> WatchedBy<S> for T {}

/// A kind that the step `S` watches by label and may list.
#[diagnostic::on_unimplemented(
    message = "`{S}` would list `{Self}`, but does not watch it by label",
    label = "not watched by label in this step, or with `cache = none`",
    note = "add `watches({Self}, labels = \"app=web\")` to `{S}`: the cache holds the objects that match"
)]
pub trait ListedBy<S>: Declared<S, labels> {}

#[diagnostic::do_not_recommend]
impl<T: Declared<S, labels>, S> ListedBy<S> for T {}

/// An index by which the step `S` may look up objects of a kind that it watches by label.
#[diagnostic::on_unimplemented(
    message = "`{S}` would query the index `{Self}`, but does not declare it",
    label = "no `index = {Self}` in this step",
    note = "add `watches(.., labels = \"app=web\", index = {Self})` to `{S}`, with the kind of the index"
)]
pub trait IndexedBy<S>: Declared<S, indexes> {}

#[diagnostic::do_not_recommend]
impl<T: Declared<S, indexes>, S> IndexedBy<S> for T {}

/// A kind whose objects map to the reconciled objects of the step `S`.
#[diagnostic::on_unimplemented(
    message = "`{S}` would list the `{Self}` objects that map to its object, but declares no mapping function",
    label = "no `map = ..` for this kind in this step",
    note = "add `watches({Self}, labels = \"app=web\", map = users_of)` to `{S}`, with a function that returns `Vec<Reference>`"
)]
pub trait MappedBy<S>: Declared<S, mapped> {}

#[diagnostic::do_not_recommend]
impl<T: Declared<S, mapped>, S> MappedBy<S> for T {}

/// The step `S` caches the metadata of some or all objects of this kind.
#[diagnostic::on_unimplemented(
    message = "`{S}` would read the metadata of a `{Self}` that it does not cache",
    label = "its metadata is not cached by this step",
    note = "write `cache = metadata` where `{S}` watches `{Self}` by label or owns it"
)]
pub trait CachedBy<S>: Declared<S, cached> {}

#[diagnostic::do_not_recommend]
impl<T: Declared<S, cached>, S> CachedBy<S> for T {}

/// A kind that the step `S` writes and its object owns.
#[diagnostic::on_unimplemented(
    message = "`{S}` may not write `{Self}`",
    label = "not owned by this step",
    note = "add `owns({Self})` to `{S}`"
)]
pub trait OwnedBy<S>: Declared<S, owns> {}

#[diagnostic::do_not_recommend]
impl<T: Declared<S, owns>, S> OwnedBy<S> for T {}

/// A kind whose objects the step `S` may write in any namespace.
#[diagnostic::on_unimplemented(
    message = "`{S}` may not write `{Self}` in other namespaces",
    label = "not owned in any namespace by this step",
    note = "write `owns({Self}, namespaces = any)` in `{S}`"
)]
pub trait OwnedAnywhereBy<S>: Declared<S, anywhere> {}

#[diagnostic::do_not_recommend]
impl<T: Declared<S, anywhere>, S> OwnedAnywhereBy<S> for T {}

/// A kind whose objects the step `S` may keep as dependents.
#[cfg(feature = "dependents")]
#[diagnostic::on_unimplemented(
    message = "`{S}` may not keep a `{Self}` as a dependent",
    label = "not in the `dependents(..)` of this step",
    note = "add it to `dependents(..)` of `{S}`"
)]
pub trait DependentOf<S>: Declared<S, dependents> {}

#[cfg(feature = "dependents")]
#[diagnostic::do_not_recommend]
impl<T: Declared<S, dependents>, S> DependentOf<S> for T {}

/// A kind whose objects the step `S` keeps as dependents and caches.
#[cfg(feature = "dependents")]
#[diagnostic::on_unimplemented(
    message = "`{S}` would read a `{Self}` that it does not cache",
    label = "not cached by the `dependents(..)` of this step",
    note = "write `dependents({Self}(cache = full))` at `{S}`"
)]
pub trait KeptBy<S>: Declared<S, kept> {}

#[cfg(feature = "dependents")]
#[diagnostic::do_not_recommend]
impl<T: Declared<S, kept>, S> KeptBy<S> for T {}

/// The calls that a step sends itself, with [`Cx::client`](crate::Cx::client).
#[derive(Debug)]
pub enum OwnCalls {}

/// The step `S` may send calls of its own.
#[diagnostic::on_unimplemented(
    message = "`{S}` would call the API server, but declares no calls",
    label = "no `uses(..)` in this step",
    note = "add for example `uses(Pod, eviction = create)` to `{S}`: its RBAC rules come from this declaration"
)]
pub trait SentBy<S>: Declared<S, uses> {}

#[diagnostic::do_not_recommend]
impl<T: Declared<S, uses>, S> SentBy<S> for T {}

/// A type in the list `L` of the step `S`. It has no public path: a hand-written permission is an error with this message.
#[diagnostic::on_unimplemented(
    message = "`{S}` does not declare `{Self}`, and an `impl` does not permit it",
    label = "not in the `{L}(..)` of `{S}`",
    note = "drop this `impl`, and add `{Self}` to `{L}(..)` in the `#[sub_reconciler]` of `{S}`"
)]
pub trait Declared<S, L> {}

#[diagnostic::do_not_recommend]
impl<T, S: Declares<L, T>, L> Declared<S, L> for T {}

/// A step with `T` in its list `L`. `#[sub_reconciler]` generates it for the step, so that `T` may be a generic parameter.
pub trait Declares<L, T> {}

/// A step with a compile error. It has every permission, so that rustc reports one error only.
#[doc(hidden)]
pub trait Unchecked {}

#[diagnostic::do_not_recommend]
impl<S: Unchecked, L, T> Declares<L, T> for S {}

/// An action that the attribute found in the declaration of the step.
#[doc(hidden)]
#[must_use]
pub const fn action<S: SubReconciler>(name: &'static str) -> Action<S> {
    Action::new(name)
}
