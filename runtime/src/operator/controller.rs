//! The controller of one reconciler: its watches enqueue keys, and its queue runs the passes.

use std::num::NonZeroUsize;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Client;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::crd_check::Expected;
#[cfg(feature = "webhooks")]
use super::crd_check::ServedVersion;
use super::crd_watch::{Definitions, Dependent};
use super::error::{Error, Reason, Result};
use super::instrument::{Shown, Telemetry};
use super::limits::Own;
use super::shard_caches::ShardCaches;
use super::trigger::{self, Triggers};
use super::{crd_check, settings_change, startup, terms};
use crate::api::DryRunLog;
use crate::backoff::Backoff;
use crate::client::StepClient;
use crate::client::decode::Decoder;
use crate::config::Fingerprint;
use crate::dependency::Access;
use crate::interval::Jitter;
use crate::leadership::ShardGates;
use crate::pass::{PassContext, PassSetup};
use crate::pipeline::bare_store::BareStore;
use crate::pipeline::dyn_reconciler::DynReconciler;
use crate::pipeline::hook::PassListener;
use crate::queue::pause::Pause;
#[cfg(feature = "dry-run")]
use crate::queue::{Attempt, Next, Worker};
use crate::queue::{CachedVersionFn, Queue, QueueConfig, TriggerSet, drain};
use crate::task::task;
use crate::trigger::EnabledTriggers;
#[cfg(feature = "compact")]
use crate::watch::Compaction;
#[cfg(feature = "routes")]
use crate::watch::Primaries;
use crate::watch::{
    Primary, PrimaryPredicate, Reduction, RelatedCaches, Scope, SharedWatches, WatchHandle, WatchTarget,
};
use crate::wiring::policy::Policy;
use crate::wiring::{Cache, KindInfo, OperatorNames, Wiring};

/// The settings that all reconcilers of an operator share.
#[derive(Clone)]
pub(super) struct OperatorContext {
    pub(super) client: Client,
    /// The client that passes use.
    pub(super) passes: Arc<StepClient>,
    pub(super) watches: SharedWatches,
    /// The caches of the reconciled kinds, if routes read them.
    #[cfg(feature = "routes")]
    pub(super) reconciled: Primaries,
    pub(super) definitions: Definitions,
    /// The versions that the operator converts, each with its stored one.
    #[cfg(feature = "webhooks")]
    pub(super) served: Arc<[(KindInfo, ServedVersion)]>,
    pub(super) operator: OperatorNames,
    pub(super) scope: Scope,
    /// The number of decoded objects per cache, if the others are compressed text.
    #[cfg(feature = "compact")]
    pub(super) decoded_objects: Option<NonZeroUsize>,
    pub(super) config: QueueConfig,
    /// The limits of single reconcilers.
    pub(super) own: Arc<Own>,
    pub(super) jitter: Jitter,
    pub(super) enabled_triggers: EnabledTriggers,
    /// The feature gates that differ from their defaults.
    pub(super) gates: Arc<str>,
    /// The hash of the settings of the author.
    pub(super) settings: Fingerprint,
    pub(super) access: Access,
    pub(super) policy: Policy,
    #[cfg(feature = "dependents")]
    pub(super) default_service_account: Option<Arc<str>>,
    pub(super) owner: Option<Arc<str>>,
    pub(super) listeners: Arc<[PassListener]>,
    pub(super) triggers: Triggers,
    pub(super) shard_gates: ShardGates,
    pub(super) shard_caches: ShardCaches,
    pub(super) telemetry: Telemetry,
    /// The log of the dry run, if this is one.
    pub(super) dry_run: Option<&'static dyn DryRunLog>,
    pub(super) stop: CancellationToken,
}

impl OperatorContext {
    /// The maximum number of concurrent passes of the reconciler.
    fn concurrency(&self, reconciler: &dyn DynReconciler) -> NonZeroUsize {
        let given = self.own.get(&reconciler.id()).and_then(|own| own.concurrency);
        given.or(reconciler.wiring().concurrency).unwrap_or(self.config.concurrency)
    }

    /// The CRD that the kind of the reconciler needs.
    fn expected(&self, definition: Option<&CustomResourceDefinition>, kind: KindInfo, wiring: &Wiring) -> Expected {
        #[cfg(feature = "webhooks")]
        let served = self.served.iter().filter(|(hub, _)| *hub == kind).map(|(_, served)| served.clone()).collect();
        #[cfg(not(feature = "webhooks"))]
        let served = Vec::new();
        Expected::new(definition, kind, *wiring, served)
    }

    /// Watches the CRD, if the program has it: the reconciler pauses while it does not fit.
    fn follow(&self, expected: &Expected, pause: &Pause, primary: &Primary, queue: &Queue) {
        if expected.is_own() {
            let enqueue_all = enqueue_all(primary.clone(), queue.clone());
            self.definitions.join(Dependent { expected: expected.clone(), pause: pause.clone(), enqueue_all });
        }
    }

    /// The cache of the kind of the reconciler.
    fn primary(&self, reconciler: &dyn DynReconciler, decoder: Decoder) -> Primary {
        let store = BareStore::new(reconciler.wiring(), &self.operator.name);
        let primary = Primary::new(decoder).storing(store).reducing(Reduction::of(reconciler.wiring()));
        #[cfg(feature = "compact")]
        let primary = primary.compacting(self.decoded_objects.map(|decoded| Compaction {
            decoded,
            whole: self.scope.whole,
            policy: reconciler.wiring().policies.map(|policies| policies.key),
        }));
        #[cfg(feature = "routes")]
        self.reconciled.add(&reconciler.kind(), &primary);
        primary
    }

    /// The caches of the kinds that the reconciler relates to.
    fn relations(&self, wiring: &'static Wiring, kind: &KindInfo, queue: &Queue) -> RelatedCaches {
        let of = (wiring, &self.operator);
        RelatedCaches::new(&self.watches, of, kind.clone(), self.scope.clone(), queue.clone())
    }
}

/// A reconciler whose watches have started.
pub(super) trait Prepared: Send {
    /// The error if the reconciled kind is not installed; [`run`](Self::run) waits for its installation.
    fn missing(&self) -> Option<&Error>;
    /// Runs passes until the stop. Returns the passes that were dropped at the deadline, as `reconciler namespace/name`.
    fn run(self: Box<Self>) -> BoxFuture<'static, Vec<String>>;
    /// Runs one pass of each object, and calls the function after each.
    #[cfg(feature = "dry-run")]
    fn run_each<'a>(self: Box<Self>, ended: &'a mut (dyn FnMut(&str) + Send)) -> BoxFuture<'a, ()>;
}

pub(super) struct Controller {
    context: OperatorContext,
    reconciler: Arc<dyn DynReconciler>,
    queue: Queue,
    worker: Arc<PassContext>,
    primary: Primary,
    relations: RelatedCaches,
    /// The targets of the reconciled kind.
    places: Vec<WatchTarget>,
    /// Their lists; none if the caches hold single shards.
    lists: Vec<WatchHandle>,
    expected: Expected,
    pause: Pause,
    triggers: JoinSet<()>,
    missing: Option<Error>,
    shown: Shown,
}

impl Controller {
    /// Registers the watches. The operator starts them after all reconcilers have registered theirs.
    pub(super) fn new(
        context: OperatorContext,
        reconciler: Arc<dyn DynReconciler>,
        decoder: Decoder,
        definition: Option<&CustomResourceDefinition>,
    ) -> Self {
        let (kind, wiring) = (reconciler.kind(), reconciler.wiring());
        let own = context.own.get(&reconciler.id()).cloned().unwrap_or_default();
        let queue = Queue::new(context.enabled_triggers, context.config.rate.and(own.rate.as_ref()));
        let counted = context.telemetry.reconciler(wiring, &kind, context.concurrency(&*reconciler).get());
        queue.measure(counted.meter.clone());
        let primary = context.primary(&*reconciler, decoder);
        let relations = context.relations(wiring, &kind, &queue);
        let worker = Arc::new(PassContext::new(PassSetup {
            client: context.passes.clone(),
            events: context.client.clone(),
            operator: context.operator.clone(),
            reconciler: reconciler.clone(),
            primary: primary.clone(),
            relations: relations.clone(),
            queue: queue.clone(),
            stop: context.stop.clone(),
            jitter: context.jitter,
            shard_gates: context.shard_gates.clone(),
            enabled_triggers: context.enabled_triggers,
            gates: context.gates.clone(),
            settings: context.settings.clone(),
            access: context.access,
            policy: context.policy,
            #[cfg(feature = "dependents")]
            default_service_account: context.default_service_account.clone(),
            selector: context.scope.labels.clone(),
            owner: context.owner.clone(),
            backoff: own.backoff.unwrap_or(Backoff::FAILURE),
            meter: counted.meter.clone(),
            dry_run: context.dry_run,
            listeners: context.listeners.clone(),
        }));
        let filter = Arc::new(worker.filter());
        let places = places(&context.scope, &kind, wiring);
        let (expected, pause) = (context.expected(definition, kind, wiring), Pause::default());
        context.follow(&expected, &pause, &primary, &queue);
        Self {
            lists: lists(&context, (&primary, &queue), places.clone(), filter),
            places,
            shown: counted.show(&worker, &queue, &pause),
            context,
            reconciler,
            queue,
            worker,
            primary,
            relations,
            expected,
            pause,
            triggers: JoinSet::new(),
            missing: None,
        }
    }

    /// Waits for the initial lists. A related kind whose watch fails or takes too long does not delay the start. A reconciled kind that is
    /// not installed does not either.
    ///
    /// # Errors
    /// The reconciled kind cannot be listed, or its CRD does not fit the type.
    pub(super) async fn listed(&mut self) -> Result {
        let client = &self.context.client;
        let keys = self.context.triggers.take(self.reconciler.id());
        self.triggers.spawn(task(trigger::pull(keys, self.lists.clone(), self.queue.clone())));
        let lists = startup::primary(client, &self.expected, self.lists.clone());
        let (fits, listed) = futures::join!(crd_check::check(client, &self.expected), lists);
        match fits.and(listed) {
            Err(error) if error.reason() == Reason::NotInstalled => self.missing = Some(error),
            Err(error) => return Err(error),
            Ok(()) => {
                if self.context.shard_caches.are_divided() {
                    startup::selects_shards(client, &self.places).await?;
                }
                startup::related(self.relations.lists()).await;
            }
        }
        Ok(())
    }

    /// The parts that an external scheduler needs. From now on every event enqueues.
    pub(super) fn hand_out(&self) -> (Queue, Arc<PassContext>, CachedVersionFn, Pause) {
        self.relations.go_live();
        self.context.telemetry.started();
        (self.queue.clone(), self.worker.clone(), version(self.primary.clone()), self.pause.clone())
    }
}

/// Enqueues all cached objects, so that their bodies run.
fn enqueue_all(primary: Primary, queue: Queue) -> Box<dyn Fn() + Send + Sync> {
    Box::new(move || primary.keys().iter().for_each(|key| queue.add(key, TriggerSet::RESYNC)))
}

/// Reads the version of an object from the cache.
fn version(primary: Primary) -> CachedVersionFn {
    Arc::new(move |key: &_| primary.seen_version(key))
}

/// How often the dry run of an object starts again after a conflict or a failed read.
#[cfg(feature = "dry-run")]
const ATTEMPTS: u32 = 5;

impl Prepared for Controller {
    fn missing(&self) -> Option<&Error> {
        self.missing.as_ref()
    }

    fn run(self: Box<Self>) -> BoxFuture<'static, Vec<String>> {
        let Self {
            context,
            reconciler,
            queue,
            worker,
            primary,
            relations,
            lists,
            expected,
            pause,
            triggers,
            missing,
            shown,
            places: _,
        } = *self;
        async move {
            // Both are dropped with the reconciler; it keeps running if they end earlier.
            let (_triggers, _shown) = (triggers, shown);
            if missing.is_some() {
                let installed = startup::installed(&context.client, &expected, lists);
                if context.stop.run_until_cancelled(installed).await.is_none() {
                    return Vec::new();
                }
            }
            relations.go_live();
            let concurrency = context.concurrency(&*reconciler);
            let appeared = terms::follow(context.shard_gates.clone(), primary.clone(), queue.clone(), worker.clone());
            let changed = settings_change::enqueue_at_each_change(
                context.settings.clone(),
                reconciler.wiring(),
                primary.clone(),
                queue.clone(),
            );
            let config = QueueConfig { version: Some(version(primary)), concurrency, pause, ..context.config };
            queue.set_debounce(reconciler.wiring().debounce);
            let name = reconciler.wiring().name;
            let passes = drain(queue, worker, config, context.shard_gates, context.stop);
            let dropped = tokio::select! {
                dropped = passes => dropped,
                never = appeared => match never {},
                never = changed => match never {},
            };
            for key in &dropped {
                tracing::warn!(reconciler = name, object = %key, "the pass did not end in time and was dropped");
            }
            dropped.iter().map(|key| format!("{name} {key}")).collect()
        }
        .boxed()
    }

    #[cfg(feature = "dry-run")]
    fn run_each<'a>(self: Box<Self>, ended: &'a mut (dyn FnMut(&str) + Send)) -> BoxFuture<'a, ()> {
        async move {
            self.relations.go_live();
            let kind = &self.expected.kind.resource.kind;
            if let Some(missing) = &self.missing {
                return ended(&format!("{kind}: {missing}"));
            }
            let mut keys = self.primary.keys();
            keys.sort();
            for key in keys {
                for conflicts in 0..ATTEMPTS {
                    let attempt = Attempt { failures: 0, conflicts };
                    // The events of the pass are not sent: they are in its tail, which is dropped.
                    let next = self.worker.run(&key, TriggerSet::APPEARED, attempt).await.next;
                    if !matches!(next, Next::Conflict { .. } | Next::NotStarted { .. }) {
                        break;
                    }
                }
                ended(&format!("{kind} {key}"));
            }
        }
        .boxed()
    }
}

/// Joins the watches of the reconciled kind, or has them joined for each shard that this replica takes.
fn lists(
    context: &OperatorContext,
    (primary, queue): (&Primary, &Queue),
    places: Vec<WatchTarget>,
    filter: Arc<PrimaryPredicate>,
) -> Vec<WatchHandle> {
    if context.shard_caches.are_divided() {
        let (primary, watches, queue) = (primary.clone(), context.watches.clone(), queue.clone());
        context.shard_caches.add(move |shard| primary.join_shard(&watches, (shard, &places), &filter, &queue));
        return Vec::new();
    }
    let join = |place| primary.join(&context.watches, &place, filter.clone(), queue.clone());
    places.into_iter().map(join).collect()
}

/// The watch targets of the reconciled kind.
fn places(scope: &Scope, kind: &KindInfo, wiring: &Wiring) -> Vec<WatchTarget> {
    let metadata = wiring.watcher.is_some_and(|watcher| watcher.cache != Cache::Full);
    let places = scope.selected_places(kind, wiring.watched_labels(), wiring.fields);
    places.into_iter().map(|place| WatchTarget { metadata, ..place }).collect()
}
