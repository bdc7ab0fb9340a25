//! Runs an evenkeel reconciler under kube's `Controller`: the functions for `Controller::run`.

use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::{Stream, StreamExt};
use kube::Resource;
use kube::runtime::controller::Action;
use kube::runtime::reflector::ObjectRef;
use tokio::task::JoinSet;
use tracing::{Instrument, Span};

use super::builder::Operator;
use super::context::context;
use super::controller::{Controller, Prepared};
use super::error::{Error, Reason, Result};
use super::reconciled_kind::ReconciledKind;
use super::registration::Typed;
use super::shard_caches::Part;
use crate::pass::PassContext;
use crate::pipeline::reconciler::Reconciler;
use crate::queue::pause::Pause;
use crate::queue::{CachedVersionFn, Key, Queue};
use crate::watch::Started;

/// The context of [`reconcile`] and [`error_policy`] for a reconciler that runs under kube's `Controller`.
///
/// It is created by [`Operator::for_kube_controller`]. Everything works as under an operator, except for the
/// responsibilities of the queue, which the controller takes over:
///
/// - order and priorities
/// - the number of concurrent passes; by default kube's `Controller` does not limit it, and 16 is a good value
/// - the rate of retries
/// - the shutdown
pub struct ControllerContext<R: Reconciler> {
    queue: Queue,
    worker: Arc<PassContext>,
    version: CachedVersionFn,
    pause: Pause,
    span: Span,
    /// Watches, triggers and listeners run until this is dropped.
    _guards: (Started, JoinSet<()>, Mutex<Controller>),
    reconciler: PhantomData<fn() -> R>,
}

impl<R: Reconciler> fmt::Debug for ControllerContext<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ControllerContext").field("reconciler", &R::WIRING.name).finish_non_exhaustive()
    }
}

/// The delay before the next attempt while the kind is paused because its CRD does not fit.
const PAUSE: Duration = Duration::from_secs(10);

/// A pass that failed. The conditions of the object and the log contain the cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failed {
    reconciler: &'static str,
    next: Option<Duration>,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the pass of {} failed", self.reconciler)?;
        self.next.map_or(Ok(()), |next| write!(f, "; the next attempt is in {next:.1?}"))
    }
}

impl std::error::Error for Failed {}

/// Starts the watches of an operator for one reconciler, and returns its context and the objects to reconcile.
pub(super) async fn hand_out<R: Reconciler<Object: ReconciledKind>>(
    mut operator: Operator,
    deps: R::Deps,
) -> Result<(Arc<ControllerContext<R>>, impl Stream<Item = ObjectRef<R::Object>> + Send + 'static + use<R>)> {
    if !operator.members.is_empty() {
        let headline = format!("`{}` has other reconcilers, so it cannot hand out {}", operator.name, R::WIRING.name);
        return Err(Error::new(Reason::Setup, headline, "create another `Operator` with the same name for it"));
    }
    #[cfg(feature = "lease")]
    if operator.replicas.is_some() {
        let headline =
            format!("`{}` has replicas, and kube's `Controller` would run passes in all of them", operator.name);
        return Err(Error::new(
            Reason::Setup,
            headline,
            "remove `replicas()`, and elect the leader where the controller runs",
        ));
    }
    let deps = Arc::new(deps);
    operator.members.push(Box::new(Typed::<R>::sharing(deps.clone())));
    let span = tracing::info_span!("operator", operator = %operator.name);
    let pair = start::<R>(operator, deps, span.clone()).instrument(span).await?;
    let triggers = pair.queue.keys_to_run().map(|key: Key| {
        let reference = ObjectRef::new(&key.name);
        key.namespace.as_deref().map_or(reference.clone(), |namespace| reference.within(namespace))
    });
    Ok((Arc::new(pair), triggers))
}

async fn start<R: Reconciler<Object: ReconciledKind>>(
    mut operator: Operator,
    deps: Arc<R::Deps>,
    span: Span,
) -> Result<ControllerContext<R>> {
    let context = context(&mut operator, None, Part::all()).await?;
    let mut controller = Typed::<R>::sharing(deps).controller(context.clone());
    let watches = context.watches.start();
    let definitions = context.definitions.start(&context.client);
    controller.listed().await?;
    if let Some(missing) = controller.missing() {
        return Err(missing.clone());
    }
    let (queue, worker, version, pause) = controller.hand_out();
    let guards = (watches, definitions, Mutex::new(controller));
    Ok(ControllerContext { queue, worker, version, pause, span, _guards: guards, reconciler: PhantomData })
}

/// Runs a pass for the object if it has a trigger. Pass this function to `Controller::run`.
///
/// # Errors
/// The pass failed; [`error_policy`] returns the delay of the retry.
pub async fn reconcile<R: Reconciler>(
    object: Arc<R::Object>,
    pair: Arc<ControllerContext<R>>,
) -> Result<Action, Failed> {
    if pair.pause.is_on() {
        // Returns before the queue claims the object, so pending triggers are not lost.
        return Ok(Action::requeue(PAUSE));
    }
    let key = Key::of(object.meta());
    let turn = pair.queue.turn(pair.worker.clone(), &key, &pair.version).instrument(pair.span.clone()).await;
    match turn.failed {
        true => Err(Failed { reconciler: R::WIRING.name, next: turn.next }),
        false => Ok(action(turn.next)),
    }
}

/// Returns the delay of the retry after a failed pass, from the object's own back-off. Pass this function to
/// `Controller::run`.
pub fn error_policy<R: Reconciler>(_: Arc<R::Object>, error: &Failed, _: Arc<ControllerContext<R>>) -> Action {
    action(error.next)
}

fn action(next: Option<Duration>) -> Action {
    next.map_or_else(Action::await_change, Action::requeue)
}
