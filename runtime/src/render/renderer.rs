//! Runs the steps of a reconciler for one object, without an API server.

use std::any::Any;
use std::sync::Arc;

use serde_json::Value;
use tokio::time::timeout;

use super::backend::RenderBackend;
use super::given::Given;
use super::rendered::{RenderedObject, RenderedStep, StepEnd, step_end};
use super::step_log::StepLog;
use crate::api::{Backend, Target};
use crate::client::decode::{Decoded, Decoder};
use crate::dependency::Access;
use crate::interval::Clamped;
use crate::outcome::PassError;
use crate::pipeline::context::Pass;
use crate::pipeline::dyn_reconciler::DynReconciler;
use crate::pipeline::object::Object;
use crate::pipeline::state::PassState;
use crate::wiring::KindInfo;

/// A reconciler whose steps can be rendered.
pub(crate) struct Renderer {
    pub(crate) reconciler: Arc<dyn DynReconciler>,
    pub(crate) decoder: Decoder,
}

/// What the steps of one reconciler would do for an object.
#[derive(Debug)]
pub(crate) struct Rendering {
    pub(crate) reconciler: &'static str,
    /// The steps with a set, and those that did not succeed, in pipeline order.
    pub(crate) steps: Vec<RenderedStep>,
    /// The reads of objects that no file contains, each with its step.
    pub(crate) missing: Vec<(&'static str, String)>,
    /// The step after which the pipeline ended, if it did not run to its end.
    pub(crate) stopped_by: Option<&'static str>,
    /// Why the steps did not run to their end, if no step is the cause.
    pub(crate) failure: Option<String>,
}

impl Renderer {
    pub(crate) fn kind(&self) -> KindInfo {
        self.reconciler.kind()
    }

    /// Whether a step of the reconciler has a set of dependents.
    pub(crate) fn has_sets(&self) -> bool {
        self.reconciler.wiring().keeps_dependents()
    }

    /// The object of a manifest.
    ///
    /// # Errors
    /// A field does not fit the type. Contains its path and the cause.
    pub(crate) fn object(&self, manifest: Value) -> Result<Arc<Object>, String> {
        match self.decoder.read(manifest).map_err(|error| error.to_string())? {
            Decoded::Valid(object, _) => Ok(object),
            Decoded::Invalid(invalid) => Err(invalid.text()),
        }
    }

    /// Runs the steps for the object. Hooks, daemons, external steps and blocking work do not run.
    pub(crate) async fn render(&self, object: &Object, given: &Arc<Given>, access: Access) -> Rendering {
        // Each step refers to its log, so the log stays for the rest of the process, as small as it is.
        let log: &'static StepLog = Box::leak(Box::default());
        let (reconciler, wiring) = (&*self.reconciler, self.reconciler.wiring());
        let meta = object.meta();
        let component = Target {
            kind: reconciler.kind(),
            namespace: meta.namespace.clone(),
            name: meta.name.clone().unwrap_or_default(),
        };
        let backend = Arc::new(RenderBackend::new(component, given.clone(), log, access));
        let object = match self.claimed(object, backend.clone()).await {
            Ok(object) => object,
            Err(error) => {
                let failure = Some(format!("the claim failed: {error}"));
                let (reconciler, missing) = (wiring.name, log.take().missing);
                return Rendering { reconciler, steps: Vec::new(), missing, stopped_by: None, failure };
            }
        };
        let mut state = PassState::new(&*object, *wiring, backend.clone());
        // A set is rendered as for a new object.
        state.sets.clear();
        let limit = Clamped::clamp("time-out", reconciler.timeout(&*object).unwrap_or(wiring.timeout), &mut Vec::new());
        let mut pass = Pass { state: &mut state };
        let ended = timeout(limit, reconciler.reconcile(&*object, &mut pass)).await;
        // The error of a step is in the log.
        let failure = ended.as_ref().err().map(|_| format!("the steps did not end within {limit:?}"));
        let stopped_by = (!matches!(ended, Ok(Ok(())))).then(|| state.step_name());
        let mut rendering = Rendering { stopped_by, failure, ..rendering(&state, &backend) };
        rendering.steps.splice(0..0, self.unclaimed());
        rendering
    }

    /// The claim, if it does not run since it may change something else than the object.
    fn unclaimed(&self) -> Option<RenderedStep> {
        let claim = self.reconciler.wiring().claim.filter(|claim| !claim.is_pure)?;
        let end = StepEnd::LeftOut("the claim, since it has dependencies".into());
        Some(RenderedStep { name: claim.step.name, has_set: false, end, objects: Vec::new() })
    }

    /// The object as the claim of its reconciler leaves it, if that changes nothing else.
    async fn claimed(&self, object: &Object, backend: Arc<dyn Backend>) -> Result<Box<Object>, PassError> {
        let mut claimed = object.copy();
        let wiring = self.reconciler.wiring();
        if let Some(claim) = wiring.claim.filter(|claim| claim.is_pure) {
            let mut state = PassState::new(object, *wiring, backend);
            state.step = Some(claim.step);
            let object: &mut (dyn Any + Send + Sync) = &mut *claimed;
            (claim.run)(object, self.reconciler.deps(), &mut state).await?;
        }
        Ok(claimed)
    }
}

/// What the steps have left.
fn rendering(state: &PassState, backend: &RenderBackend) -> Rendering {
    let log = backend.log.take();
    let all = std::mem::take(&mut *backend.rendered());
    let steps = state.wiring.steps.iter().filter_map(|step| {
        let end = step_end(step, &log, state, backend.sets.of(step.name).is_some());
        let has_set = step.keeps_dependents();
        let is_remarkable = has_set || !matches!(end, StepEnd::Succeeded | StepEnd::NotReached | StepEnd::Skipped(_));
        let mut objects: Vec<RenderedObject> =
            all.iter().filter(|(of, _)| of == step.name).map(|(_, object)| object.clone()).collect();
        objects.sort_by(|one, other| (one.wave, &one.id).cmp(&(other.wave, &other.id)));
        is_remarkable.then_some(RenderedStep { name: step.name, has_set, end, objects })
    });
    let (reconciler, steps) = (state.wiring.name, steps.collect());
    Rendering { reconciler, steps, missing: log.missing, stopped_by: None, failure: None }
}
