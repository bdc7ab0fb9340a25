//! A generated reconciler under a `Controller` of kube: the pair of functions that its `run` takes.

use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::{Stream, StreamExt};
use kube::runtime::controller::Action;
use kube::runtime::reflector::ObjectRef;
use kube::{CustomResourceExt, Resource};
use tokio::task::JoinSet;
use tracing::{Instrument, Span};

use super::builder::Operator;
use super::controller::{Controller, Prepared};
use super::error::{Error, Reason, Result};
use super::registration::Typed;
use super::run;
use crate::pass::PassContext;
use crate::pipeline::reconciler::Reconciler;
use crate::queue::pause::Pause;
use crate::queue::{CachedVersionFn, Key, Queue};
use crate::watch::Started;

/// A reconciler whose turns a `Controller` of kube gives: the context of [`reconcile`] and [`error_policy`]. Made by [`Operator::for_kube_controller`].
///
/// Everything works as under an operator but what the queue decides: order and priorities, the number of passes at a time, the rate of
/// retries, and the end are the controller's. Its default is as many passes at a time as there are objects; 16 is a good number.
pub struct ControllerContext<R: Reconciler> {
    queue: Queue,
    worker: Arc<PassContext>,
    version: CachedVersionFn,
    pause: Pause,
    span: Span,
    /// Watches, triggers and what listens go on as long as this is there.
    _kept: (Started, JoinSet<()>, Mutex<Controller>),
    reconciler: PhantomData<fn() -> R>,
}

impl<R: Reconciler> fmt::Debug for ControllerContext<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ControllerContext").field("reconciler", &R::WIRING.name).finish_non_exhaustive()
    }
}

/// Between two turns of an object whose kind is paused: its CRD does not fit.
const PAUSE: Duration = Duration::from_secs(10);

/// A pass that did not end well. What went wrong stands in the object's conditions and in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failed {
    reconciler: &'static str,
    next: Option<Duration>,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the pass of {} did not end well", self.reconciler)?;
        self.next.map_or(Ok(()), |next| write!(f, "; the next try is in {next:.1?}"))
    }
}

impl std::error::Error for Failed {}

impl Operator {
    /// Hands out the reconciler for a `Controller` of kube, so that an operator that has one can move kind by kind: the context for
    /// [`kube_controller::reconcile`](reconcile) and [`kube_controller::error_policy`](error_policy), and the stream of objects that want a turn because one
    /// that they own or watch changed, a [trigger](Operator::trigger) named them, or the cache came later than that of the controller.
    ///
    /// Name, client, namespaces, jitter, access, observers and triggers of the operator count; its limits do not. The kind is watched
    /// twice, by the controller and here. The [guide](crate::guide::kube_controller) tells what differs.
    ///
    /// ```ignore
    /// let operator = Operator::new("source-controller").client(client.clone());
    /// let (context, wakes) = operator.for_kube_controller::<git_repository>(git).await?;
    /// Controller::new(Api::<GitRepository>::all(client), watcher::Config::default())
    ///     .with_config(controller::Config::default().concurrency(16))
    ///     .reconcile_on(wakes)
    ///     .run(kube_controller::reconcile, kube_controller::error_policy, context)
    /// ```
    ///
    /// # Errors
    /// What [`run_until`](Operator::run_until) refuses at the start, a definition that is not installed among it, and an operator that has
    /// reconcilers of its own.
    pub async fn for_kube_controller<R: Reconciler<Object: CustomResourceExt>>(
        mut self,
        deps: R::Deps,
    ) -> Result<(Arc<ControllerContext<R>>, impl Stream<Item = ObjectRef<R::Object>> + Send + 'static + use<R>)> {
        if !self.members.is_empty() {
            let headline =
                format!("`{}` has reconcilers of its own, so it cannot hand out {}", self.name, R::WIRING.name);
            return Err(Error::new(Reason::Setup, headline, "make another `Operator` of the same name for it"));
        }
        let deps = Arc::new(deps);
        self.members.push(Box::new(Typed::<R>::sharing(deps.clone())));
        let span = tracing::info_span!("operator", operator = %self.name);
        let pair = self.hand_out(deps, span.clone()).instrument(span).await?;
        let wakes = pair.queue.wakes().map(|key: Key| {
            let reference = ObjectRef::new(&key.name);
            key.namespace.as_deref().map_or(reference.clone(), |namespace| reference.within(namespace))
        });
        Ok((Arc::new(pair), wakes))
    }

    async fn hand_out<R: Reconciler<Object: CustomResourceExt>>(
        mut self,
        deps: Arc<R::Deps>,
        span: Span,
    ) -> Result<ControllerContext<R>> {
        let launch = run::launch(&mut self).await?;
        let mut controller = Typed::<R>::sharing(deps).controller(launch.clone());
        let watches = launch.watches.start();
        let definitions = launch.definitions.start(&launch.client);
        controller.listed().await?;
        if let Some(missing) = controller.missing() {
            return Err(missing.clone());
        }
        let (queue, worker, version, pause) = controller.hand_out();
        let kept = (watches, definitions, Mutex::new(controller));
        Ok(ControllerContext { queue, worker, version, pause, span, _kept: kept, reconciler: PhantomData })
    }
}

/// One turn of an object: its pass, if there is a cause for one. Give it to `Controller::run`.
///
/// # Errors
/// The pass did not end well; [`error_policy`] says when it is tried again.
pub async fn reconcile<R: Reconciler>(
    object: Arc<R::Object>,
    pair: Arc<ControllerContext<R>>,
) -> Result<Action, Failed> {
    if pair.pause.is_on() {
        // What is due stays due: the queue is not asked.
        return Ok(Action::requeue(PAUSE));
    }
    let key = Key::of(object.meta());
    let turn = pair.queue.turn(pair.worker.clone(), &key, &pair.version).instrument(pair.span.clone()).await;
    match turn.failed {
        true => Err(Failed { reconciler: R::WIRING.name, next: turn.next }),
        false => Ok(action(turn.next)),
    }
}

/// When an object is tried again whose pass did not end well: along the back-off of its own. Give it to `Controller::run`.
pub fn error_policy<R: Reconciler>(_: Arc<R::Object>, error: &Failed, _: Arc<ControllerContext<R>>) -> Action {
    action(error.next)
}

fn action(next: Option<Duration>) -> Action {
    next.map_or_else(Action::await_change, Action::requeue)
}
