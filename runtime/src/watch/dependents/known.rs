//! What is known of a dependent: read from an object that a watch or a write returned.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use kube::api::{DynamicObject, ObjectMeta, TypeMeta};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::api::{group, marked};
use crate::client::decode::{METADATA, READINESS, WHOLE};
use crate::dependency::{ObjectStatus, object_status};
use crate::dependent_rules::plan::LiveObject;
use crate::dependent_rules::policy::{Annotations, DeletePolicy};
use crate::dependent_rules::response::{FieldOwner, applied_fields, owns_replicas};
use crate::queue::Key;
use crate::trigger::{number, text};
use crate::wiring::annotations::{APPLIED, OPERATOR, key_under};
use crate::wiring::{KindInfo, OperatorNames, ReadyFunction, Wiring};

/// A dependent, without its content.
#[derive(Clone, Debug)]
pub(crate) struct KnownDependent {
    /// The component.
    pub(crate) component: Key,
    /// The step that keeps it.
    pub(crate) step: Arc<str>,
    pub(crate) live: LiveObject,
    /// The hash of the fields of our manifest; `None`: we own none.
    pub(crate) fields: Option<u64>,
    /// The same after our last apply, if it was in this process.
    pub(crate) baseline: Option<u64>,
    /// When it was applied, or first seen.
    pub(crate) since: Instant,
    /// Its finalizers, while it is being deleted.
    pub(crate) finalizers: Vec<String>,
    /// The object itself, if the step caches its kind.
    pub(crate) content: Option<Arc<DynamicObject>>,
    /// The delete policy in its annotation, or why it cannot be read.
    pub(crate) annotated: Option<Result<DeletePolicy, String>>,
    /// Whether its marks have the name of an earlier version of the operator, the reconciler or the step.
    pub(crate) is_former: bool,
    /// Whether the operator owns its `spec.replicas`.
    pub(crate) owns_replicas: bool,
}

impl KnownDependent {
    /// Whether nothing that a pass must see differs.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let seen = |known: &Self| {
            (known.live.uid.clone(), known.live.applied, known.live.is_deleted, known.fields, known.annotated.clone())
        };
        let owner = |known: &Self| (known.component.clone(), known.step.clone(), known.is_former);
        self.content == other.content
            && seen(self) == seen(other)
            && owner(self) == owner(other)
            && self.live.status == other.live.status
    }

    /// Its share in the sum of its component.
    pub(super) fn number(&self, key: &Key) -> u64 {
        let fields = self.fields.map(text).unwrap_or_default();
        let (status, deleted) = (self.live.status.to_string(), if self.live.is_deleted { "deleted" } else { "" });
        let namespace = key.namespace.as_deref().unwrap_or_default();
        let annotated = match &self.annotated {
            None => "",
            Some(Ok(policy)) => policy.as_str(),
            Some(Err(problem)) => problem,
        };
        let version = self.content.as_ref().map_or("", |_| &*self.live.resource_version);
        number(&[namespace, &key.name, &self.live.uid, &fields, deleted, &status, annotated, version])
    }

    /// Its status now.
    #[cfg(feature = "metrics")]
    pub(crate) fn status(&self) -> ObjectStatus {
        Self::reported(self.live.is_deleted, &self.live.status).clone()
    }

    /// The status now of an object with this last status.
    #[cfg(feature = "metrics")]
    pub(super) const fn reported(is_deleted: bool, status: &ObjectStatus) -> &ObjectStatus {
        if is_deleted { &ObjectStatus::Terminating } else { status }
    }

    /// It, with its age and whether it has drifted.
    pub(crate) fn now(mut self) -> LiveObject {
        self.live.has_drifted = self.baseline.is_none_or(|baseline| Some(baseline) != self.fields);
        self.live.age = self.since.elapsed();
        self.live
    }
}

/// Reads the dependents of one reconciler.
#[derive(Clone)]
pub(super) struct Reader {
    /// The kind of the components.
    pub(super) owner: KindInfo,
    /// The wiring of their reconciler.
    pub(super) wiring: &'static Wiring,
    pub(super) operator: OperatorNames,
    /// The names of the steps, which their dependents share.
    pub(super) names: Arc<[Arc<str>]>,
    /// The field manager of the reconciler.
    pub(super) manager: String,
    /// The kinds whose objects are cached.
    pub(super) cached: Arc<[KindInfo]>,
    /// The cluster of the components; `None`: that of the dependents.
    pub(super) cluster: Option<Arc<str>>,
}

impl Reader {
    /// What is read of the objects of the kind.
    pub(super) fn part(&self, kind: &KindInfo) -> u8 {
        match () {
            () if self.caches(kind) || self.wiring.steps.iter().any(|step| step.ready_function(kind).is_some()) => {
                WHOLE
            }
            () if has_status(kind) => READINESS,
            () => METADATA,
        }
    }

    fn caches(&self, kind: &KindInfo) -> bool {
        self.cached.iter().any(|cached| cached.is_same(kind))
    }

    fn is_former(&self, meta: &ObjectMeta, set: &str, step: &str) -> bool {
        let label = key_under(&self.operator.domain, OPERATOR);
        let operator = meta.labels.as_ref().and_then(|labels| labels.get(&label));
        *set != self.wiring.set_key(step) || operator.is_some_and(|name| **name != *self.operator.name)
    }

    /// The dependent; `None`: it has no mark of a component of this reconciler. A mark that was copied from another object is none.
    pub(super) fn read(
        &self,
        kind: &KindInfo,
        meta: &ObjectMeta,
        (mut object, owners): (Value, &[FieldOwner]),
    ) -> Option<KnownDependent> {
        let owner = marked(kind, meta)?;
        let resource = &self.owner.resource;
        let is_own_kind = owner.reference.kind == resource.kind && group(&owner.reference) == resource.group;
        if owner.cluster() != self.cluster.as_deref() {
            return None;
        }
        let set = owner.set_key()?;
        let step = self.wiring.step_of_own_set(set)?;
        let steps = self.wiring.steps;
        let at = steps.iter().position(|known| known.name == step);
        let of_step = at.map(|at| &steps[at]);
        let (own, component) = (meta.namespace.as_deref(), owner.namespace.as_deref());
        if !is_own_kind || of_step.is_some_and(|step| !step.may_keep_in(own, component)) {
            return None;
        }
        let content = self.caches(kind).then(|| content(kind, &object)).flatten();
        if self.part(kind) == METADATA {
            // As the watch delivers it.
            object = json!({ "metadata": object["metadata"].take() });
        }
        // The objects of a list of a built-in kind do not name it.
        object["apiVersion"] = json!(kind.resource.api_version);
        object["kind"] = json!(kind.resource.kind);
        let none = Default::default();
        let prefix = of_step.and_then(|step| step.prefix);
        let annotations = Annotations::new(meta.annotations.as_ref().unwrap_or(&none), prefix);
        let is_deleted = object["metadata"]["deletionTimestamp"].is_string();
        let function = of_step.and_then(|step| step.ready_function(kind));
        let live = LiveObject {
            uid: meta.uid.clone().unwrap_or_default(),
            resource_version: meta.resource_version.clone().unwrap_or_default(),
            applied: meta.annotations.as_ref().and_then(|all| all.get(&owner.key(APPLIED))?.parse().ok()),
            is_deleted,
            has_drifted: false,
            age: Duration::ZERO,
            status: status(function, annotations, &object),
        };
        Some(KnownDependent {
            component: Key::new(owner.namespace.as_deref(), &owner.reference.name),
            step: at.map_or_else(|| step.into(), |at| self.names[at].clone()),
            live,
            fields: applied_fields(&object, owners, &self.manager),
            content,
            baseline: None,
            since: Instant::now(),
            is_former: self.is_former(meta, set, step),
            owns_replicas: owns_replicas(owners, &self.manager),
            annotated: annotations.delete_policy().map_err(|error| error.to_string()).transpose(),
            finalizers: if is_deleted { finalizers(&object) } else { Vec::new() },
        })
    }
}

fn finalizers(object: &Value) -> Vec<String> {
    let finalizers = object["metadata"]["finalizers"].as_array().into_iter().flatten();
    finalizers.filter_map(|one| one.as_str().map(ToOwned::to_owned)).collect()
}

/// The object to cache, without `managedFields`.
fn content(kind: &KindInfo, object: &Value) -> Option<Arc<DynamicObject>> {
    let mut content: DynamicObject = serde_json::from_value(object.clone()).ok()?;
    let types = TypeMeta { api_version: kind.resource.api_version.clone(), kind: kind.resource.kind.clone() };
    content.types = Some(types);
    content.metadata.managed_fields = None;
    Some(Arc::new(content))
}

/// The status of the object: by the function of its step, or by the rules of kstatus. Hints that another client made unreadable do not count.
fn status(function: Option<&ReadyFunction>, annotations: Annotations<'_>, object: &Value) -> ObjectStatus {
    if object["metadata"]["deletionTimestamp"].is_string() {
        return ObjectStatus::Terminating;
    }
    match function {
        Some(function) => status_by(function, object),
        None => object_status(object, &annotations.hints().ok().flatten().unwrap_or_default()),
    }
}

/// The status by the function of the author. A function that panics must not end the watch.
fn status_by(function: &ReadyFunction, object: &Value) -> ObjectStatus {
    // The panic itself has already been logged.
    catch_unwind(AssertUnwindSafe(|| (function.status)(object))).unwrap_or_else(|_| {
        let (function, meta) = (function.name, &object["metadata"]);
        let (name, namespace) = (meta["name"].as_str(), meta["namespace"].as_str());
        tracing::warn!(function, name, namespace, "the function of `ready(..)` panicked; the object is in progress");
        ObjectStatus::InProgress(format!("the function `{function}` of `ready(..)` panicked"))
    })
}

/// Kinds whose objects are ready as soon as they exist, so that only their metadata is watched.
const WITHOUT_STATUS: [(&str, &str); 17] = [
    ("", "ConfigMap"),
    ("", "Secret"),
    ("", "ServiceAccount"),
    ("", "LimitRange"),
    ("admissionregistration.k8s.io", "MutatingWebhookConfiguration"),
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"),
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"),
    ("networking.k8s.io", "IngressClass"),
    ("networking.k8s.io", "NetworkPolicy"),
    ("node.k8s.io", "RuntimeClass"),
    ("rbac.authorization.k8s.io", "ClusterRole"),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"),
    ("rbac.authorization.k8s.io", "Role"),
    ("rbac.authorization.k8s.io", "RoleBinding"),
    ("scheduling.k8s.io", "PriorityClass"),
    ("storage.k8s.io", "CSIDriver"),
    ("storage.k8s.io", "StorageClass"),
];

/// Whether the status of the kind's objects has to be read.
fn has_status(kind: &KindInfo) -> bool {
    !WITHOUT_STATUS.contains(&(&*kind.resource.group, &*kind.resource.kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(object: &Value) -> ObjectStatus {
        match object["spec"].as_str() {
            Some(why) => ObjectStatus::Failed(why.to_owned()),
            None => std::panic::panic_any(()),
        }
    }

    const ASKED: ReadyFunction = ReadyFunction { kind: None, name: "parts::asked", status: asked };

    fn status_of(function: Option<&ReadyFunction>, object: &Value) -> String {
        let none = Default::default();
        status(function, Annotations::new(&none, None), object).to_string()
    }

    #[test]
    fn a_function_replaces_the_rules_of_kstatus() {
        let object = json!({ "metadata": { "name": "a" }, "spec": "it is cracked" });
        assert_eq!(status_of(Some(&ASKED), &object), "it is cracked");
        assert_eq!(status_of(None, &object), "it is current");
    }

    #[test]
    fn an_object_whose_function_panics_is_in_progress() {
        let object = json!({ "metadata": { "name": "a" } });
        assert_eq!(status_of(Some(&ASKED), &object), "the function `parts::asked` of `ready(..)` panicked");
    }

    #[test]
    fn a_deleted_object_is_terminating_whatever_the_function_returns() {
        let object = json!({ "metadata": { "deletionTimestamp": "2026-01-01T00:00:00Z" }, "spec": "x" });
        assert_eq!(status_of(Some(&ASKED), &object), ObjectStatus::Terminating.to_string());
    }
}
