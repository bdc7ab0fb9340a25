//! Binds the calls of an expanded pipeline to steps, by the context type that the called function takes.

#[cfg(feature = "admission")]
pub(crate) mod admission;
pub(crate) mod bare;
#[cfg(feature = "operator")]
pub(crate) mod bare_store;
pub(crate) mod check;
pub(crate) mod context;
pub(crate) mod daemon;
#[cfg(feature = "dependents")]
pub(crate) mod dependents;
#[cfg(feature = "operator")]
pub(crate) mod dyn_reconciler;
pub(crate) mod dynamic;
pub(crate) mod handler;
pub mod hook;
pub(crate) mod mapping;
pub(crate) mod object;
pub(crate) mod permission;
pub(crate) mod placeholder;
pub(crate) mod reconciler;
pub(crate) mod restricted_field;
#[cfg(feature = "route")]
pub(crate) mod route;
pub(crate) mod state;
pub(crate) mod step;
pub(crate) mod watcher;

use self::check::UNKNOWN;
pub(crate) use self::context::StepTag;
use self::context::{Cx, Pass, claim, hook, observe, run_daemon, undo};
pub use self::context::{Pipeline, pipeline};
use self::daemon::DaemonOf;
pub(crate) use self::handler::Undo;
use self::handler::{Claim, Hooked, Observe};
use self::object::Primary;
use self::placeholder::ErrorPlaceholder;
use self::reconciler::Reconciler;
pub(crate) use self::step::HasCleanup;
use self::step::SubReconciler;
use crate::condition::{ConditionMarker, ConditionSet};
use crate::const_str::same;
pub(crate) use crate::kind::TriggeredBy;
use crate::outcome::ReconcileError;
use crate::outcome::reporting::{Until, WatchedKind};
pub(crate) use crate::wiring::handler::UndoStep;
use crate::wiring::{ClaimHandler, DaemonHandler, HookHandler, Kind, KindInfo, ObserveHandler, OwnableBy, StepWiring};

/// A function whose last parameter is the context of a step. `M` is the list of its parameters, which rustc infers.
#[diagnostic::on_unimplemented(
    message = "this function is not a step",
    label = "not a `#[sub_reconciler]`",
    note = "a pipeline calls steps only: mark the function with `#[sub_reconciler(sets(..))]`"
)]
pub trait StepFn<M> {
    /// The step.
    type Step: SubReconciler;
}

macro_rules! step_fn {
    ($($param:ident)*) => {
        #[diagnostic::do_not_recommend]
        impl<'x, 'y, F, S, R, $($param),*> StepFn<($($param,)* &'x mut Cx<'y, S>)> for F
        where
            F: FnOnce($($param,)* &'x mut Cx<'y, S>) -> R,
            S: SubReconciler,
        {
            type Step = S;
        }
    };
}

step_fn!(A);
step_fn!(A B);
step_fn!(A B C);
step_fn!(A B C D);
step_fn!(A B C D E);
step_fn!(A B C D E G);
step_fn!(A B C D E G H);
step_fn!(A B C D E G H I);
step_fn!(A B C D E G H I J);
step_fn!(A B C D E G H I J K);

/// A step that works on objects of `O` and sets conditions of `C`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a step for a `{O}` with the conditions `{C}`",
    label = "works on another kind, or sets conditions of another set"
)]
pub trait StepOf<O, C>: SubReconciler<Object = O, Conditions: SetMatches<C>> {}

/// The condition set `C`, or a placeholder for it.
#[diagnostic::on_unimplemented(
    message = "a step with the conditions `{Self}` is not a step for `{C}`",
    label = "sets conditions of another set",
    note = "drop this `impl`: `#[sub_reconciler]` determines the set of a step"
)]
pub trait SetMatches<C> {}

#[diagnostic::do_not_recommend]
impl<C: IsSet> SetMatches<C> for C {}

#[diagnostic::do_not_recommend]
impl<C> SetMatches<C> for ErrorPlaceholder {}

/// A condition set; a type that is not one is reported once.
/// Not a blanket impl: rustc would then treat the type as a set and report follow-up errors.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a condition set",
    label = "not a condition set",
    note = "derive it on an enum: `#[derive(ConditionSet)] enum {Self} {{ .. }}`"
)]
pub trait IsSet {
    /// The set itself.
    type Set: ConditionSet;
}

/// Checks that the type is a condition set. Evaluated in a constant of a type, as [`has_cleanup`] is.
#[must_use]
pub const fn is_set<S: IsSet>() -> usize {
    0
}

/// A type that is known to be a condition set. `N` is the value of [`is_set`].
pub trait Set<const N: usize> {
    /// The set itself.
    type Set: ConditionSet;
}

#[diagnostic::do_not_recommend]
impl<S: IsSet, const N: usize> Set<N> for S {
    type Set = S::Set;
}

/// The return type of a step that is written as an alias.
#[diagnostic::on_unimplemented(
    message = "a step cannot return `{Self}`",
    label = "not a `Result`",
    note = "return `Result<T, E>`, where `E` derives `ReconcileError`"
)]
pub trait StepOutput {
    /// The error that the step returns.
    type Error: ReconcileError;
}

impl<T, E: ReconcileError> StepOutput for Result<T, E> {
    type Error = E;
}

/// A marker of a condition in the set `C`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a condition of `{C}`",
    label = "of another set",
    note = "a step sets and clears the conditions of one set"
)]
pub trait MarkerOf<C>: ConditionMarker {}

#[diagnostic::do_not_recommend]
impl<C, M: ConditionMarker<Set = C>> MarkerOf<C> for M {}

/// The place of a condition in its set.
#[must_use]
pub const fn place<M: MarkerOf<C>, C>() -> usize {
    M::INDEX
}

/// Checks that the step has a cleanup. Evaluated in a constant of a type: an error there makes the type an error type, and rustc reports
/// nothing further for its uses.
#[must_use]
pub const fn has_cleanup<S: HasCleanup>() -> usize {
    0
}

/// Checks that a kind can be reconciled, in the same way as [`has_cleanup`].
#[must_use]
pub const fn is_primary<O: Primary>() -> usize {
    0
}

/// A kind that is known to be reconcilable. `N` is the value of [`is_primary`].
pub trait KindOf<const N: usize> {
    /// The kind itself.
    type Kind: Primary;
}

#[diagnostic::do_not_recommend]
impl<O: Primary, const N: usize> KindOf<N> for O {
    type Kind = O;
}

/// The change that ends the wait of an error with a field of type `T`.
#[must_use]
pub const fn triggered_by<T: TriggeredBy>() -> Until {
    Until::Change(WatchedKind(KindInfo::of::<T::Kind>))
}

/// Checks that objects of `O` may own objects of `K`.
pub const fn may_own<K: Kind<Scope: OwnableBy<O::Scope>>, O: Kind>() {}

/// Moves the kind of a step into a constant of a type.
/// If the step has an error there, the constant is one as well, and rustc does not report it twice.
#[must_use]
pub const fn known<S: SubReconciler<Object = K>, O, K>(_: StepTag<S, O>) -> usize {
    0
}

/// Skips the step: its positive conditions are set to True with the reason.
pub fn skip<S: SubReconciler, O>(_: StepTag<S, O>, pass: &mut Pass<'_>, reason: &'static str) {
    pass.state.skip(&S::WIRING, reason);
}

/// The observer `S` of the reconciler `R`.
#[must_use]
pub const fn observe_handler<R, C, S>() -> ObserveHandler
where
    R: Reconciler,
    C: ConditionSet,
    S: Observe<R> + StepOf<R::Object, C>,
{
    let step = StepWiring { errors: <S::Error as ReconcileError>::VARIANTS, ..S::WIRING };
    ObserveHandler { step, run: observe::<S, R> }
}

/// The name and the errors of a function other than a step.
const fn named<E: ReconcileError>(name: &'static str) -> StepWiring {
    StepWiring { name, errors: E::VARIANTS, ..StepWiring::EMPTY }
}

/// The claim `S` of the reconciler `R`.
#[must_use]
pub const fn claim_handler<R: Reconciler, S: Claim<R>>() -> ClaimHandler {
    let step = const { &named::<S::Error>(S::NAME) };
    ClaimHandler { step, is_pure: S::IS_PURE, run: claim::<S, R> }
}

/// The hook `S` of the reconciler `R`.
#[must_use]
pub const fn hook_handler<R: Reconciler, S: Hooked<R>>() -> HookHandler {
    let step = const { &named::<S::Error>(S::NAME) };
    HookHandler { when: S::WHEN, step, run: hook::<S, R> }
}

/// The daemon `S` of the reconciler `R`.
#[must_use]
pub const fn daemon_handler<R: Reconciler, S: DaemonOf<R>>() -> DaemonHandler {
    let step = const { &named::<S::Error>(S::NAME) };
    DaemonHandler { step, timeout: S::TIMEOUT, run: run_daemon::<S, R> }
}

/// The wiring of a step, with its cleanup in the reconciler `R`. The places are valid only if the step's conditions belong to the set `C`.
#[must_use]
pub const fn wiring_of<R, C, S, O>(_: StepTag<S, O>) -> StepWiring
where
    R: Reconciler,
    C: ConditionSet,
    S: SubReconciler<Undo: Undo<S, R>>,
{
    // The pointer is set only for external steps, so that no cleanup code is compiled for the others.
    let undo: Option<UndoStep> = if S::WIRING.external { Some(undo::<S, R>) } else { None };
    let deletes = S::WIRING.deletes || <S::Undo as Undo<S, R>>::DELETES;
    let wiring = StepWiring { errors: <S::Error as ReconcileError>::VARIANTS, undo, deletes, ..S::WIRING };
    if same(S::Conditions::NAME, C::NAME) {
        wiring
    } else {
        // `StepOf` already reports the wrong set at the call.
        StepWiring { sets: &[UNKNOWN], clears: &[], ..wiring }
    }
}

/// The step of a function in a pipeline. Whether it fits is checked only here, in the same words for each
/// mention of the step, so that rustc reports it once. A function that is generic over its object gets the type from here.
#[must_use]
pub const fn step_of<O, C, F, M>(_: &Pipeline<O, C>, _: &F) -> StepTag<F::Step, O>
where
    F: StepFn<M, Step: StepOf<O, C>>,
{
    const fn seen<S: StepOf<O, C>, O, C>(object: &O) -> &S::Object {
        object
    }
    StepTag(seen::<F::Step, O, C>)
}

/// A value that gives rustc the type of a block. Never called.
#[must_use]
pub fn value<T>() -> T {
    std::process::abort()
}

/// A reference whose `dyn Trait` has the same default lifetime as elsewhere.
pub type Borrowed<'a, T> = &'a T;

/// Whether a list or map is empty and therefore omitted when it is serialized.
pub fn is_empty<'a, T: ?Sized>(list: &'a T) -> bool
where
    &'a T: IntoIterator,
{
    list.into_iter().next().is_none()
}
