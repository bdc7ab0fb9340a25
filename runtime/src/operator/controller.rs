//! The glue of one reconciler: its watches feed its queue, its queue runs its passes.

use std::any::TypeId;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::Client;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use super::error::{Error, Reason, Result};
use super::limits::Own;
use super::trigger::{self, Triggers};
use super::{definition, startup};
use crate::cause::List;
use crate::depend::Access;
use crate::gate::Gate;
use crate::hook::Observer;
use crate::interval::Jitter;
use crate::pass::{Env, PassWorker};
use crate::queue::{Queue, QueueConfig, drain};
use crate::reconciler::Reconciler;
use crate::watch::{Place, Primary, Progress, Relations, Scope};
use crate::wiring::KindInfo;

/// What all reconcilers of an operator share.
#[derive(Clone)]
pub(super) struct Launch {
    pub(super) client: Client,
    pub(super) operator: Arc<str>,
    pub(super) scope: Scope,
    pub(super) config: QueueConfig,
    /// Of single reconcilers.
    pub(super) own: Arc<Own>,
    pub(super) jitter: Jitter,
    pub(super) causes: List,
    pub(super) access: Access,
    pub(super) observers: Arc<[Observer]>,
    pub(super) triggers: Triggers,
    pub(super) gate: Gate,
    pub(super) stop: CancellationToken,
}

/// A reconciler whose watches run.
pub(super) trait Prepared: Send {
    /// Runs passes until the stop.
    fn run(self: Box<Self>) -> BoxFuture<'static, Result>;
}

pub(super) struct Controller<R: Reconciler> {
    launch: Launch,
    queue: Queue,
    worker: Arc<PassWorker<R>>,
    primary: Primary<R::Object>,
    relations: Relations,
    watches: JoinSet<()>,
    triggers: JoinSet<()>,
}

impl<R: Reconciler> Controller<R> {
    /// Starts the watches. Returns when the lists are in; a watch of a related kind that fails or takes too long does not hold it up.
    ///
    /// # Errors
    /// The reconciled kind cannot be listed, or its CRD lacks what the framework writes.
    pub(super) async fn prepare(launch: Launch, deps: Arc<R::Deps>) -> Result<Self> {
        let kind = KindInfo::of::<R::Object>();
        let queue = Queue::new(launch.causes, launch.config.rate.clone());
        let primary = Primary::<R::Object>::new();
        let (client, scope) = (launch.client.clone(), launch.scope.clone());
        let relations = Relations::new(client.clone(), &R::WIRING, kind.clone(), scope, queue.clone());
        let worker = Arc::new(PassWorker::<R>::new(Env {
            client: client.clone(),
            operator: launch.operator.clone(),
            deps,
            primary: primary.clone(),
            relations: relations.clone(),
            jitter: launch.jitter,
            gate: launch.gate.clone(),
            causes: launch.causes,
            access: launch.access,
            observers: launch.observers.clone(),
        }));
        let (watches, triggers) = (JoinSet::new(), JoinSet::new());
        let mut controller = Self { launch, queue, worker, primary, relations, watches, triggers };
        let own = controller.watch_primary(&kind);
        controller.pull_triggers(own.clone());
        let related = controller.watch_relations();
        let lists = startup::primary(&client, &kind, own);
        let (fits, listed) = futures::join!(definition::check(&client, &kind, &R::WIRING), lists);
        fits.and(listed)?;
        startup::related(related).await;
        Ok(controller)
    }

    fn watch_primary(&mut self, kind: &KindInfo) -> Vec<(Place, watch::Receiver<Progress>)> {
        let filter = Arc::new(self.worker.filter());
        let started = self.launch.scope.places(kind).into_iter().map(|place| {
            let progress = Arc::new(watch::Sender::new(Progress::Pending));
            let receiver = progress.subscribe();
            let (client, queue) = (self.launch.client.clone(), self.queue.clone());
            let watch = self.primary.clone().watch(client, place.clone(), filter.clone(), queue, progress);
            self.watches.spawn(watch.in_current_span());
            (place, receiver)
        });
        started.collect()
    }

    fn pull_triggers(&mut self, lists: Vec<(Place, watch::Receiver<Progress>)>) {
        let keys = self.launch.triggers.take::<R>();
        self.triggers.spawn(trigger::pull(keys, lists, self.queue.clone()).in_current_span());
    }

    fn watch_relations(&mut self) -> Vec<(Place, watch::Receiver<Progress>)> {
        let started = self.relations.watches().into_iter().map(|watch| {
            self.watches.spawn(watch.run.in_current_span());
            (watch.place, watch.progress)
        });
        started.collect()
    }
}

impl<R: Reconciler> Prepared for Controller<R> {
    fn run(self: Box<Self>) -> BoxFuture<'static, Result> {
        let Self { launch, queue, worker, primary, relations, mut watches, triggers } = *self;
        async move {
            // They end with the reconciler, and it does not end with them.
            let _triggers = triggers;
            relations.go_live();
            let version = Arc::new(move |key: &_| primary.seen_version(key));
            let own = launch.own.get(&TypeId::of::<R>()).copied();
            let concurrency = own.unwrap_or(launch.config.concurrency);
            let config = QueueConfig { version: Some(version), concurrency, ..launch.config };
            tokio::select! {
                dropped = drain(queue, worker, config, launch.gate, launch.stop.clone()) => {
                    for key in dropped {
                        tracing::warn!(reconciler = R::WIRING.name, object = %key, "the pass did not end in time and was dropped");
                    }
                    Ok(())
                }
                Some(ended) = watches.join_next() => {
                    launch.stop.cancel();
                    Err(ended_watch(R::WIRING.name, ended.err()))
                }
            }
        }
        .boxed()
    }
}

fn ended_watch(reconciler: &str, error: Option<tokio::task::JoinError>) -> Error {
    let why = error.map_or_else(|| "without a reason".to_owned(), |error| error.to_string());
    Error::new(
        Reason::Ended,
        format!("a watch of {reconciler} has ended: {why}"),
        "restart the operator, and report this: watches never end by themselves",
    )
}
