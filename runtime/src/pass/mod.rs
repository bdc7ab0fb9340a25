//! The pass: one run of a reconciler for one object, from the cache to the status write.
//!
//! fetch from cache - deleting? delete path - short-circuit - finalizer - steps - classify - summary - one status write - event -
//! schedule. What is special to one object's life (claim, policies, hooks) comes between these calls, in [`PassWorker::pass`].

mod api;
mod decide;
mod delete;
mod finish;
mod prepare;
mod report;
mod run;
mod undecodable;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use futures::FutureExt;
use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::api::DynamicObject;
use kube::{Client, Resource, ResourceExt};
use tokio::time::Instant;
use tokio_util::task::TaskTracker;
use tracing::{Instrument, Span, field};

pub(crate) use self::api::apply::Owned;
pub(crate) use self::api::calls::Calls;
#[cfg(feature = "flux")]
pub(crate) use self::api::calls::answered;
pub(crate) use self::api::owned_object::owned;
#[cfg(feature = "metrics")]
pub(crate) use self::report::inspect::Working;

use self::api::owned_writes::Children;
use self::api::{OnWritten, PassBackend};
use self::decide::suspend::is_suspended;
use self::finish::hot_object::Heat;
use self::finish::late_digest::Late;
use self::finish::resync::Clock;
use self::finish::retry_write::Pending;
use self::finish::status_write::Identity;
use self::prepare::finalizer::Finalizers;
use self::report::event::Recorder;
use crate::api::{ApiError, Target};
use crate::dependency::Access;
use crate::interval::Jitter;
use crate::leadership::Gate;
use crate::pipeline::hook::Observer;
use crate::pipeline::object;
use crate::pipeline::reconciler::Reconciler;
use crate::queue::meter::Meter;
use crate::queue::{Attempt, Causes, Key, Next, Ran, Worker};
use crate::status::observed::Observed;
use crate::trigger::List;
use crate::watch::{Dependents, Filter, Primary, Relations};
use crate::wiring::KindInfo;
use crate::wiring::policy::Policy;

/// What the passes of one reconciler share.
pub(crate) struct Env<R: Reconciler> {
    /// The client, with kube's own retries off; shared, as a copy of one is a boxed service.
    pub(crate) client: Arc<Client>,
    /// The operator's name.
    pub(crate) operator: Arc<str>,
    /// The author's dependencies.
    pub(crate) deps: Arc<R::Deps>,
    /// The cache of the reconciled kind.
    pub(crate) primary: Primary<R::Object>,
    /// The caches of owned and watched kinds.
    pub(crate) relations: Relations,
    /// Spreads the requeue intervals.
    pub(crate) jitter: Jitter,
    /// Fences the writes.
    pub(crate) gate: Gate,
    /// The causes that count.
    pub(crate) causes: List,
    /// Which references to other namespaces are allowed.
    pub(crate) access: Access,
    /// What may be done for objects that do not say so themselves.
    pub(crate) policy: Policy,
    /// The namespace of the operator, where objects belong to one of several; `None`: all are its own.
    pub(crate) owner: Option<Arc<str>>,
    /// Counts passes and steps.
    pub(crate) meter: Meter,
    /// Told of every pass.
    pub(crate) observers: Arc<[Observer]>,
}

/// So many conflicts in a row, and the cache is not trusted any more.
const HANGS: u32 = 3;

/// The names under which a reconciler writes.
pub(crate) fn field_manager<R: Reconciler>(operator: &str) -> String {
    R::WIRING.manager_under(operator)
}

/// What the last pass of this reconciler left in the status.
fn observed<R: Reconciler>(object: &R::Object) -> Observed<'_> {
    object::Primary::status(object).map(|status| Observed::of(status, &R::WIRING)).unwrap_or_default()
}

/// Runs passes.
pub(crate) struct PassWorker<R: Reconciler> {
    env: Env<R>,
    kind: KindInfo,
    manager: Arc<str>,
    finalizers: Finalizers,
    wiring: String,
    recorder: Arc<Recorder>,
    clock: Clock,
    memory: Mutex<HashMap<Key, Memory>>,
    dependents: Dependents,
    on_written: OnWritten,
}

/// A pass that has begun: its span, and when, if that counts.
struct Begun {
    span: Span,
    at: Option<Instant>,
}

/// What is remembered of one object between its passes.
#[derive(Default)]
struct Memory {
    children: Children,
    /// A status that could not be written yet.
    pending: Option<Pending>,
    /// The last status write failed, and its event has been sent.
    unwritten: bool,
    /// The digest of the last body, where the status does not hold it yet.
    late: Option<Box<Late>>,
    /// The values that were out of bounds in the last pass; `None` before the first.
    clamped: Option<BTreeSet<&'static str>>,
    /// Conditions of ours that another manager holds, too: we cannot take them away.
    foreign: BTreeSet<&'static str>,
    /// Fields of ours that stay in the status though we leave them out, and that could not be taken over; null: none.
    untakeable: serde_json::Value,
    /// How it changes under its passes.
    heat: Heat,
    /// It was suspended when it was last looked at.
    suspended: bool,
    /// It was told that it goes.
    going: bool,
    /// The other operator that it belonged to when it was last looked at.
    elsewhere: Option<String>,
}

impl<R: Reconciler> PassWorker<R> {
    pub(crate) fn new(env: Env<R>) -> Self {
        let manager = field_manager::<R>(&env.operator);
        Self {
            kind: KindInfo::of::<R::Object>(),
            finalizers: Finalizers::new(&R::WIRING, &R::Object::group(&()), &env.operator),
            wiring: decide::wiring_hash::wiring(&R::WIRING, R::after().map(|hook| hook.name), env.access),
            recorder: Arc::new(Recorder::new(Client::clone(&env.client), &env.operator)),
            clock: Clock::start(env.jitter),
            memory: Mutex::default(),
            dependents: Dependents::default(),
            on_written: api::on_written(env.primary.clone()),
            manager: manager.into(),
            env,
        }
    }

    /// What the event filter has to know.
    pub(crate) fn filter(&self) -> Filter<R::Object> {
        Filter {
            causes: self.env.causes,
            finalizer: self.finalizers.name().to_owned(),
            requested: R::WIRING.requested,
            policy: R::WIRING.policies.map(|policies| policies.key),
            triggers: R::WIRING.triggers,
            claimed: |object| observed::<R>(object).inputs.map_or_else(Vec::new, |inputs| inputs.into_owned().claimed),
            is_suspended: is_suspended::<R>,
            dependents: self.dependents.clone(),
        }
    }

    /// What it goes through is on the heap, piece by piece: most passes find the object unchanged, and moving a future costs what it is long.
    async fn pass(&self, key: &Key, causes: Causes, attempt: Attempt) -> Next {
        let object = match self.fetch(key, attempt).await {
            Ok(Some(object)) => object,
            Ok(None) => return self.absent(key),
            Err(error) => return self.unreachable(&error),
        };
        if let Some(left) = self.contested(key, causes) {
            return Next::Later(left);
        }
        if let Some(other) = self.elsewhere(&object) {
            return self.yield_to(key, &object, other);
        }
        if R::WIRING.policies.is_some_and(|policies| policies.namespace) {
            self.ask_namespace(key, &object).boxed().await;
        }
        let standing = self.standing(&object, &observed::<R>(&object), causes);
        if standing.contains(Causes::DELETION) {
            return self.delete(key, object, causes).boxed().await;
        }
        if is_suspended::<R>(&object) {
            return self.freeze(key, &object, causes.contains(Causes::SUSPENSION)).boxed().await;
        }
        self.thaw(key, &object);
        let pending = self.pending(key);
        // What the last body found out is in no status: the object is not as it should be, whatever its digest says.
        let behind = pending.is_some();
        if let Some(pending) = pending.filter(|pending| self.is_sent_alone(pending, &object, causes)) {
            return self.resend(key, object, pending).boxed().await;
        }
        let held_up = self.policy(&object).halt().or_else(|| self.held_up(key, &object));
        if standing.is_empty() && !behind && self.is_unchanged(key, &object, held_up.as_ref()).await {
            report::collector::ends(report::collector::UNCHANGED);
            return self.settled(key, &object).await;
        }
        if let Some(halt) = held_up {
            return self.hold(key, &object, halt, causes).boxed().await;
        }
        match self.prepare(key, object, causes).await {
            Ok(prepared) if self.is_skipped(&prepared.object) && R::WIRING.observe.is_none() => {
                self.leave(key, &prepared.object).boxed().await
            }
            Ok(prepared) => self.body(key, prepared, causes).boxed().await,
            Err(next) => next,
        }
    }

    /// From the cache; after so many conflicts from the server, in case the cache hangs.
    async fn fetch(&self, key: &Key, attempt: Attempt) -> Result<Option<Arc<R::Object>>, ApiError> {
        if attempt.conflicts < HANGS {
            return Ok(self.env.primary.get(key));
        }
        let Some(live) = self.live(key).boxed().await? else { return Ok(None) };
        Ok(self.wrote(&live))
    }

    async fn live(&self, key: &Key) -> Result<Option<DynamicObject>, ApiError> {
        self.calls().get(&self.target(key)).await
    }

    /// The pass with all that it says beside.
    async fn whole(&self, key: &Key, begun: Begun, causes: Causes, attempt: Attempt) -> Ran {
        let pass = self.pass(key, causes, attempt).boxed();
        let noted = crate::client::noting_retry_after(report::collector::kept(pass));
        let ((next, outcome, told), retry_after) = noted.instrument(begun.span.clone()).await;
        self.ended(key, &begun, outcome, &next);
        let recorder = self.recorder.clone();
        let tail = (!told.is_empty()).then(|| report::event::publish(recorder, told).instrument(begun.span).boxed());
        Ran { next: finish::schedule::not_before(next, retry_after), tail }
    }

    fn unreachable(&self, error: &ApiError) -> Next {
        tracing::warn!(%error, "the object could not be read; trying again");
        Next::Undone { at_least: None }
    }

    fn forget(&self, key: &Key) -> Next {
        self.env.relations.keep(key, &BTreeSet::new());
        self.memory().remove(key);
        self.dependents.set(key, HashSet::new());
        Next::Forget
    }

    fn calls(&self) -> Calls {
        Calls {
            client: self.env.client.clone(),
            permit: self.env.gate.permit(),
            manager: self.manager.clone(),
            whole: self.env.relations.keeps_all(),
        }
    }

    fn target(&self, key: &Key) -> Target {
        let namespace = key.namespace.as_deref().map(ToOwned::to_owned);
        Target { kind: self.kind.clone(), namespace, name: key.name.to_string() }
    }

    fn memory(&self) -> std::sync::MutexGuard<'_, HashMap<Key, Memory>> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts the object as a write returned it before the cache.
    fn wrote(&self, written: &DynamicObject) -> Option<Arc<R::Object>> {
        remember(&self.env.primary, written)
    }

    fn identity(&self, key: &Key, object: &R::Object) -> Identity {
        Identity {
            target: self.target(key),
            uid: object.uid().unwrap_or_default(),
            generation: object.meta().generation,
            deleting: object.meta().deletion_timestamp.is_some(),
            urgent: false,
        }
    }

    fn reference(&self, object: &R::Object) -> ObjectReference {
        object.object_ref(&())
    }

    fn backend(&self, key: &Key, object: &R::Object) -> Arc<PassBackend> {
        let children = self.memory().entry(key.clone()).or_default().children.clone();
        Arc::new(PassBackend {
            calls: self.calls(),
            relations: self.env.relations.clone(),
            key: key.clone(),
            identity: self.identity(key, object),
            owner: OnceLock::new(),
            children,
            version: Mutex::new(object.resource_version().unwrap_or_default()),
            tracked: Mutex::new(self.tracked(object)),
            settled: self.is_settled(key, object),
            on_written: self.on_written.clone(),
            access: self.env.access,
            hot: self.is_hot(key),
            blocking: TaskTracker::new(),
            meter: self.env.meter.clone(),
            began: Instant::now(),
        })
    }
}

fn remember<K: object::Primary>(primary: &Primary<K>, written: &DynamicObject) -> Option<Arc<K>> {
    let decoded = serde_json::to_value(written).and_then(serde_json::from_value::<K>);
    match decoded {
        Ok(object) => {
            let object = Arc::new(object);
            primary.wrote(object.clone());
            Some(object)
        }
        Err(error) => {
            tracing::warn!(%error, "the server's answer cannot be decoded; waiting for the watch");
            None
        }
    }
}

/// The reference of an object to what it owns.
pub(crate) fn owner(kind: &KindInfo, name: &str, uid: &str) -> OwnerReference {
    OwnerReference {
        api_version: kind.resource.api_version.clone(),
        kind: kind.resource.kind.clone(),
        name: name.to_owned(),
        uid: uid.to_owned(),
        block_owner_deletion: Some(true),
        controller: Some(true),
    }
}

impl<R: Reconciler> Worker for PassWorker<R> {
    async fn run(&self, key: &Key, causes: Causes, attempt: Attempt) -> Ran {
        #[cfg(feature = "sabotage")]
        if self.env.causes.only_looks_up() {
            std::hint::black_box(self.env.primary.get(key));
            return Next::Await.into();
        }
        let span = tracing::info_span!(
            "pass", reconciler = R::WIRING.name, object = %key, causes = %causes, outcome = field::Empty
        );
        let begun = Begun { span, at: self.env.meter.begin() };
        if let Some(next) = begun.span.in_scope(|| self.glance(key, causes, attempt)) {
            self.ended(key, &begun, report::collector::UNCHANGED, &next);
            return next.into();
        }
        // On the heap: the futures around it would each hold it, and without optimisation a thread's stack is not enough for them.
        self.whole(key, begun, causes, attempt).boxed().await
    }

    fn with_outage<F: Future<Output: Send> + Send>(&self, pass: F) -> impl Future<Output = (F::Output, bool)> + Send {
        crate::client::noting(pass).map(|(ended, answers)| (ended, answers.outage))
    }
}
