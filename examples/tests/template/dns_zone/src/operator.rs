//! The operator: its steps with their errors, and the order in which they run.

pub mod api;

use api::on;
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;

/// The errors of the steps. The class of an error decides what happens next.
///
/// The first paragraph of a comment is the meaning of the error, and the others are the fix.
#[derive(Debug, thiserror::Error, ReconcileError)]
pub enum StepError {
    /// The field `spec.text` is empty.
    ///
    /// Write a text.
    #[error("the text is empty")]
    #[class(stalled)]
    TextEmpty,
    /// A request to the API server fails.
    #[error(transparent)]
    #[class(transparent)]
    Api(#[from] ApiError),
}

/// Applies a ConfigMap with the text. It has the name of the object.
#[sub_reconciler(sets(on::Published), owns(ConfigMap))]
pub async fn publish(
    object: &api::DNSZone,
    cx: &mut Cx<'_, publish>,
) -> Result<(), StepError> {
    if object.spec.text.is_empty() {
        return Err(StepError::TextEmpty);
    }
    let mut map = ConfigMap::default();
    map.metadata.name = object.metadata.name.clone();
    map.data = Some([("text".to_owned(), object.spec.text.clone())].into());
    cx.apply(&map).await?;
    cx.status().config_map = object.metadata.name.clone();
    Ok(())
}

/// The pipeline: which steps run, in which order.
#[reconciler(conditions = api::DNSZoneCondition, requeue = "10m")]
pub async fn reconcile(object: &api::DNSZone, cx: &mut Pass<'_>) -> PassResult {
    publish(object, cx).await?;
    Ok(())
}

/// The operator with all its reconcilers.
pub fn operator() -> Operator {
    let operator = Operator::new("dns-operator");
    operator.version(env!("CARGO_PKG_VERSION")).reconciler::<reconcile>(())
}
