//! The state that all passes of one reconciler share.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ObjectReference;
use kube::Client;
use kube::api::{DynamicObject, ObjectMeta};
use tokio_util::sync::CancellationToken;

use super::api::calls::Calls;
#[cfg(feature = "dependents")]
use super::api::component_calls::ComponentCalls;
use super::api::identity::Identity;
use super::api::request::Sender;
#[cfg(feature = "dependents")]
use super::api::rolled_out::{Changes, RolledOut};
#[cfg(feature = "dependents")]
use super::api::seen_dependents::SeenDependents;
use super::daemon::{DaemonSetup, Daemons};
use super::decide::selection::is_wanted;
use super::decide::suspend::is_suspended;
use super::decide::wiring_hash;
use super::finish::resync::Clock;
use super::memory::Memory;
use super::memory::live_reads::LiveReads;
use super::memory::tried::Tried;
use super::pass_id::PassIds;
use super::prepare::finalizer::Finalizers;
use super::report::event::Recorder;
use crate::api::{DryRunLog, Target, Warned};
use crate::backoff::Backoff;
use crate::client::{Answers, StepClient};
use crate::config::Fingerprint;
use crate::dependency::Access;
use crate::interval::Jitter;
use crate::leadership::{ShardGates, WritePermit};
use crate::lock::{Mutex, MutexGuard};
use crate::outcome::Outcome;
#[cfg(feature = "dependents")]
use crate::pipeline::dependents::Site;
use crate::pipeline::dyn_reconciler::DynReconciler;
use crate::pipeline::hook::PassListener;
use crate::pipeline::object::Object;
#[cfg(feature = "dependents")]
use crate::pipeline::state::ConvergedSets;
use crate::pipeline::state::PassState;
use crate::queue::meter::Meter;
use crate::queue::{Key, KeyMap, Next, Queue};
use crate::status::observed::Observed;
use crate::trigger::EnabledTriggers;
use crate::watch::{Dependents, Primary, PrimaryPredicate, RelatedCaches, matches};
use crate::wiring::policy::Policy;
use crate::wiring::{KindInfo, OperatorNames, Wiring};

/// The settings and resources that the passes of one reconciler share.
pub(crate) struct PassSetup {
    /// The client for the API calls of the passes. Shared, since a clone of it clones a boxed service.
    pub(crate) client: Arc<StepClient>,
    /// The client for events.
    pub(crate) events: Client,
    /// The names of the operator.
    pub(crate) operator: OperatorNames,
    /// The author's functions, with their dependencies.
    pub(crate) reconciler: Arc<dyn DynReconciler>,
    /// The cache of the reconciled kind.
    pub(crate) primary: Primary,
    /// The caches of owned and watched kinds.
    pub(crate) relations: RelatedCaches,
    /// The queue, for requests of daemons.
    pub(crate) queue: Queue,
    /// The stop of the operator, which stops the daemons.
    pub(crate) stop: CancellationToken,
    /// Spreads the requeue intervals.
    pub(crate) jitter: Jitter,
    /// Fence the writes.
    pub(crate) shard_gates: ShardGates,
    /// The enabled triggers.
    pub(crate) enabled_triggers: EnabledTriggers,
    /// The allowed references to other namespaces.
    pub(crate) access: Access,
    /// The feature gates that differ from their defaults, as a text.
    pub(crate) gates: Arc<str>,
    /// The hash of the settings of the author.
    pub(crate) settings: Fingerprint,
    /// The default policy, for objects without a policy annotation.
    pub(crate) policy: Policy,
    /// The service account of sets without a site.
    #[cfg(feature = "dependents")]
    pub(crate) default_service_account: Option<Arc<str>>,
    /// The label selector of the operator. All other objects are those of other operators, which may have the same name.
    pub(crate) selector: Option<Arc<str>>,
    /// The operator's namespace, if each object belongs to one of several operators; `None`: all objects are its own.
    pub(crate) owner: Option<Arc<str>>,
    /// The delays between the retries of a failing object.
    pub(crate) backoff: Backoff,
    /// Counts passes and steps.
    pub(crate) meter: Meter,
    /// The log of the dry run, if this is one.
    pub(crate) dry_run: Option<&'static dyn DryRunLog>,
    /// Called after every pass.
    pub(crate) listeners: Arc<[PassListener]>,
}

/// The results of this reconciler's last pass, from the status.
pub(super) fn observed<'o>(wiring: &Wiring, object: &'o Object) -> Observed<'o> {
    object.status().map(|status| Observed::of(status, wiring)).unwrap_or_default()
}

/// The labels and annotations that the claims of earlier passes wrote.
pub(super) fn claimed_before(wiring: &Wiring, object: &Object) -> Vec<String> {
    observed(wiring, object).inputs.map_or_else(Vec::new, |inputs| inputs.into_owned().claimed)
}

/// The context of a pass, shared by all passes of the reconciler.
pub(crate) struct PassContext {
    pub(super) env: PassSetup,
    pub(super) wiring: &'static Wiring,
    pub(super) kind: KindInfo,
    pub(super) field_manager: Arc<str>,
    /// The field managers of earlier versions of the operator and the reconciler.
    pub(super) former_managers: Arc<[String]>,
    pub(super) finalizers: Finalizers,
    pub(super) wiring_hash: String,
    pub(super) recorder: Arc<Recorder>,
    pub(super) daemons: Daemons,
    pub(super) clock: Clock,
    pub(super) memory: Mutex<KeyMap<Memory>>,
    pub(super) live_reads: LiveReads,
    pub(super) dependents: Dependents,
    pub(super) warned: Arc<Warned>,
    pub(super) ids: PassIds,
}

impl PassContext {
    pub(crate) fn new(env: PassSetup) -> Self {
        let (wiring, kind, hook) = (env.reconciler.wiring(), env.reconciler.kind(), env.reconciler.hook());
        let field_manager = wiring.field_manager_under(&env.operator.name);
        let recorder = Arc::new(Recorder::new(env.events.clone(), &env.operator.name));
        Self {
            finalizers: Finalizers::new(wiring, &kind.resource.group, &env.operator),
            wiring_hash: wiring_hash::with_gates(
                wiring_hash::wiring(wiring, hook, env.access, env.owner.as_deref()),
                &env.gates,
            ),
            daemons: Daemons::new(DaemonSetup {
                reconciler: env.reconciler.clone(),
                recorder: recorder.clone(),
                queue: env.queue.clone(),
                shard_gates: env.shard_gates.clone(),
                stop: env.stop.clone(),
                meter: env.meter.clone(),
                backoff: env.backoff,
            }),
            recorder,
            clock: Clock::start(env.jitter),
            memory: Mutex::default(),
            live_reads: LiveReads::default(),
            dependents: Dependents::default(),
            warned: Arc::default(),
            ids: PassIds::new(),
            field_manager: field_manager.into(),
            former_managers: env.operator.former_managers(wiring).into(),
            wiring,
            kind,
            env,
        }
    }

    /// The predicate for events of the reconciled kind.
    pub(crate) fn filter(&self) -> PrimaryPredicate {
        let (wiring, reconciler) = (self.wiring, self.env.reconciler.clone());
        PrimaryPredicate {
            enabled_triggers: self.env.enabled_triggers,
            finalizers: self.finalizers.names(),
            watcher: self.wiring.watcher,
            request_annotation: self.wiring.request_annotation,
            policy: self.wiring.policies.map(|policies| policies.key),
            triggers: self.wiring.triggers,
            claimed: Box::new(move |object| claimed_before(wiring, object)),
            is_suspended: Box::new(move |object| is_suspended(&*reconciler, object)),
            is_selected: wiring.selects().then(|| {
                let reconciler = self.env.reconciler.clone();
                Box::new(move |object: &Object| is_wanted(&*reconciler, object)) as _
            }),
            dependents: self.dependents.clone(),
            shard_gates: self.env.shard_gates.clone(),
        }
    }

    /// Whether this process reconciles the object: it has the labels that the operator itself selects, and the shard of its uid is here.
    /// Nothing is done for another object, not even a cleanup: it may belong to another shard.
    pub(super) fn is_in_shard(&self, meta: &ObjectMeta) -> bool {
        self.env.shard_gates.reconciles(meta.uid.as_deref().unwrap_or_default()) && self.has_labels(meta)
    }

    fn has_labels(&self, meta: &ObjectMeta) -> bool {
        self.env.selector.as_deref().is_none_or(|selector| matches(selector, meta.labels.as_ref()))
    }

    /// Whether passes run for the object. An object of the operator that is being deleted and has our finalizer is always cleaned up.
    pub(super) fn is_selected(&self, object: &Object) -> bool {
        if !self.env.shard_gates.reconciles(object.uid()) {
            return false;
        }
        if !self.wiring.selects() {
            return true;
        }
        let meta = object.meta();
        if !self.has_labels(meta) {
            return false;
        }
        let is_ours = meta.deletion_timestamp.is_some() && !self.finalizers.is_released(meta);
        is_ours || is_wanted(&*self.env.reconciler, object)
    }

    /// Forgets an object that another replica reconciles now. It is no event for the object.
    pub(crate) fn hand_over(&self, key: &Key) -> Next {
        self.env.primary.cleaned_up(key);
        self.forget(key)
    }

    pub(super) fn forget(&self, key: &Key) -> Next {
        self.daemons.drop_of(key);
        self.env.relations.keep(key, &BTreeSet::new());
        #[cfg(feature = "dependents")]
        self.env.relations.clusters().leave_all(key);
        self.memory().remove(key);
        self.live_reads.forget(key);
        self.dependents.set(key, HashSet::new());
        Next::Forget
    }

    /// The permit to write about an object in the current term.
    pub(super) fn permit(&self, key: &Key) -> WritePermit {
        self.env.shard_gates.permit(|| self.env.primary.uid(key))
    }

    /// The API calls of a pass for an object, which record the responses in `answers`.
    pub(super) fn calls(&self, answers: &Answers, key: &Key) -> Calls {
        Calls {
            sender: Sender { client: self.env.client.clone(), answers: answers.clone(), step: "" },
            permit: self.permit(key),
            field_manager: self.field_manager.clone(),
            whole: self.env.relations.keeps_all(),
        }
    }

    /// The calls for the dependents of an object in one pass.
    #[cfg(feature = "dependents")]
    pub(super) fn component_calls(&self, key: &Key) -> ComponentCalls {
        let relations = &self.env.relations;
        let caches = (relations.dependents().clone(), relations.clusters().clone());
        let earlier = self.memory().get_mut(key).and_then(|memory| memory.rolled_out.take());
        let rolled_out = RolledOut::after(earlier.as_deref().copied().unwrap_or_default());
        let operator = self.env.operator.name.clone();
        let seen = SeenDependents::begin(relations.dependents_sums(key));
        let calls = ComponentCalls::new(caches, operator, rolled_out, seen);
        if let Some(name) = &self.env.default_service_account {
            let user = Site::here().service_account(&**name).identity(key.namespace.as_deref());
            let client = Arc::new(match user {
                Ok(Some(user)) => self.env.client.acting_as(&user),
                Ok(None) => (*self.env.client).clone(),
                Err(why) => self.env.client.refusing(&format!("the default service account of the operator: {why}")),
            });
            let keep = self.wiring.steps.iter().filter(|step| step.keeps_dependents() && step.find_site.is_none());
            keep.for_each(|step| calls.act_by(step.name, client.clone()));
        }
        calls
    }

    /// Keeps what has changed in the sets of an object for a later pass, in which they are as wanted.
    #[cfg(feature = "dependents")]
    pub(super) fn keep_changes(&self, key: &Key, changes: Changes) {
        if let Some(memory) = self.memory().get_mut(key) {
            memory.rolled_out = (changes != Changes::default()).then(|| Box::new(changes));
        }
    }

    /// A sum over the dependents of an object, which changes with every change that a pass must see.
    pub(super) fn dependents_sum(&self, object: &Object) -> u64 {
        #[cfg(feature = "dependents")]
        if self.wiring.keeps_dependents() {
            return self.env.relations.dependents_sum(&Key::of(object.meta()));
        }
        let _ = object;
        0
    }

    /// The time until the first dependent of the object is applied again although nothing has changed.
    pub(super) fn until_reapply(&self, object: &Object) -> Option<Duration> {
        #[cfg(feature = "dependents")]
        if self.wiring.keeps_dependents() {
            return self.env.relations.until_reapply(&Key::of(object.meta()));
        }
        let _ = object;
        None
    }

    /// Hands to a pass the values of earlier passes without success, and the sets that have converged.
    pub(super) fn resume(&self, key: &Key, state: &mut PassState) {
        let mut memory = self.memory();
        let Some(memory) = memory.get_mut(key) else { return };
        if let Some(tried) = memory.tried.as_deref() {
            state.carried = tried.carried(state.generation());
        }
        #[cfg(feature = "dependents")]
        if let Some(converged) = memory.converged.take() {
            state.converged = ConvergedSets::after(Some(converged));
        }
    }

    /// Keeps the values of a pass for the next one, unless it has succeeded, and the sets that have converged.
    pub(super) fn keep_for_next(&self, key: &Key, outcome: &Outcome, state: &mut PassState) {
        if let Some(memory) = self.memory().get_mut(key) {
            let has_given_up = state.calls.as_ref().is_some_and(|calls| calls.has_given_up);
            let tried = Tried::after(state.generation(), outcome, &mut state.carried);
            memory.tried = tried.filter(|_| !has_given_up).map(Box::new);
            #[cfg(feature = "dependents")]
            {
                memory.converged = state.converged.take();
            }
        }
    }

    pub(super) fn target(&self, key: &Key) -> Target {
        let namespace = key.namespace.as_deref().map(ToOwned::to_owned);
        Target { kind: self.kind.clone(), namespace, name: key.name.to_string() }
    }

    pub(super) fn memory(&self) -> MutexGuard<'_, KeyMap<Memory>> {
        self.memory.lock()
    }

    /// Puts the object that a write returned ahead of the cached version.
    pub(super) fn wrote(&self, written: &DynamicObject) -> Option<Arc<Object>> {
        self.env.primary.take_answer(written)
    }

    pub(super) fn identity(&self, key: &Key, object: &Object) -> Identity {
        Identity {
            target: self.target(key),
            uid: object.uid().to_owned(),
            generation: object.meta().generation,
            deleting: object.meta().deletion_timestamp.is_some(),
            urgent: false,
        }
    }

    /// Starts the daemons of the object, unless they run.
    pub(super) fn start_daemons(&self, key: &Key, object: &Arc<Object>) {
        if let Some(log) = &self.env.dry_run {
            let names = self.wiring.daemons.iter().map(|daemon| daemon.step.name);
            return names.for_each(|name| log.would_start(&format!("the daemon `{name}`")));
        }
        self.daemons.start(key, object, || self.reference(&**object));
    }

    pub(super) fn reference(&self, object: &Object) -> ObjectReference {
        object.reference(&self.kind)
    }
}
