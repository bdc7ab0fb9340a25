//! Runs one step in isolation for tests: without a queue, watches or the final status write.
//!
//! The test kit builds table tests of steps on it (`Row::step`). It does not depend on the test kit itself.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use futures::{FutureExt, TryFutureExt};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::api::{DynamicObject, ObjectMeta};
use kube::{Client, Resource};
use serde_json::{Value, json};

use crate::api::adoption::Claimant;
use crate::api::{ApiError, Backend, BoxFuture, Owner, Selection, Target, Warned, marked};
use crate::client::{Answers, StepClient};
use crate::condition::{Condition, ConditionSet};
use crate::leadership::Leadership;
use crate::outcome::{PassError, Requeue};
use crate::pass::{Calls, Owned, Sender, owned, owner};
use crate::pipeline::context::{self, Cx, Pass};
use crate::pipeline::state::{DesiredStatus, PassState};
use crate::pipeline::step::SubReconciler;
use crate::queue::meter::CallMeter;
use crate::watch::selects;
use crate::wiring::annotations::DOMAIN;
use crate::wiring::{How, KindInfo, Relation, Wiring};

/// The result of running one step.
#[non_exhaustive]
pub struct StepRun<T> {
    /// The return value, or the error with its class.
    pub value: Result<T, PassError>,
    /// The conditions that the step sets or clears, as it left them.
    pub conditions: Vec<Condition>,
    /// The status fields that the step changed.
    pub fields: BTreeMap<String, Value>,
    /// The requeue that the step requested with `cx.requeue()` or `cx.requeue_after(..)`.
    pub requeue: Option<Requeue>,
}

impl<T: fmt::Debug> fmt::Debug for StepRun<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("StepRun");
        out.field("value", &self.value).field("conditions", &self.conditions).field("fields", &self.fields);
        out.field("requeue", &self.requeue).finish()
    }
}

/// Runs one step for an object, as its pipeline would.
///
/// Conditions start and end as declared, errors are classified, and the timeout applies. All reads go to the API server
/// instead of caches, and writes use the given field manager.
///
/// ```ignore
/// let tried = testing::run_step::<fetch, _>(&widget, client, "tester", async |cx| fetch(&widget, &lab, cx).await).await;
/// assert_eq!(tried.value.unwrap_err().reason(), "SecretMissing");
/// ```
pub async fn run_step<S: SubReconciler, T>(
    object: &S::Object,
    client: Client,
    field_manager: &str,
    body: impl AsyncFnOnce(&mut Cx<'_, S>) -> Result<T, S::Error>,
) -> StepRun<T> {
    let kind = KindInfo::of::<S::Object>();
    let meta = object.meta();
    let target =
        Target { namespace: meta.namespace.clone(), name: meta.name.clone().unwrap_or_default(), kind: kind.clone() };
    let client = Arc::new(StepClient::new(client, CallMeter::default()));
    let sender = Sender { client, answers: Answers::default(), step: "" };
    let calls =
        Calls { sender, permit: Leadership::open().permit(), field_manager: field_manager.into(), whole: false };
    let backend = Arc::new(Direct {
        calls,
        owner: owner(&target, meta.uid.as_deref().unwrap_or_default(), &DOMAIN.into()),
        target,
        warned: Warned::default(),
    });
    let wiring = Wiring { name: S::WIRING.name, conditions: S::Conditions::CONDITIONS, ..Wiring::EMPTY };
    let mut state = PassState::new(object, wiring, backend);
    let mut pass = Pass { state: &mut state };
    let (mut context, limit) = context::begin::<S>(&mut pass);
    let done = limit.run(body(&mut context)).await;
    let value = context::finish(done, context);
    let touched = S::WIRING.sets.iter().chain(S::WIRING.clears);
    let conditions = touched.filter_map(|place| state.condition(*place).cloned()).collect();
    let intent = state.progress();
    let fields = intent.changed_fields(&state.found()).map(|(name, value)| (name.to_owned(), value.value())).collect();
    StepRun { value, conditions, fields, requeue: state.requeue }
}

/// A backend that reads and writes without caches.
struct Direct {
    calls: Calls,
    owner: Owner,
    target: Target,
    warned: Warned,
}

impl Direct {
    fn owning<'a>(&'a self, target: &'a Target) -> Owned<'a> {
        let claimant = Claimant::new(&self.owner, &self.calls.field_manager);
        Owned { calls: &self.calls, claimant, target, subscriber: None }
    }

    /// Lists the objects of the kind that the object owns.
    async fn children(&self, kind: KindInfo) -> Result<Vec<DynamicObject>, ApiError> {
        let mut all = self.calls.list(&Selection::new(kind.clone(), None, "")).await?;
        let owned_by = |owner: &OwnerReference| owner.controller == Some(true) && owner.uid == self.owner.reference.uid;
        let is_marked = |meta: &ObjectMeta| {
            marked(&kind, meta).is_some_and(|owner| owner.reference.uid == self.owner.reference.uid)
        };
        all.retain(|DynamicObject { metadata: meta, .. }| {
            meta.owner_references.iter().flatten().any(owned_by) || is_marked(meta)
        });
        Ok(all)
    }
}

impl Backend for Direct {
    fn get(
        &self,
        _: &'static str,
        _: Relation,
        target: Target,
    ) -> BoxFuture<'_, Result<Option<Arc<DynamicObject>>, ApiError>> {
        async move { Ok(self.calls.get(&target).await?.map(Arc::new)) }.boxed()
    }

    fn list(
        &self,
        _: &'static str,
        relation: Relation,
        selection: Selection,
    ) -> BoxFuture<'_, Result<Vec<Arc<DynamicObject>>, ApiError>> {
        async move {
            let mut found = self.calls.list(&selection).await?;
            found.retain(|object| selects(&relation, &selection, object));
            Ok(found.into_iter().map(Arc::new).collect())
        }
        .boxed()
    }

    fn metadata(
        &self,
        _: &'static str,
        relation: Relation,
        selection: Selection,
    ) -> BoxFuture<'_, Result<Vec<ObjectMeta>, ApiError>> {
        async move {
            let found = match relation.how {
                How::Owns => self.children(selection.kind).await?,
                _ => self.calls.list(&selection).await?,
            };
            Ok(found.into_iter().map(|object| object.metadata).collect())
        }
        .boxed()
    }

    fn owned(&self, _: &'static str, kind: KindInfo) -> BoxFuture<'_, Result<Vec<Target>, ApiError>> {
        let of_kind = kind.clone();
        let target =
            move |meta: ObjectMeta| Some(Target { kind: kind.clone(), namespace: meta.namespace, name: meta.name? });
        let children = async move { self.children(of_kind).await };
        children.map_ok(move |all| all.into_iter().filter_map(|object| target(object.metadata)).collect()).boxed()
    }

    fn apply(
        &self,
        _: &'static str,
        relation: Relation,
        target: Target,
        json: String,
    ) -> BoxFuture<'_, Result<Arc<DynamicObject>, ApiError>> {
        async move {
            let object = owned(&target, &json, &self.owner, relation.labels)?;
            self.owning(&target).apply(relation.adopt, object, None).await.map(|written| Arc::new(written.object))
        }
        .boxed()
    }

    fn delete(&self, _: &'static str, target: Target) -> BoxFuture<'_, Result<(), ApiError>> {
        async move { self.owning(&target).delete(None).await }.boxed()
    }

    fn record(
        &self,
        _: &'static str,
        _: DesiredStatus,
        intent: DesiredStatus,
        _: bool,
    ) -> BoxFuture<'_, Result<(), ApiError>> {
        let resource = &self.target.kind.resource;
        let body = json!({
            "apiVersion": resource.api_version, "kind": resource.kind,
            "metadata": {"name": self.target.name}, "status": intent.to_value(),
        });
        let body = body.to_string();
        async move {
            let answer = self.calls.apply_status(&self.target, &body).await?;
            self.calls.object(&self.target, &answer).map(drop)
        }
        .boxed()
    }

    fn warned(&self) -> &Warned {
        &self.warned
    }

    fn client(&self, step: &'static str, relations: &'static [Relation]) -> Client {
        self.calls.client(step, relations, self.target.namespace.as_deref())
    }

    fn blocking(&self, work: Box<dyn FnOnce() + Send>) -> BoxFuture<'static, ()> {
        tokio::task::spawn_blocking(work).map(drop).boxed()
    }
}
