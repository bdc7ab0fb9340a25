//! Warns of policies that the API server does not serve: it then checks none of their rules.

use std::time::Duration;

use kube::Client;

use super::builder::Operator;

/// The group of policies.
const GROUP: &str = "admissionregistration.k8s.io/v1";

/// How long the start waits for the resources of the group.
const PATIENCE: Duration = Duration::from_secs(5);

/// The names of the policies of the operator, each once.
pub(super) fn names(operator: &Operator) -> Vec<String> {
    operator.admission_policies().into_iter().filter_map(|one| one.policy.metadata.name).collect()
}

/// Whether the API server serves policies, as those of Kubernetes 1.30 and later do; `None`: it cannot be asked.
pub(super) async fn are_served(client: &Client) -> Option<bool> {
    let served = tokio::time::timeout(PATIENCE, client.list_api_group_resources(GROUP)).await.ok()?.ok()?;
    Some(served.resources.iter().any(|resource| resource.name == "validatingadmissionpolicies"))
}

/// Logs a warning if the operator has policies and the API server serves none.
pub(super) async fn warn_unless_served(client: &Client, names: &[String]) {
    if names.is_empty() {
        return;
    }
    match are_served(client).await {
        None => tracing::debug!("the resources of {GROUP} cannot be read; whether policies are served was not checked"),
        Some(true) => {}
        Some(false) => tracing::warn!(
            policies = names.join(", "),
            "the API server serves no ValidatingAdmissionPolicies, as those before Kubernetes 1.30, so it does not check these rules: \
             update the cluster, or write them as functions with `#[validate]`"
        ),
    }
}
