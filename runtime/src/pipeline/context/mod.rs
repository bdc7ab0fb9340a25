//! The contexts that author code sees: [`Pass`] in a pipeline, [`Cx`] in a step.

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
use crate::pipeline::permission::{ClearedBy, IndexedBy, KeptBy, ListedBy, ReadBy, SetBy, WatchedBy};
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
#[cfg(feature = "operator")]
pub(crate) use self::run::begin;
pub(crate) use self::run::undo_all;
pub use self::run::{Pipeline, StepTag, finish, pipeline};
pub(crate) use self::run_handler::{claim, hook, observe, undo};
pub use self::timeout::{Bounded, Limit};

/// The context of one pass: one run of a reconciler for one object. A pipeline hands it to its steps.
pub struct Pass<'p> {
    pub(crate) state: &'p mut PassState,
}

impl std::fmt::Debug for Pass<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pass").field("name", &self.state.name).finish_non_exhaustive()
    }
}

/// The context of the step `S`: what it declared, and nothing else, it may do here.
pub struct Cx<'a, S> {
    state: &'a mut PassState,
    /// Conditions that the step set itself, as bits.
    said: u64,
    /// The condition that `fail` named.
    named: Option<usize>,
    step: PhantomData<fn() -> S>,
}

/// What the step `S` sees of the status of its kind: the status itself, or where fields of it are [`Restricted`] a step, a struct
/// with the same fields.
pub type StatusOf<S> = <<<S as SubReconciler>::Object as Primary>::Status as StatusContract>::Draft;

impl<S> std::fmt::Debug for Cx<'_, S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cx").field("name", &self.state.name).finish_non_exhaustive()
    }
}

impl<'y, S> Cx<'y, S> {
    /// The context for the function of the step. A method, since it stands in every call that is printed.
    #[doc(hidden)]
    pub fn into_step_cx<'a>(&'a mut self) -> S::Context
    where
        S: IntoStepCx<'a, 'y>,
    {
        S::into_step_cx(self)
    }
}

impl<S: SubReconciler> Cx<'_, S> {
    /// Sets a condition that this step owns. The reason is a word in CamelCase; the message is for people. One outside the closed set of
    /// the condition does not compile as a literal; from elsewhere it is set as it is, and logged once.
    pub fn set<C: ConditionMarker + SetBy<S>>(
        &mut self,
        _: C,
        status: ConditionStatus,
        reason: &'static str,
        message: impl AsRef<str>,
    ) {
        self.said |= 1 << C::INDEX;
        self.state.hold_to_set(C::INDEX, reason);
        self.state.set(C::INDEX, status, reason, message.as_ref());
    }

    /// Removes a negative condition of an earlier step at once, rather than when this step succeeds.
    pub fn clear<C: ConditionMarker + ClearedBy<S>>(&mut self, _: C) {
        self.state.clear(C::INDEX);
    }

    /// The condition as it stands now.
    #[must_use]
    pub fn condition<C: ConditionMarker + ReadBy<S>>(&self, _: C) -> Option<&Condition> {
        self.state.condition(C::INDEX)
    }

    /// What may be done for the object, where its reconciler says `policies`: an observer runs under [`Policy::Skip`], and a step or a cleanup
    /// may want to know whether what it makes will be left behind.
    #[must_use]
    pub fn policy(&self) -> Policy {
        self.state.policy
    }

    /// Says which condition the error marks, where it is not the first of `sets(..)`: `return Err(cx.fail(on::X, error))`.
    #[must_use]
    pub fn fail<C: ConditionMarker + SetBy<S>>(&mut self, _: C, error: S::Error) -> S::Error {
        self.named = Some(C::INDEX);
        error
    }

    /// Says with what reason and message Ready is True if the pass ends well: `cx.ready("Provisioned", "role alice, 3 grants")`. A later call
    /// takes the place of an earlier one; where Ready is not True nothing of it is shown.
    pub fn ready(&mut self, reason: &'static str, message: impl AsRef<str>) {
        self.state.say_ready(reason, message.as_ref());
    }

    /// The author's part of the status, in which restricted fields are [`Restricted`] a step; written with the rest at the end of the pass, also when a later step fails.
    #[allow(clippy::expect_used, reason = "the draft of a pass is made for exactly this kind")]
    pub fn status(&mut self) -> &mut StatusOf<S> {
        self.state.status.downcast_mut().expect("the status is that of the step's kind")
    }

    /// A status field that `#[status(step = ..)]` gives to this step, to write it: `*cx.write(|status| &mut status.artifact) = None`.
    #[must_use]
    pub fn write<T, O: WrittenBy<S> + 'static, H: 'static>(
        &mut self,
        field: impl FnOnce(&mut StatusOf<S>) -> &mut Restricted<O, H, T>,
    ) -> &mut T {
        field(self.status()).value()
    }

    /// Whether the action of `actions(force)` fires in this pass: `cx.requested("force")`. That is so where `evenkeel.dev/forceAt` holds
    /// the token of the request that the pass answers, and neither was handled before. A pass whose status write fails is no receipt: the
    /// action fires again in the next one.
    #[must_use]
    pub fn requested(&self, action: Action<S>) -> bool {
        self.state.fires(action.name)
    }

    /// Runs again after this pass, along the back-off curve; later steps still run.
    pub fn requeue(&mut self) {
        self.state.ask_requeue(Requeue::WithBackoff);
    }

    /// Runs again after `delay`, clamped to between one second and thirty days; later steps still run.
    pub fn requeue_after(&mut self, delay: Duration) {
        let clamped = Clamped::clamp("time to requeue after", delay, &mut self.state.clamped);
        self.state.ask_requeue(Requeue::After(clamped));
    }

    /// The object of the name that this step cannot do without; in the namespace of the reconciled object where the kind has them.
    ///
    /// # Errors
    /// [`Absent`]: it is not there, or cannot be read; its appearance or change wakes the object.
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

    /// The object of the name, if it is there; a watched kind is read from the cache, another one from the API server.
    ///
    /// # Errors
    /// The call failed, or the object cannot be decoded.
    pub fn get<K: Kind + ReadBy<S>>(&mut self, name: &str) -> Get<'_, K> {
        Get(lookup(self.state, S::WIRING.relations, name, READ))
    }

    /// All objects of a kind that this step watches by label: those that match, in the namespace of the reconciled object where it has one,
    /// ordered by namespace and name. They come from the cache; what appears among them, changes or vanishes wakes the object.
    ///
    /// # Errors
    /// The watch does not work, or an object cannot be decoded.
    pub fn list<K: Kind + ListedBy<S>>(&mut self) -> List<'_, Vec<K>> {
        let all = selection(self.state, S::WIRING.relations, KindInfo::of::<K>(), None);
        List(listed(self.state, all))
    }

    /// Those objects of a kind that this step watches by label which an [`Index`] finds under the key: `cx.indexed(ByUser, "alice")`. As with
    /// [`list`](Self::list) they are of the namespace of the reconciled object where it has one, ordered, and from the cache; what is or was
    /// under the key wakes the object when it changes, and the others do not.
    ///
    /// # Errors
    /// The watch does not work, or an object cannot be decoded.
    pub fn indexed<I: Index + IndexedBy<S>>(&mut self, _: I, key: &str) -> List<'_, Vec<I::Object>> {
        let entry = entry(I::NAME, key);
        let found = selection(self.state, S::WIRING.relations, KindInfo::of::<I::Object>(), Some(&entry));
        List(listed(self.state, found))
    }

    /// The metadata of all objects of a kind of which this step keeps that or more in memory: of a kind that it watches by label, what
    /// [`list`](Self::list) would give; of one that it owns, those of the reconciled object, by name. They come from the cache.
    ///
    /// # Errors
    /// The watch does not work.
    pub fn metadata<K: Kind + KeptBy<S>>(&mut self) -> List<'_, Vec<ObjectMeta>> {
        let (relation, target) = selection(self.state, S::WIRING.relations, KindInfo::of::<K>(), None);
        let (step, backend) = (self.state.step_name(), self.state.backend.clone());
        List(Box::pin(async move { backend.metadata(step, relation, target).await }))
    }

    /// The owner of the object among a kind that this step reads, as it is now: `polls(K)` and `reads(K)` ask the API server. `None`: it has
    /// none of this kind, or that is gone.
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
        // Another one of the name is not the owner.
        let is_same = move |found: &K| found.meta().uid.as_ref() == Some(&owner.uid);
        Get(Box::pin(async move { Ok(found.await?.filter(is_same)) }))
    }

    /// Runs blocking work on a thread of its own. If the pass is dropped by its time-out, the object stays taken until the work has ended.
    ///
    /// Nothing can stop the work from outside. At a stop the operator does not wait for it longer than the [shutdown timeout](crate::Operator::shutdown_timeout):
    /// `run_cli` then ends the process. Work that must not be cut off between two effects is split into several calls.
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

/// What the function of a step takes last. Where a function is no step, the type is unknown, and rustc says nothing more of the call.
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
