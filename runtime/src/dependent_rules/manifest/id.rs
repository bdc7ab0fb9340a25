//! The identity of an object in a cluster, whatever the version of its kind.

use std::fmt;

use serde_json::Value;

/// The identity of an object: two manifests with the same one are the same object, also in different versions of its kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId {
    /// The API group; empty for the core group.
    pub group: String,
    /// The kind.
    pub kind: String,
    /// The namespace; `None` for cluster-scoped kinds.
    pub namespace: Option<String>,
    /// The name.
    pub name: String,
}

impl ObjectId {
    /// Whether the object is of this kind.
    #[must_use]
    pub fn is(&self, group: &str, kind: &str) -> bool {
        self.group == group && self.kind == kind
    }

    /// Whether the object is the Service to which this `clientConfig.service` of a webhook refers.
    pub(crate) fn is_service(&self, called: &Value) -> bool {
        let is_named =
            called["name"] == self.name.as_str() && called["namespace"].as_str() == self.namespace.as_deref();
        is_named && self.is("", "Service")
    }
}

impl fmt::Display for ObjectId {
    /// `Deployment team-a/web`, and `Certificate.cert-manager.io team-a/web` for a kind of a CRD.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind)?;
        if !is_built_in(&self.group) {
            write!(f, ".{}", self.group)?;
        }
        f.write_str(" ")?;
        self.namespace.as_ref().map_or(Ok(()), |namespace| write!(f, "{namespace}/"))?;
        f.write_str(&self.name)
    }
}

/// The groups of Kubernetes itself that end like the groups of CRDs, which may end in `.k8s.io`, too.
const BUILT_IN: [&str; 16] = [
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "certificates.k8s.io",
    "coordination.k8s.io",
    "discovery.k8s.io",
    "events.k8s.io",
    "flowcontrol.apiserver.k8s.io",
    "networking.k8s.io",
    "node.k8s.io",
    "rbac.authorization.k8s.io",
    "resource.k8s.io",
    "scheduling.k8s.io",
    "storage.k8s.io",
];

/// Whether the group is one of Kubernetes itself.
pub(super) fn is_built_in(group: &str) -> bool {
    !group.contains('.') || BUILT_IN.contains(&group)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_shown_with_the_group_of_its_crd() {
        let shown = |group: &str, kind: &str, namespace: Option<&str>| {
            let (group, kind, namespace) = (group.to_owned(), kind.to_owned(), namespace.map(ToOwned::to_owned));
            ObjectId { group, kind, namespace, name: "web".into() }.to_string()
        };
        assert_eq!(shown("apps", "Deployment", Some("team-a")), "Deployment team-a/web");
        assert_eq!(shown("", "Namespace", None), "Namespace web");
        assert_eq!(shown("storage.k8s.io", "StorageClass", None), "StorageClass web");
        assert_eq!(shown("gateway.networking.k8s.io", "Gateway", Some("a")), "Gateway.gateway.networking.k8s.io a/web");
    }
}
