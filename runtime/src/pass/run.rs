//! The body: runs the author's code for a live or deleted object.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;

use super::api::PassBackend;
use super::backend;
use super::code_end::run_code;
use super::context::PassContext;
use super::decide::policy;
use super::report;
use super::report::current_pass::CurrentPass;
use super::watcher;
use crate::interval::Clamped;
use crate::outcome::{Outcome, PassError, PassResult};
use crate::pipeline::context::Pass;
#[cfg(feature = "dependents")]
use crate::pipeline::context::stop;
#[cfg(feature = "dependents")]
use crate::pipeline::dependents::{lacks_site, remove_redundant};
use crate::pipeline::dyn_reconciler::DynReconciler;
use crate::pipeline::mapping::mapped_to;
use crate::pipeline::object::Object;
use crate::pipeline::state::PassState;
use crate::wiring::policy::ResolvedPolicy;
use crate::wiring::{ObserveHandler, When};

/// The result of the author's code.
pub(super) struct BodyResult {
    pub(super) outcome: Outcome,
    /// The error that stopped it.
    pub(super) error: Option<PassError>,
    /// The undeclared labels and annotations that the claim changed in this pass.
    pub(super) claimed: Vec<String>,
}

/// The state of a pass after the author's code.
pub(super) struct BodyEnd {
    pub(super) state: PassState,
    pub(super) backend: Arc<PassBackend>,
    pub(super) result: BodyResult,
}

/// Runs the author's code.
pub(super) async fn body(
    context: &PassContext,
    current: &mut CurrentPass<'_>,
    object: &Object,
    claimed: Vec<String>,
    part: Part,
) -> BodyEnd {
    let backend = backend::backend(context, current, object);
    let mut state = PassState::new(object, *context.wiring, backend.clone());
    context.resume(current.key, &mut state);
    watcher::begin(context, current, object, &mut state);
    if let ResolvedPolicy::Known(policy) = policy::policy(context, object) {
        state.policy = policy;
    }
    if !matches!(part, Part::Cleanup) {
        follow_mapped(context, &backend, &mut state).await;
    }
    let reconciler = &*context.env.reconciler;
    let asked = reconciler.timeout(object).unwrap_or(context.wiring.timeout);
    let limit = Clamped::clamp("time-out", asked, &mut state.clamped);
    #[cfg(feature = "dependents")]
    backend.sets.end_pass_after(limit);
    let mut pass = Pass { state: &mut state };
    let has_more = !context.wiring.hooks.is_empty() || context.wiring.keeps_dependents();
    let ended = match !has_more {
        true => run_code(limit, part.run(reconciler, object, &mut pass)).await,
        // Boxed: hooks and dependents are rare and should not enlarge every body.
        false => run_code(limit, hooked(reconciler, object, &mut pass, part).boxed()).await,
    };
    if let Some(how) = ended.cut_off() {
        context.env.meter.record(|counts| counts.cut_off(how));
    }
    let error = ended.error(&mut state);
    if error.as_ref().is_some_and(PassError::is_halted) {
        state.report_unknown_steps();
    }
    report::step_events(context, current, object, &state.events.take());
    #[cfg(feature = "dependents")]
    context.keep_changes(current.key, backend.sets.rolled_out.take());
    #[cfg(feature = "dependents")]
    backend.sets.take_events().into_iter().for_each(|(event, about)| current.send(event, about));
    let result = BodyResult { outcome: state.outcome(error.clone()), error, claimed };
    BodyEnd { state, backend, result }
}

/// Subscribes the object to the objects that map to it. A watch that fails is retried, and its recovery triggers another pass.
async fn follow_mapped(context: &PassContext, backend: &PassBackend, state: &mut PassState) {
    for relation in context.wiring.relations() {
        let Some(mapped) = mapped_to(relation, state.namespace.as_deref(), &state.name) else { continue };
        state.references.insert(mapped.to_string());
        if let Err(error) = backend.selected(&mapped).await {
            tracing::debug!(%error, %mapped, "the objects that map to this one are unknown");
        }
    }
}

/// The part of the author's code to run.
#[derive(Clone, Copy)]
pub(super) enum Part {
    Steps,
    Observer(&'static ObserveHandler),
    Cleanup,
}

impl Part {
    fn run<'a>(
        self,
        reconciler: &'a dyn DynReconciler,
        object: &'a Object,
        pass: &'a mut Pass<'_>,
    ) -> BoxFuture<'a, PassResult> {
        match self {
            Self::Steps => reconciler.reconcile(object, pass),
            Self::Observer(observer) => (observer.run)(object, reconciler.deps(), &mut *pass.state),
            Self::Cleanup => reconciler.cleanup(object, pass),
        }
    }
}

/// Runs the author's code with its hooks; those after it run on success only.
async fn hooked(reconciler: &dyn DynReconciler, object: &Object, pass: &mut Pass<'_>, part: Part) -> PassResult {
    let around = match part {
        Part::Steps => Some((When::Before, When::After)),
        Part::Cleanup => Some((When::BeforeDelete, When::AfterDelete)),
        Part::Observer(_) => None,
    };
    hooks(When::Read, reconciler, object, pass).await?;
    if let Some((before, _)) = around {
        hooks(before, reconciler, object, pass).await?;
    }
    part.run(reconciler, object, pass).await?;
    #[cfg(feature = "dependents")]
    if matches!(part, Part::Steps) {
        tail(reconciler, object, pass).await?;
    }
    match around {
        Some((_, after)) => hooks(after, reconciler, object, pass).await,
        None => Ok(()),
    }
}

/// Removes the dependents that no step wants any more.
#[cfg(feature = "dependents")]
async fn tail(reconciler: &dyn DynReconciler, object: &Object, pass: &mut Pass<'_>) -> PassResult {
    for step in reconciler.wiring().steps {
        if let Some(find_site) = step.find_site.filter(|_| lacks_site(pass.state, step.name)) {
            find_site(object, reconciler.deps(), &mut *pass.state).await?;
        }
    }
    remove_redundant(pass.state, object).await.map_err(|error| stop(pass.state, &error))
}

async fn hooks(when: When, reconciler: &dyn DynReconciler, object: &Object, pass: &mut Pass<'_>) -> PassResult {
    for hook in reconciler.wiring().hooks.iter().filter(|hook| hook.when == when) {
        (pass.state.step, pass.state.cleanup) = (Some(hook.step), None);
        (hook.run)(object, reconciler.deps(), &mut *pass.state).await?;
    }
    Ok(())
}
