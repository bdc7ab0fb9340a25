//! The contexts that the author's code receives: [`Pass`] in a pipeline, [`Cx`] in a step.

mod blocking;
mod condition;
mod for_each;
mod futures;
mod join;
mod owned;
mod reads;
mod record;
mod run;
mod run_handler;
mod timeout;
mod watch;

use std::future::Future;
use std::marker::PhantomData;
use std::time::Duration;

use crate::api::ApiError;
use crate::condition::{Condition, ConditionMarker, ConditionStatus};
use crate::interval::Clamped;
use crate::outcome::Requeue;
use crate::outcome::reporting::EventLevel;
use crate::pipeline::object::Primary;
use crate::pipeline::permission::{ClearedBy, ReadBy, SetBy};
#[cfg(feature = "operator")]
use crate::pipeline::permission::{OwnCalls, SentBy};
use crate::pipeline::restricted_field::{Restricted, WrittenBy};
use crate::pipeline::state::PassState;
use crate::pipeline::step::SubReconciler;
use crate::status::StatusContract;
use crate::status::operation::RemoteOperation;
use crate::status::request::Action;
use crate::wiring::policy::Policy;

pub(crate) use self::blocking::blocking;
pub use self::for_each::{begin_each, ended, finish_each};
pub use self::futures::{Apply, Delete, Get, List, Require, RequireReady};
pub use self::join::{both, fork, joined, merge};
#[cfg(feature = "dependents")]
pub(in crate::pipeline) use self::reads::undecoded;
pub(crate) use self::record::store;
pub(crate) use self::run::StepTag;
#[cfg(feature = "operator")]
pub(crate) use self::run::begin;
#[cfg(all(feature = "dependents", feature = "operator"))]
pub(crate) use self::run::stop;
pub(crate) use self::run::undo_all;
pub use self::run::{Pipeline, conclude, finish, pipeline};
#[cfg(feature = "dependents")]
pub use self::run_handler::find_site;
pub(crate) use self::run_handler::{claim, hook, observe, run_daemon, undo};
pub(crate) use self::timeout::Limit;
pub use self::watch::{Call, call, called, deleted, whole};

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

#[cfg(feature = "dependents")]
impl<S> Cx<'_, S> {
    /// The state of the pass, and what the step has said about its conditions.
    pub(crate) fn parts(&mut self) -> (&mut PassState, (&mut u64, &mut Option<usize>)) {
        (self.state, (&mut self.set_bits, &mut self.named))
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

    /// A value that this step hands from one try to the next, by its type: the first try gets the default.
    ///
    /// It is kept until a pass succeeds, the generation of the object changes, or the object is gone. It is in memory only, so a restart of the
    /// operator begins with the default again. Two steps that use the same type have a value each.
    ///
    /// ```ignore
    /// #[derive(Default)]
    /// struct Upload {
    ///     parts: Vec<Part>,
    /// }
    ///
    /// #[sub_reconciler(sets(on::Uploaded))]
    /// async fn upload(image: &Image, store: &Store, cx: &mut Cx) -> Result<(), ImageError> {
    ///     for part in image.parts().skip(cx.carry::<Upload>().parts.len()) {
    ///         let part = store.put(part).await?;
    ///         cx.carry::<Upload>().parts.push(part);
    ///     }
    ///     Ok(())
    /// }
    /// ```
    ///
    /// Source: the state of a reconcile in Grafana's app SDK.
    pub fn carry<T: Default + Send + Sync + 'static>(&mut self) -> &mut T {
        self.state.carried.value(S::WIRING.name)
    }

    /// The number of passes of this generation since the last one that succeeded: 0 in the first try. It is in memory only.
    #[must_use]
    pub fn tries(&self) -> u32 {
        self.state.carried.tries()
    }

    /// A client for calls that `Cx` has no method for, such as an eviction, a scale, logs or `generateName`.
    ///
    /// It sends the calls that the step declares with `uses(..)`, and reads of kinds that the step reads, watches or owns. Any other call fails
    /// before it is sent, and the error contains the declaration to add. Each call has a time limit of 30 seconds until its response begins. It is
    /// counted and traced like the other calls of the step. Writes fail once another replica may be active.
    ///
    /// The default namespace of the client is that of the reconciled object. Objects created with it have no owner reference, and a change to one
    /// triggers nothing.
    ///
    /// ```ignore
    /// #[sub_reconciler(sets(on::Drained), uses(Pod, eviction = create))]
    /// async fn drain(node: &Bare<Node>, cx: &mut Cx) -> Result<(), DrainError> {
    ///     let pods = Api::<Pod>::namespaced(cx.client(), "default");
    ///     pods.evict("web-0", &EvictParams::default()).await?;
    ///     Ok(())
    /// }
    /// ```
    #[cfg(feature = "operator")]
    #[must_use]
    pub fn client(&mut self) -> kube::Client
    where
        OwnCalls: SentBy<S>,
    {
        self.state.backend.client(self.state.step_name(), S::WIRING.relations)
    }

    /// Records a Kubernetes event about the reconciled object: `cx.event(EventLevel::Normal, "Evicted", "evicted pod web-0")`.
    ///
    /// The reason is one word in CamelCase, and the note is a text for people of at most 1 kB. The event is sent after the pass, however the pass
    /// ends. Equal events are counted as one, and an object has at most 25 events at once and one more every five minutes, as in client-go.
    /// A change of Ready has an event without this call. [`EventLevel::None`] sends nothing.
    pub fn event(&mut self, level: EventLevel, reason: &'static str, note: impl AsRef<str>) {
        self.state.events.push(level, reason, note.as_ref());
    }

    /// Runs blocking work on a thread for blocking tasks.
    ///
    /// # Cancellation
    /// The work cannot be cancelled. If the pass times out and is dropped, no other pass of the object starts until the work has ended.
    ///
    /// At shutdown the operator waits for the work no longer than the [shutdown timeout](crate::Operator::shutdown_timeout); `run_cli` then
    /// ends the process. If work must not be interrupted between two side effects, split it into several calls.
    ///
    /// With [replicas](crate::guide::replicas), work that still runs when another replica may take over ends the operator: `run_cli` ends the
    /// process with code 70, and `run_until` returns an error. Work that may continue then, and that no pass has to wait for, can use
    /// `tokio::task::spawn_blocking` instead: evenkeel does not track it.
    pub async fn blocking<T: Send + 'static>(&mut self, work: impl FnOnce() -> T + Send + 'static) -> T {
        self.state.halt_before("the blocking work").await;
        let running = self.state.backend.blocks(self.state.step_name());
        let work = move || {
            let _running = running;
            work()
        };
        blocking(&*self.state.backend, work).await
    }
}

impl<S: SubReconciler> Cx<'_, S> {
    /// Stores the author's fields of the status now, for example before a side effect.
    ///
    /// Without this call they are stored at the end of the pass. Stores what was changed through [`status`](Self::status) and
    /// [`write`](Self::write). Each call with a changed field sends one write, and returns when the API server has stored it. An id that is
    /// stored before a call to another system therefore survives a crash of the operator. A call without a changed field sends no request.
    ///
    /// ```ignore
    /// let id = Uuid::new_v4();
    /// cx.status().order = Some(id);
    /// cx.commit().await?;
    /// shop.order(id).await?; // after a crash the next pass finds `status.order`, and asks for the same one
    /// ```
    ///
    /// Only the status is written, with the conditions that it has, and `Reconciling` for a new generation: the others are computed when the
    /// pass ends. To store a value in the metadata or the spec
    /// before the steps run, such as a generated name, use a [claim](macro@crate::claim), which stores it together with the finalizer.
    ///
    /// # Errors
    /// The write failed. After a conflict the pass is discarded and runs again, even if the step ignores the error.
    pub async fn commit(&mut self) -> Result<(), ApiError> {
        store(self.state, false).await
    }

    /// Starts a long-running operation for the current spec, or polls the one that is running.
    ///
    /// Returns `Some` when the operation has ended, and `None` while it is running. For `None`, return an error of class `waiting(poll = ..)`
    /// and call this method again in the next pass.
    ///
    /// - `start` starts the operation and returns its handle. The handle is stored in the status field immediately, so that the operator polls
    ///   this operation after a restart instead of starting another one.
    /// - `poll` queries the operation. It returns `None` while the operation is running, and `Some` when it has ended, successfully or not.
    ///   `T` must therefore distinguish success from failure.
    ///
    /// If an operation ends that was started for an earlier generation of the object, its result is dropped and `start` is called again.
    ///
    /// `start` can run twice for one operation in two cases: the operator crashes before the handle is stored, or the API server stays
    /// unreachable until the operator is restarted. If this matters, derive the name of the operation from the UID of the object, and let
    /// `start` look for an existing one first.
    ///
    /// ```ignore
    /// let created = cx.operation(
    ///     |status| &mut status.creation,
    ///     || cloud.begin_create(&database.spec),
    ///     |handle| cloud.created(handle),
    /// );
    /// let Some(id) = created.await? else { return Err(DatabaseError::Creating) };
    /// ```
    ///
    /// # Errors
    /// `start` or `poll` failed, or the handle could not be stored. The next call tries again.
    pub async fn operation<T, E, A, B>(
        &mut self,
        field: impl Fn(&mut StatusOf<S>) -> &mut Option<RemoteOperation> + Send,
        start: impl FnOnce() -> A + Send,
        poll: impl FnOnce(String) -> B + Send,
    ) -> Result<Option<T>, E>
    where
        A: Future<Output = Result<String, E>> + Send,
        B: Future<Output = Result<Option<T>, E>> + Send,
        E: From<ApiError>,
    {
        self.state.halt_before("the operation").await;
        let (place, backend) = (std::any::type_name_of_val(&field), self.state.backend.clone());
        // A handle that could not be stored is still available while the process runs.
        if let Some(running) = field(self.status()).clone().or_else(|| backend.operation(place)) {
            let Some(ended) = poll(running.handle.clone()).await? else {
                *field(self.status()) = Some(running);
                return Ok(None);
            };
            *field(self.status()) = None;
            backend.keep_operation(place, None);
            if running.generation == self.state.generation() {
                return Ok(Some(ended));
            }
        }
        let started = RemoteOperation { handle: start().await?, generation: self.state.generation() };
        backend.keep_operation(place, Some(started.clone()));
        *field(self.status()) = Some(started);
        store(self.state, true).await?;
        Ok(None)
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
