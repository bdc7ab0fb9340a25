//! The webhook configurations, with the labels of the operator.

use k8s_openapi::api::admissionregistration::v1::{MutatingWebhookConfiguration, ValidatingWebhookConfiguration};
#[cfg(feature = "webhooks")]
use kube::core::ObjectMeta;

#[cfg(feature = "webhooks")]
use super::certificate::inject;
use super::labels::Source;
use crate::rule::AdmissionPolicy;

/// What API servers call before they store an object.
#[derive(Default)]
pub(super) struct Configurations {
    pub(super) mutating: Option<MutatingWebhookConfiguration>,
    pub(super) validating: Option<ValidatingWebhookConfiguration>,
}

#[cfg(feature = "webhooks")]
pub(super) fn configurations(source: Source<'_>) -> Configurations {
    let Some(hooks) = &source.parts.hooks else { return Configurations::default() };
    let labelled = |metadata: &ObjectMeta| {
        let mut metadata = source.label(metadata.clone());
        inject(source, &mut metadata);
        metadata
    };
    let mut mutating = hooks.configurations.mutating.clone();
    let mut validating = hooks.configurations.validating.clone();
    mutating.iter_mut().for_each(|one| one.metadata = labelled(&one.metadata));
    validating.iter_mut().for_each(|one| one.metadata = labelled(&one.metadata));
    Configurations { mutating, validating }
}

#[cfg(not(feature = "webhooks"))]
pub(super) fn configurations(_source: Source<'_>) -> Configurations {
    Configurations::default()
}

/// The policies and their bindings.
pub(super) fn policies(source: Source<'_>) -> Vec<AdmissionPolicy> {
    let labelled = |policy: &AdmissionPolicy| {
        let mut policy = policy.clone();
        policy.policy.metadata = source.label(policy.policy.metadata);
        policy.binding.metadata = source.label(policy.binding.metadata);
        policy
    };
    source.parts.policies.iter().map(labelled).collect()
}
