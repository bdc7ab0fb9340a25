//! The contexts that the author's code receives: [`Pass`] in a pipeline, [`Cx`] in a step.

mod condition;
mod for_each;
mod futures;
mod join;
mod owned;
mod reads;
mod record;
mod require_ready;
mod run;
mod run_handler;
mod timeout;

use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::ResourceExt;
use kube::core::ObjectMeta;

use crate::condition::{Condition, ConditionMarker, ConditionStatus};
use crate::interval::Clamped;
use crate::outcome::Requeue;
use crate::pipeline::object::Primary;
use crate::pipeline::permission::{CachedBy, ClearedBy, IndexedBy, ListedBy, ReadBy, SetBy, WatchedBy};
use crate::pipeline::restricted_field::{Restricted, WrittenBy};
use crate::pipeline::state::PassState;
use crate::pipeline::step::{Absent, SubReconciler};
use crate::status::StatusContract;
use crate::status::request::Action;
use crate::wiring::index::{Index, entry};
use crate::wiring::policy::Policy;
use crate::wiring::{Kind, KindInfo};

pub use self::for_each::{begin_each, ended, finish_each};
pub use self::futures::{Apply, Delete, Get, List, Require, RequireReady};
pub use self::join::{both, fork, joined, merge};
use self::reads::{READ, WATCHED, listed, lookup, selection};
pub(crate) use self::run::StepTag;
#[cfg(feature = "operator")]
pub(crate) use self::run::begin;
pub(crate) use self::run::undo_all;
pub use self::run::{Pipeline, finish, pipeline};
pub(crate) use self::run_handler::{claim, hook, observe, undo};
pub(crate) use self::timeout::Limit;

/// The context of a pass: one run of a reconciler for one object.
///
/// A pipeline hands it to its steps.
pub struct Pass<'p> {
    pub(crate) state: &'p mut PassState,
}

impl std::fmt::Debug for Pass<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pass").field("name", &self.state.name).finish_non_exhaustive()
    }
}

/// The context of the step `S`.
///
/// It allows only what the attribute of the step declares; any other call does not compile.
pub struct Cx<'a, S> {
    state: &'a mut PassState,
    /// Conditions that the step set itself, as a bit set.
    set_bits: u64,
    /// The index of the condition passed to `fail`.
    named: Option<usize>,
    step: PhantomData<fn() -> S>,
}

/// The type through which the step `S` accesses the status of its kind.
///
/// It is the status type itself, or a struct with the same fields if some of them are [`Restricted`] to a step.
pub type StatusOf<S> = <<<S as SubReconciler>::Object as Primary>::Status as StatusContract>::Draft;

impl<S> std::fmt::Debug for Cx<'_, S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cx").field("name", &self.state.name).finish_non_exhaustive()
    }
}

impl<'y, S> Cx<'y, S> {
    /// The context for the function of the step. This is a method because every call that the macros generate contains it.
    #[doc(hidden)]
    pub fn into_step_cx<'a>(&'a mut self) -> S::Context
    where
        S: IntoStepCx<'a, 'y>,
    {
        S::into_step_cx(self)
    }
}

impl<S: SubReconciler> Cx<'_, S> {
    /// Sets a condition that this step owns.
    ///
    /// The reason is one word in CamelCase, and the message is a text for people. If the condition has a closed set of reasons, a literal
    /// outside this set does not compile. A reason that is not a literal is set unchanged, and one outside the set is logged once.
    pub fn set<C: ConditionMarker + SetBy<S>>(
        &mut self,
        _: C,
        status: ConditionStatus,
        reason: &'static str,
        message: impl AsRef<str>,
    ) {
        self.set_bits |= 1 << C::INDEX;
        self.state.hold_to_set(C::INDEX, reason);
        self.state.set(C::INDEX, status, reason, message.as_ref());
    }

    /// Removes a negative condition of an earlier step immediately, instead of when this step succeeds.
    pub fn clear<C: ConditionMarker + ClearedBy<S>>(&mut self, _: C) {
        self.state.clear(C::INDEX);
    }

    /// The current value of the condition; `None` if it is absent.
    #[must_use]
    pub fn condition<C: ConditionMarker + ReadBy<S>>(&self, _: C) -> Option<&Condition> {
        self.state.condition(C::INDEX)
    }

    /// The policy of the object; [`Policy::Manage`] unless its reconciler declares `policies`.
    ///
    /// An observer runs with [`Policy::Skip`]. With [`Policy::DetachOnDelete`] the cleanups do not run when the object is deleted.
    #[must_use]
    pub fn policy(&self) -> Policy {
        self.state.policy
    }

    /// Selects the condition that the error marks: `return Err(cx.fail(on::X, error))`.
    ///
    /// Without this call an error marks the first condition of `sets(..)`.
    #[must_use]
    pub fn fail<C: ConditionMarker + SetBy<S>>(&mut self, _: C, error: S::Error) -> S::Error {
        self.named = Some(C::INDEX);
        error
    }

    /// Sets the reason and message of Ready for a successful pass: `cx.ready("Provisioned", "role alice, 3 grants")`.
    ///
    /// A later call replaces an earlier one. Reason and message are used only if Ready is True.
    pub fn ready(&mut self, reason: &'static str, message: impl AsRef<str>) {
        self.state.set_ready_message(reason, message.as_ref());
    }

    /// The author's fields of the status.
    ///
    /// They are written at the end of the pass together with the conditions, even if a later step fails. A field that only one step may write
    /// has the type [`Restricted`].
    #[allow(clippy::expect_used, reason = "the draft of a pass is made for exactly this kind")]
    pub fn status(&mut self) -> &mut StatusOf<S> {
        self.state.status.downcast_mut().expect("the status is that of the step's kind")
    }

    /// Mutable access to a status field that `#[status(step = ..)]` restricts to this step.
    ///
    /// Example: `*cx.write(|status| &mut status.artifact) = None`.
    #[must_use]
    pub fn write<T, O: WrittenBy<S> + 'static, H: 'static>(
        &mut self,
        field: impl FnOnce(&mut StatusOf<S>) -> &mut Restricted<O, H, T>,
    ) -> &mut T {
        field(self.status()).value()
    }

    /// Whether a one-shot action is requested in this pass.
    ///
    /// For `actions(force)`, `cx.requested("force")` returns true if both of these conditions are met:
    ///
    /// - The annotation `evenkeel.dev/forceAt` contains the token of the reconcile request that the pass handles.
    /// - Neither this request nor the action with this token was handled before.
    ///
    /// If the status write of the pass fails, the token is not recorded as handled, and the action is requested again in the next pass.
    #[must_use]
    pub fn requested(&self, action: Action<S>) -> bool {
        self.state.fires(action.name)
    }

    /// Requests another pass after this one, along the back-off curve. Later steps still run.
    pub fn requeue(&mut self) {
        self.state.ask_requeue(Requeue::WithBackoff);
    }

    /// Requests another pass after `delay`. Later steps still run.
    ///
    /// The delay is clamped to the range from one second to thirty days.
    pub fn requeue_after(&mut self, delay: Duration) {
        let clamped = Clamped::clamp("time to requeue after", delay, &mut self.state.clamped);
        self.state.ask_requeue(Requeue::After(clamped));
    }

    /// Reads an object that this step requires.
    ///
    /// If the kind is namespaced, the object is read from the namespace of the reconciled object.
    ///
    /// # Errors
    /// [`Absent`]: the object does not exist or cannot be read. When it appears or changes, a reconcile is triggered.
    pub fn require<K: Kind + WatchedBy<S>>(&mut self, name: &str) -> Require<'_, K> {
        let name = name.to_owned();
        let found = lookup(self.state, S::WIRING.relations, &name, WATCHED);
        Require(Box::pin(async move {
            match found.await {
                Ok(Some(object)) => Ok(object),
                Ok(None) => Err(Absent::new(name)),
                Err(error) => Err(Absent::unreadable(name, error)),
            }
        }))
    }

    /// Reads an object by name; `None` if it does not exist.
    ///
    /// An object of a watched kind comes from the cache, one of any other kind from the API server.
    ///
    /// # Errors
    /// The call failed, or the object cannot be decoded.
    pub fn get<K: Kind + ReadBy<S>>(&mut self, name: &str) -> Get<'_, K> {
        Get(lookup(self.state, S::WIRING.relations, name, READ))
    }

    /// Lists all objects of a kind that this step watches by label.
    ///
    /// The list contains the objects that match the selector, ordered by namespace and name. If the reconciled object has a namespace, only
    /// objects in this namespace are listed. They come from the cache. The creation, change or deletion of such an object triggers a reconcile.
    ///
    /// # Errors
    /// The watch fails, or an object cannot be decoded.
    pub fn list<K: Kind + ListedBy<S>>(&mut self) -> List<'_, Vec<K>> {
        let all = selection(self.state, S::WIRING.relations, KindInfo::of::<K>(), None);
        List(listed(self.state, all))
    }

    /// Lists the objects that an [`Index`] has under the key: `cx.indexed(ByUser, "alice")`.
    ///
    /// The kind must be watched by label. Namespace, order and source are those of [`list`](Self::list). A change to an object that is or was
    /// under the key triggers a reconcile; changes to other objects do not.
    ///
    /// # Errors
    /// The watch fails, or an object cannot be decoded.
    pub fn indexed<I: Index + IndexedBy<S>>(&mut self, _: I, key: &str) -> List<'_, Vec<I::Object>> {
        let entry = entry(I::NAME, key);
        let found = selection(self.state, S::WIRING.relations, KindInfo::of::<I::Object>(), Some(&entry));
        List(listed(self.state, found))
    }

    /// Lists the metadata of the objects of a kind, from the cache.
    ///
    /// The step must cache at least the metadata of the kind (`cache = metadata` or `full`).
    ///
    /// - For a kind that the step watches by label, the list covers the same objects as [`list`](Self::list).
    /// - For a kind that the step owns, it covers the objects owned by the reconciled object, ordered by name.
    ///
    /// # Errors
    /// The watch fails.
    pub fn metadata<K: Kind + CachedBy<S>>(&mut self) -> List<'_, Vec<ObjectMeta>> {
        let (relation, target) = selection(self.state, S::WIRING.relations, KindInfo::of::<K>(), None);
        let (step, backend) = (self.state.step_name(), self.state.backend.clone());
        List(Box::pin(async move { backend.metadata(step, relation, target).await }))
    }

    /// Reads the owner of the object that is of kind `K`.
    ///
    /// With `polls(K)` and `reads(K)` the owner comes from the API server. Returns `None` if the object has no owner of this kind, or if the
    /// owner no longer exists.
    ///
    /// # Errors
    /// The call failed, or the owner cannot be decoded.
    pub fn owner<K: Kind + ReadBy<S>>(&mut self, object: &S::Object) -> Get<'_, K> {
        let is_owner = |reference: &&OwnerReference| {
            let group = reference.api_version.rsplit_once('/').map_or("", |(group, _)| group);
            reference.kind == K::kind(&()) && group == K::group(&())
        };
        let Some(owner) = object.owner_references().iter().find(is_owner).cloned() else {
            return Get(Box::pin(std::future::ready(Ok(None))));
        };
        let found = lookup::<K>(self.state, S::WIRING.relations, &owner.name, READ);
        // An object with the same name and another UID is not the owner.
        let is_same = move |found: &K| found.meta().uid.as_ref() == Some(&owner.uid);
        Get(Box::pin(async move { Ok(found.await?.filter(is_same)) }))
    }

    /// Runs blocking work on a thread for blocking tasks.
    ///
    /// # Cancellation
    /// The work cannot be cancelled. If the pass times out and is dropped, no other pass of the object starts until the work has ended.
    ///
    /// At shutdown the operator waits for the work no longer than the [shutdown timeout](crate::Operator::shutdown_timeout); `run_cli` then
    /// ends the process. If work must not be interrupted between two side effects, split it into several calls.
    pub async fn blocking<T: Send + 'static>(&mut self, work: impl FnOnce() -> T + Send + 'static) -> T {
        let answer = Arc::new(Mutex::new(None));
        let given = answer.clone();
        let end = self.state.backend.blocking(Box::new(move || {
            let done = catch_unwind(AssertUnwindSafe(work));
            *given.lock().unwrap_or_else(PoisonError::into_inner) = Some(done);
        }));
        end.await;
        let done = answer.lock().unwrap_or_else(PoisonError::into_inner).take();
        match done {
            Some(Ok(value)) => value,
            Some(Err(panic)) => resume_unwind(panic),
            None => resume_unwind(Box::new("blocking work was abandoned by the runtime")),
        }
    }
}

/// The conversion of a context into the last argument of a step function.
///
/// If a function is not a step, the type of this argument is unknown, and rustc reports no further errors for the call.
pub trait IntoStepCx<'a, 'y: 'a>: Sized {
    /// `&mut Cx<'_, Self>`.
    type Context;
    /// The context itself.
    fn into_step_cx(cx: &'a mut Cx<'y, Self>) -> Self::Context;
}

#[diagnostic::do_not_recommend]
impl<'a, 'y: 'a, S: SubReconciler> IntoStepCx<'a, 'y> for S {
    type Context = &'a mut Cx<'y, S>;

    fn into_step_cx(cx: &'a mut Cx<'y, S>) -> Self::Context {
        cx
    }
}
