//! The controller, written with evenkeel.

use evenkeel::prelude::*;
use kube::Client;

use crate::kind::{Entry, Release};

/// How a release stands.
#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub(crate) enum ReleaseCondition {
    /// What the release holds is in the cluster.
    #[condition(positive)]
    Applied,
}

/// What can go wrong.
#[derive(Debug, thiserror::Error, ReconcileError)]
pub(crate) enum ReleaseError {
    /// Nothing can, here.
    #[error("the release cannot be applied")]
    #[class(transient)]
    #[allow(dead_code, reason = "an error has a variant")]
    Failed,
}

/// Applies the release: here it writes down what it would have applied.
#[sub_reconciler(sets(on::Applied))]
pub(crate) async fn apply(release: &Release, cx: &mut Cx) -> Result<(), ReleaseError> {
    let entry = |name: &str| Entry { id: format!("apps_{name}_apps_Deployment"), v: "v1".to_owned() };
    cx.status().inventory = ["backend", "frontend", "worker", "scheduler"].map(entry).into();
    cx.status().last_applied_revision = Some(format!("main@sha1:{:040x}", release.spec.revision));
    Ok(())
}

/// Keeps releases.
#[reconciler(conditions = ReleaseCondition, requeue = "7d")]
pub(crate) async fn releases(release: &Release, cx: &mut Pass<'_>) -> Flow {
    apply(release, cx).await?;
    Ok(())
}

/// Runs for ever.
pub(crate) async fn start(client: Client) {
    let operator = Operator::new("bench").client(client).reconciler::<releases>(());
    operator.run_until(std::future::pending()).await.unwrap();
}
