//! Kinds that are known by text only: their plural is guessed, and their scope is that of a table.

use std::sync::Arc;

use kube::core::{ApiResource, GroupVersionKind};

use super::KindInfo;

/// A kind by its text, as macros print it.
#[derive(Clone, Copy, Debug)]
pub struct TextKind {
    /// The group and the version: `apps/v1`.
    pub api_version: &'static str,
    /// The kind.
    pub kind: &'static str,
    /// The kind with its plural and its scope.
    pub info: fn() -> KindInfo,
}

#[cfg(feature = "templates")]
impl TextKind {
    /// Whether it is of the same group and kind as the other one, in whatever version.
    pub(crate) const fn is(&self, other: &Self) -> bool {
        let (own, others) = (self.api_version.as_bytes(), other.api_version.as_bytes());
        same(self.kind.as_bytes(), self.kind.len(), other.kind.as_bytes(), other.kind.len())
            && same(own, group_end(own), others, group_end(others))
    }
}

/// The length of the group in `group/version`; 0 for the core group.
#[cfg(feature = "templates")]
const fn group_end(api_version: &[u8]) -> usize {
    let mut at = api_version.len();
    while at > 0 {
        at -= 1;
        if api_version[at] == b'/' {
            return at;
        }
    }
    0
}

/// Whether the first bytes of both are the same.
#[cfg(feature = "templates")]
const fn same(one: &[u8], one_end: usize, other: &[u8], other_end: usize) -> bool {
    if one_end != other_end {
        return false;
    }
    let mut at = 0;
    while at < one_end {
        if one[at] != other[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// Kinds of Kubernetes whose objects have no namespace.
const CLUSTER_SCOPED: [(&str, &str); 33] = [
    ("", "ComponentStatus"),
    ("", "Namespace"),
    ("", "Node"),
    ("", "PersistentVolume"),
    ("admissionregistration.k8s.io", "MutatingAdmissionPolicy"),
    ("admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding"),
    ("admissionregistration.k8s.io", "MutatingWebhookConfiguration"),
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy"),
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"),
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"),
    ("apiextensions.k8s.io", "CustomResourceDefinition"),
    ("apiregistration.k8s.io", "APIService"),
    ("certificates.k8s.io", "CertificateSigningRequest"),
    ("certificates.k8s.io", "ClusterTrustBundle"),
    ("flowcontrol.apiserver.k8s.io", "FlowSchema"),
    ("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration"),
    ("internal.apiserver.k8s.io", "StorageVersion"),
    ("networking.k8s.io", "IPAddress"),
    ("networking.k8s.io", "IngressClass"),
    ("networking.k8s.io", "ServiceCIDR"),
    ("node.k8s.io", "RuntimeClass"),
    ("policy", "PodSecurityPolicy"),
    ("rbac.authorization.k8s.io", "ClusterRole"),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"),
    ("resource.k8s.io", "DeviceClass"),
    ("resource.k8s.io", "DeviceTaintRule"),
    ("resource.k8s.io", "ResourceSlice"),
    ("scheduling.k8s.io", "PriorityClass"),
    ("storage.k8s.io", "CSIDriver"),
    ("storage.k8s.io", "CSINode"),
    ("storage.k8s.io", "StorageClass"),
    ("storage.k8s.io", "VolumeAttachment"),
    ("storage.k8s.io", "VolumeAttributesClass"),
];

impl KindInfo {
    /// The kind of a manifest. Without a plural, it is guessed from the kind, as kube does it. Objects of a kind of Kubernetes have the scope
    /// of that kind, those of other kinds are namespaced.
    #[must_use]
    #[doc(hidden)]
    pub fn by_text(api_version: &str, kind: &str, plural: Option<&str>) -> Self {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let gvk = GroupVersionKind::gvk(group, version, kind);
        let resource = match plural {
            None => ApiResource::from_gvk(&gvk),
            Some(plural) => ApiResource::from_gvk_with_plural(&gvk, plural),
        };
        Self { resource: Arc::new(resource), namespaced: !CLUSTER_SCOPED.contains(&(group, kind)) }
    }

    /// The same kind in this version.
    #[cfg(any(feature = "operator", feature = "templates"))]
    #[must_use]
    pub(crate) fn in_version(&self, version: &str) -> Self {
        if self.resource.version == version {
            return self.clone();
        }
        let ApiResource { group, kind, plural, .. } = &*self.resource;
        let resource = ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(group, version, kind), plural);
        Self { resource: Arc::new(resource), ..self.clone() }
    }

    /// The same kind with cluster-scoped objects.
    #[must_use]
    #[doc(hidden)]
    pub fn cluster_scoped(self) -> Self {
        Self { namespaced: false, ..self }
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::apps::v1::Deployment;
    use k8s_openapi::api::core::v1::{ConfigMap, Endpoints, Namespace};
    use k8s_openapi::api::networking::v1::{Ingress, NetworkPolicy};
    use k8s_openapi::api::rbac::v1::ClusterRole;

    use super::*;

    #[test]
    fn a_kind_of_kubernetes_is_the_same_by_text_and_by_type() {
        for (text, kind, typed) in [
            ("v1", "ConfigMap", KindInfo::of::<ConfigMap>()),
            ("v1", "Endpoints", KindInfo::of::<Endpoints>()),
            ("v1", "Namespace", KindInfo::of::<Namespace>()),
            ("apps/v1", "Deployment", KindInfo::of::<Deployment>()),
            ("networking.k8s.io/v1", "Ingress", KindInfo::of::<Ingress>()),
            ("networking.k8s.io/v1", "NetworkPolicy", KindInfo::of::<NetworkPolicy>()),
            ("rbac.authorization.k8s.io/v1", "ClusterRole", KindInfo::of::<ClusterRole>()),
        ] {
            assert_eq!(KindInfo::by_text(text, kind, None), typed);
        }
    }

    #[test]
    fn plural_and_scope_can_be_given() {
        let fish = KindInfo::by_text("sea.example.com/v1", "Fish", Some("fish"));
        assert_eq!((&*fish.resource.plural, fish.namespaced), ("fish", true));
        assert!(!fish.cluster_scoped().namespaced);
    }

    #[cfg(feature = "templates")]
    #[test]
    fn a_kind_is_the_same_in_another_version() {
        let text = |api_version, kind| TextKind { api_version, kind, info: || KindInfo::by_text("v1", "Pod", None) };
        assert!(text("apps/v1", "Deployment").is(&text("apps/v1beta1", "Deployment")));
        assert!(text("v1", "Service").is(&text("v1", "Service")));
        assert!(!text("serving.knative.dev/v1", "Service").is(&text("v1", "Service")));
        assert!(!text("apps/v1", "Deployment").is(&text("apps/v1", "DaemonSet")));
    }
}
