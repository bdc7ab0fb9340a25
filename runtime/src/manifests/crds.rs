//! The CRDs, with the labels of the operator.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use super::certificate::inject;
use super::labels::Source;

pub(super) fn definitions(source: Source<'_>) -> Vec<CustomResourceDefinition> {
    let labelled = |definition: &CustomResourceDefinition| {
        let mut metadata = source.label(definition.metadata.clone());
        if definition.spec.conversion.as_ref().is_some_and(|conversion| conversion.webhook.is_some()) {
            inject(source, &mut metadata);
        }
        CustomResourceDefinition { metadata, ..definition.clone() }
    };
    source.parts.definitions.iter().map(labelled).collect()
}
