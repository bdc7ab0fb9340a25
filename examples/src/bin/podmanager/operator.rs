//! The operator: the kind `PodManager`, its conditions and errors, and its two steps.

use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::{Container, Pod, PodSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::ResourceExt;

/// A Pod with the same name, whose creation time is recorded.
#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "demo.evenkeel.dev", version = "v1", kind = "PodManager", namespaced, status = "PodManagerStatus")]
#[kube(printcolumn(name = "Pod-Created", type_ = "date", json_path = ".status.podCreated"))]
pub struct PodManagerSpec {
    /// The image of the Pod's container.
    pub image: String,
}

/// The observed state of the Pod.
#[status]
pub struct PodManagerStatus {
    /// The creation time of the Pod; while there is no Pod, that of the last one.
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    pub pod_created: Option<Time>,
}

/// The conditions, most important first.
#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub enum PodCondition {
    /// The Pod is applied as the spec requires.
    #[condition(positive)]
    PodApplied,
    /// The Pod exists and is ready.
    #[condition(positive)]
    PodReady,
}

/// The errors of the steps, with their classes.
#[derive(Debug, thiserror::Error, ReconcileError)]
pub enum PodError {
    /// The API server rejects the Pod.
    #[error(transparent)]
    #[class(transient)]
    ApplyFailed(#[from] ApiError),
    /// The Pod does not exist yet; its creation triggers a reconcile.
    #[error(transparent)]
    #[class(waiting)]
    PodMissing(#[from] Absent<Pod>),
    /// The Pod is not ready yet; its change triggers a reconcile.
    #[error("the Pod is not ready yet, it is {0}")]
    #[class(waiting(poll = "5m"))]
    PodNotReady(String),
    /// A Pod with the name belongs to another owner; its deletion triggers a reconcile.
    #[error("the Pod is not of this PodManager: delete it, or choose another name")]
    #[class(waiting(poll = "5m"))]
    PodForeign,
}

/// Applies the Pod. Its name is known beforehand, so that doing it twice makes no second one.
#[sub_reconciler(sets(on::PodApplied), owns(Pod))]
pub async fn keep(manager: &PodManager, cx: &mut Cx<'_, keep>) -> Result<(), PodError> {
    cx.apply(&pod_of(manager)).await?;
    Ok(())
}

/// Notes when the Pod was created, and whether it is ready. It asks the Pod, not the other step, which may have failed, or done its
/// work in an earlier pass.
#[sub_reconciler(sets(on::PodReady), watches(Pod, by_name))]
pub async fn note(manager: &PodManager, cx: &mut Cx<'_, note>) -> Result<(), PodError> {
    let pod = cx.require::<Pod>(&manager.name_any()).await?;
    if pod.owner_references().iter().all(|owner| Some(&owner.uid) != manager.metadata.uid.as_ref()) {
        return Err(PodError::PodForeign);
    }
    cx.status().pod_created = pod.creation_timestamp();
    if is_ready(&pod) { Ok(()) } else { Err(PodError::PodNotReady(phase(&pod))) }
}

/// Two steps that do not need each other: whichever fails, the other has done its part.
#[reconciler(conditions = PodCondition, requeue = "10m")]
pub async fn pod_manager(manager: &PodManager, cx: &mut Pass<'_>) -> PassResult {
    join(keep(manager, cx), note(manager, cx)).await?;
    Ok(())
}

/// Returns the operator.
pub fn operator() -> Operator {
    Operator::new("pod-manager").reconciler::<pod_manager>(())
}

/// The desired Pod; the framework sets its namespace and its owner.
fn pod_of(manager: &PodManager) -> Pod {
    let image = Some(manager.spec.image.clone());
    let container = Container { name: "main".to_owned(), image, ..Container::default() };
    let mut pod = Pod::default();
    pod.metadata.name = manager.metadata.name.clone();
    pod.spec = Some(PodSpec { containers: vec![container], ..PodSpec::default() });
    pod
}

/// Whether the Pod is ready and not being deleted.
pub fn is_ready(pod: &Pod) -> bool {
    let mut conditions = pod.status.iter().flat_map(|status| status.conditions.iter().flatten());
    pod.metadata.deletion_timestamp.is_none() && conditions.any(|one| one.type_ == "Ready" && one.status == "True")
}

fn phase(pod: &Pod) -> String {
    match &pod.metadata.deletion_timestamp {
        Some(_) => "Terminating".to_owned(),
        None => pod.status.as_ref().and_then(|status| status.phase.clone()).unwrap_or_else(|| "Pending".to_owned()),
    }
}
