//! The objects of an earlier tool that did the work of a step.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::core::DynamicObject;

use super::body::marks_patch;
use crate::api::former_owner::FormerOwner;
use crate::api::{ApiError, FormerObjects, Owner, Selection, Target, marked};
use crate::dependent_rules::manifest::{Applied, ObjectId};
use crate::dependent_rules::policy::DeletePolicy;
use crate::pass::api::PassBackend;
use crate::pass::api::calls::Calls;
use crate::wiring::{FormerTool, KindInfo};

/// The component as an earlier tool of the step marked its objects; `None`: there was none.
pub(super) async fn former_owner(backend: &PassBackend, step: &str) -> Result<Option<FormerOwner>, ApiError> {
    let wiring = backend.wiring.step(step);
    let Some(previously) = wiring.map(|step| step.previously).filter(|one| *one != FormerTool::NONE) else {
        return Ok(None);
    };
    let cluster: Arc<str> = match previously.marks {
        [] => Arc::default(),
        _ => backend.sets.clusters.identify().await?,
    };
    let Target { namespace, name, .. } = &backend.identity.target;
    Ok(Some(FormerOwner::new(previously, &cluster, namespace.as_deref(), name)))
}

/// The objects of a kind with the label of the earlier tool, in these namespaces.
async fn listed(
    calls: &Calls,
    (kind, namespaces): (&KindInfo, Vec<Option<String>>),
    former: &FormerOwner,
) -> Result<Vec<DynamicObject>, ApiError> {
    let mut found = Vec::new();
    for namespace in namespaces {
        for selector in former.selectors() {
            match calls.list(&Selection::new(kind.clone(), namespace.clone(), &selector)).await {
                Err(ApiError::NotServed(_)) => {}
                listed => found.extend(listed?),
            }
        }
    }
    Ok(found)
}

impl FormerObjects for PassBackend {
    fn take_former<'a>(
        &'a self,
        step: &'a str,
        wanted: &'a [ObjectId],
        delete: DeletePolicy,
    ) -> BoxFuture<'a, Result<(), ApiError>> {
        async move {
            let Some(former) = former_owner(self, step).await? else { return Ok(()) };
            let (calls, cache) = (self.set_calls(step), self.cache_of(step)?);
            let owner: Owner = self.owner_of(&self.wiring.set_key(step));
            for kind in cache.kinds() {
                let elsewhere = self.sets.cluster(step);
                let namespaces = elsewhere.map_or_else(|| self.relations.namespaces(&kind), |_| vec![None]);
                for object in listed(&calls, (&kind, namespaces), &former).await? {
                    let meta = &object.metadata;
                    let (group, name) = (kind.resource.group.clone(), meta.name.clone().unwrap_or_default());
                    let id =
                        ObjectId { group, kind: kind.resource.kind.clone(), namespace: meta.namespace.clone(), name };
                    // Those that are wanted are taken over when they are applied.
                    if !former.marks(meta) || marked(&kind, meta).is_some() || wanted.contains(&id) {
                        continue;
                    }
                    let target = Target { kind: kind.clone(), namespace: id.namespace, name: id.name };
                    let patch = marks_patch(&owner, &target, meta, (&self.sets.operator, Applied::unknown(delete)));
                    let writing = cache.writing(&target);
                    writing.wrote(&calls.merge(&target, &patch).await?);
                    tracing::info!(object = %target, "took the object over from an earlier tool; it is not wanted any more");
                }
            }
            Ok(())
        }
        .boxed()
    }
}
