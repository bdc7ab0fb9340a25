//! The backend of a pass without an API server.

use std::collections::HashMap;
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use http::{Request, Response};
use kube::Client;
use kube::api::{DynamicObject, ObjectMeta};
use kube::client::Body;
use kube::core::TypeMeta;
use tower::{BoxError, service_fn};

use super::given::{Given, Readable};
use super::rendered::RenderedObject;
use super::step_log::StepLog;
use crate::api::{ApiError, Backend, BoxFuture, DependentCalls, DryRunLog, Selection, Target, WantedSets, Warned};
use crate::dependency::Access;
use crate::dependent_rules::manifest::ObjectId;
use crate::dependent_rules::plan::LiveObject;
use crate::lock::{Mutex, MutexGuard};
use crate::outcome::PassError;
use crate::pipeline::state::DesiredStatus;
use crate::wiring::{How, KindInfo, Relation};

/// What a step has applied, and what is known of it then.
pub(super) type AppliedDependent = (String, LiveObject);

/// The backend of a pass that reads from files and writes nothing.
pub(super) struct RenderBackend {
    pub(super) component: Target,
    pub(super) readable: Readable,
    pub(super) log: &'static StepLog,
    pub(super) access: Access,
    pub(super) sets: WantedSets,
    /// The dependents that are there, with the step that applied them.
    live: Mutex<HashMap<ObjectId, AppliedDependent>>,
    /// All that was applied, also what was purged since then.
    rendered: Mutex<Vec<(String, RenderedObject)>>,
    warned: Warned,
}

impl RenderBackend {
    pub(super) fn new(component: Target, given: Arc<Given>, log: &'static StepLog, access: Access) -> Self {
        Self {
            component,
            readable: Readable::new(given),
            log,
            access,
            sets: WantedSets::default(),
            live: Mutex::default(),
            rendered: Mutex::default(),
            warned: Warned::default(),
        }
    }

    pub(super) fn live(&self) -> MutexGuard<'_, HashMap<ObjectId, AppliedDependent>> {
        self.live.lock()
    }

    pub(super) fn rendered(&self) -> MutexGuard<'_, Vec<(String, RenderedObject)>> {
        self.rendered.lock()
    }

    /// The error for an object that no file contains.
    fn missing(&self, step: &'static str, target: &Target) -> ApiError {
        let Target { kind, namespace, name } = target;
        let place = namespace.iter().fold(name.clone(), |name, namespace| format!("{namespace}/{name}"));
        let object = format!("{} {place} ({})", kind.resource.kind, kind.resource.api_version);
        let problem = match self.readable.other_version(target) {
            Some(version) => format!("which a file contains as {version} only"),
            None => "which no file contains".to_owned(),
        };
        let text = format!("{object}, {problem}; add it with `--with`");
        self.log.missing(step, format!("{object}, {problem}"));
        ApiError::NotFound(text.into())
    }
}

impl Backend for RenderBackend {
    fn get(
        &self,
        step: &'static str,
        relation: Relation,
        target: Target,
    ) -> BoxFuture<'_, Result<Option<Arc<DynamicObject>>, ApiError>> {
        let found = match self.readable.get(&target) {
            // A new component owns nothing yet.
            None if relation.how == How::Owns => Ok(None),
            None => Err(self.missing(step, &target)),
            found => Ok(found),
        };
        ready(found).boxed()
    }

    fn list(
        &self,
        _: &'static str,
        relation: Relation,
        selection: Selection,
    ) -> BoxFuture<'_, Result<Vec<Arc<DynamicObject>>, ApiError>> {
        ready(Ok(self.readable.list(&relation, &selection))).boxed()
    }

    fn metadata(
        &self,
        _: &'static str,
        relation: Relation,
        selection: Selection,
    ) -> BoxFuture<'_, Result<Vec<ObjectMeta>, ApiError>> {
        let found = match relation.how {
            How::Owns => self.readable.owned(&selection.kind, &self.component),
            _ => self.readable.list(&relation, &selection),
        };
        ready(Ok(found.iter().map(|object| object.metadata.clone()).collect())).boxed()
    }

    fn owned(&self, _: &'static str, kind: KindInfo) -> BoxFuture<'_, Result<Vec<Target>, ApiError>> {
        let found = self.readable.owned(&kind, &self.component);
        let targets = found.iter().filter_map(|object| {
            let (namespace, name) = (object.metadata.namespace.clone(), object.metadata.name.clone()?);
            Some(Target { kind: kind.clone(), namespace, name })
        });
        ready(Ok(targets.collect())).boxed()
    }

    fn apply(
        &self,
        _: &'static str,
        _: Relation,
        target: Target,
        json: String,
    ) -> BoxFuture<'_, Result<Arc<DynamicObject>, ApiError>> {
        let object = serde_json::from_str::<DynamicObject>(&json);
        let applied = object.map_err(|error| ApiError::Failed(format!("{target} is no object: {error}").into()));
        let applied = applied.map(|mut object| {
            object.types = Some(TypeMeta {
                api_version: target.kind.resource.api_version.clone(),
                kind: target.kind.resource.kind.clone(),
            });
            object.metadata.namespace.clone_from(&target.namespace);
            let object = Arc::new(object);
            self.readable.add(object.clone());
            object
        });
        ready(applied).boxed()
    }

    fn delete(&self, _: &'static str, target: Target) -> BoxFuture<'_, Result<(), ApiError>> {
        self.readable.remove(&target);
        ready(Ok(())).boxed()
    }

    fn record(
        &self,
        _: &'static str,
        _: DesiredStatus,
        _: DesiredStatus,
        _: bool,
    ) -> BoxFuture<'_, Result<(), ApiError>> {
        ready(Ok(())).boxed()
    }

    fn dependents(&self) -> Option<&dyn DependentCalls> {
        Some(self)
    }

    fn access(&self) -> Access {
        self.access
    }

    fn dry_run(&self) -> Option<&'static dyn DryRunLog> {
        Some(self.log)
    }

    fn warned(&self) -> &Warned {
        &self.warned
    }

    fn step_ended(&self, step: &'static str, _: &'static str, _: Duration) {
        self.log.ended(step);
    }

    fn step_failed(&self, step: &'static str, error: &PassError) {
        self.log.failed(step, error);
    }

    fn client(&self, _: &'static str, _: &'static [Relation]) -> Client {
        let refuse = |request: Request<Body>| {
            let call = format!("{} {}", request.method(), request.uri().path());
            let text = format!("`render` has no API server, so the client of the step cannot send {call}");
            ready(Err::<Response<Body>, BoxError>(text.into()))
        };
        Client::new(service_fn(refuse), self.component.namespace.as_deref().unwrap_or("default"))
    }

    fn blocking(&self, work: Box<dyn FnOnce() + Send>) -> BoxFuture<'static, ()> {
        tokio::task::spawn_blocking(work).map(drop).boxed()
    }
}
