//! The Namespace of the operator, which admits restricted pods only.

use k8s_openapi::api::core::v1::Namespace;

use super::labels::Source;

/// The level of the Pod Security Standards: <https://kubernetes.io/docs/concepts/security/pod-security-standards/>.
const ENFORCE: &str = "pod-security.kubernetes.io/enforce";

pub(super) fn namespace(source: Source<'_>) -> Option<Namespace> {
    let mut metadata = source.cluster_meta("");
    metadata.name = Some(source.options.namespace.clone());
    metadata.labels.get_or_insert_default().insert(ENFORCE.to_owned(), "restricted".to_owned());
    source.options.create_namespace.then(|| Namespace { metadata, ..Namespace::default() })
}
