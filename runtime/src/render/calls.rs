//! The calls for dependents without an API server: what is applied is kept, and counts as ready at once.

use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use kube::core::DynamicObject;

use super::backend::{AppliedDependent, RenderBackend};
use super::rendered::RenderedObject;
use crate::api::{
    ApiError, BoxFuture, DependentCalls, FormerObjects, KeptObject, KindDiscovery, ObjectCall, OtherObjects, StepSite,
    Types,
};
use crate::dependency::ObjectStatus;
use crate::dependent_rules::manifest::{ObjectId, TypeMeta};
use crate::dependent_rules::plan::{Item, LiveObject};
use crate::dependent_rules::policy::{DeletePolicy, ReconcilePolicy};
use crate::wiring::KindInfo;

impl RenderBackend {
    /// Keeps an object as if it was applied, and was ready at once.
    fn keep(&self, step: &str, item: &Item) {
        let object = item.object.value();
        let live = LiveObject {
            uid: String::new(),
            resource_version: String::new(),
            applied: Some(item.applied),
            is_deleted: false,
            has_drifted: false,
            age: Duration::ZERO,
            status: ObjectStatus::Current,
        };
        self.live().insert(item.id.clone(), (step.to_owned(), live));
        let rendered = RenderedObject {
            id: item.id.clone(),
            wave: item.settings.apply_order,
            is_applied_once: item.settings.reconcile == ReconcilePolicy::Once,
            object: object.clone(),
        };
        self.rendered().push((step.to_owned(), rendered));
        // Its form was checked when it became a manifest.
        if let Ok(object) = serde_json::from_value::<DynamicObject>(object.clone()) {
            self.readable.add(Arc::new(object));
        }
    }
}

fn kept(id: &ObjectId, (step, live): &AppliedDependent) -> KeptObject {
    KeptObject {
        id: id.clone(),
        step: step.as_str().into(),
        live: live.clone(),
        type_name: String::new(),
        finalizers: Vec::new(),
        annotated: None,
        is_former: false,
    }
}

impl DependentCalls for RenderBackend {
    fn act_at(&self, _: &'static str, _: Result<StepSite, String>) -> BoxFuture<'_, ()> {
        ready(()).boxed()
    }

    fn site_problem(&self, _: &str) -> Option<String> {
        None
    }

    fn is_elsewhere(&self, _: &str) -> bool {
        false
    }

    fn has_site(&self, _: &str) -> bool {
        true
    }

    fn cluster(&self, _: &str) -> Option<String> {
        None
    }

    fn marks(&self) -> Option<String> {
        None
    }

    fn ignores_sites(&self) -> bool {
        true
    }

    fn listed<'a>(&'a self, _: Option<&'a str>) -> BoxFuture<'a, Result<(), ApiError>> {
        ready(Ok(())).boxed()
    }

    fn want(&self, step: &'static str, ids: Vec<ObjectId>) -> Result<(), (ObjectId, &'static str)> {
        self.sets.want(step, ids, &|_| true)
    }

    fn is_wanted(&self, step: &str, id: &ObjectId) -> Option<bool> {
        self.sets.is_wanted(step, id, &|_| true)
    }

    fn wanted(&self, step: &str) -> Option<Vec<ObjectId>> {
        self.sets.of(step)
    }

    fn take_changes(&self) -> [usize; 3] {
        [0; 3]
    }

    fn unanswered(&self) -> Option<(ObjectId, Duration)> {
        None
    }

    fn kinship(&self, id: &ObjectId) -> Option<&'static str> {
        self.component.is(id).then_some("it is the component itself")
    }

    fn is_declared(&self, _: &str) -> bool {
        true
    }

    fn check(&self, _: &str, _: &ObjectId) -> Result<(), ApiError> {
        Ok(())
    }

    fn get(&self, _: &str, id: &ObjectId) -> Option<KeptObject> {
        self.live().get(id).map(|known| kept(id, known))
    }

    fn cached(&self, step: &str, id: &ObjectId) -> Option<Arc<DynamicObject>> {
        self.live().get(id).filter(|(of, _)| of == step)?;
        self.readable.named(id)
    }

    fn reference(&self, _: &str, _: &ObjectId) -> Option<String> {
        None
    }

    fn all(&self) -> Vec<KeptObject> {
        self.live().iter().map(|(id, known)| kept(id, known)).collect()
    }

    fn applied(&self, _: &str, _: &[&ObjectId]) -> String {
        String::new()
    }

    fn accept(&self, _: &str, _: &[&ObjectId]) {}

    fn send<'a>(&'a self, step: &'a str, call: ObjectCall<'a>) -> BoxFuture<'a, Result<(), ApiError>> {
        match call {
            ObjectCall::Apply { item, .. } | ObjectCall::Replace { item, .. } => {
                self.keep(step, item);
            }
            ObjectCall::Try { .. } => {}
            ObjectCall::Delete { id, .. } | ObjectCall::Orphan { id, .. } => drop(self.live().remove(id)),
        }
        ready(Ok(())).boxed()
    }

    fn look(&self, _: Option<&str>) {}

    fn seen(&self) -> u64 {
        0
    }

    fn sum(&self) -> u64 {
        0
    }

    fn must_end(&self) -> bool {
        false
    }

    fn remaining<'a>(&'a self, _: &'a [String]) -> BoxFuture<'a, Result<Vec<ObjectId>, ApiError>> {
        ready(Ok(Vec::new())).boxed()
    }
}

impl KindDiscovery for RenderBackend {
    fn watched_kind(&self, _: &str, _: &str, _: &str) -> Option<KindInfo> {
        None
    }

    fn served_kinds<'a>(&'a self, _: &'a str, types: &'a [TypeMeta]) -> BoxFuture<'a, Result<Vec<KindInfo>, ApiError>> {
        // Without an API server, kinds that are not those of Kubernetes are taken as namespaced.
        let kinds = types.iter().map(|of| KindInfo::by_text(&of.api_version(), &of.kind, None)).collect();
        ready(Ok(kinds)).boxed()
    }

    fn watch_kinds<'a>(&'a self, _: &'a str, _: Vec<KindInfo>) -> BoxFuture<'a, Result<(), ApiError>> {
        ready(Ok(())).boxed()
    }
}

impl FormerObjects for RenderBackend {
    fn take_former<'a>(
        &'a self,
        _: &'a str,
        _: &'a [ObjectId],
        _: DeletePolicy,
    ) -> BoxFuture<'a, Result<(), ApiError>> {
        ready(Ok(())).boxed()
    }
}

impl OtherObjects for RenderBackend {
    fn instances<'a>(
        &'a self,
        _: &'a str,
        _: Types<'a>,
        _: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<ObjectId>, ApiError>> {
        ready(Ok(Vec::new())).boxed()
    }

    fn content<'a>(&'a self, _: &'a str, _: &'a str) -> BoxFuture<'a, Result<Vec<String>, ApiError>> {
        ready(Ok(Vec::new())).boxed()
    }

    fn create_namespace<'a>(&'a self, _: &'a str, _: &'a str) -> BoxFuture<'a, Result<bool, ApiError>> {
        ready(Ok(true)).boxed()
    }
}
