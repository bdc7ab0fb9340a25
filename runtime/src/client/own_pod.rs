//! The Pod in which this process runs. A step must not delete it by mistake: a reaper may select it, too.

use std::sync::OnceLock;

use super::request_info::Line;

/// Where Kubernetes puts the namespace of a Pod.
const NAMESPACE: &str = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

/// The Pod of this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OwnPod {
    namespace: String,
    name: String,
}

impl OwnPod {
    #[cfg(test)]
    pub(crate) fn new(namespace: &str, name: &str) -> Self {
        Self { namespace: namespace.into(), name: name.into() }
    }

    /// The Pod of this process; `None` outside of a cluster.
    pub(crate) fn of_process() -> Option<&'static Self> {
        static OWN: OnceLock<Option<OwnPod>> = OnceLock::new();
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        OWN.get_or_init(|| Self::found(&variable, || std::fs::read_to_string(NAMESPACE).ok())).as_ref()
    }

    /// The Pod according to the variables of a manifest (`POD_NAME`, `POD_NAMESPACE`), or else its host name and its service account.
    fn found(variable: &dyn Fn(&str) -> Option<String>, of_account: impl FnOnce() -> Option<String>) -> Option<Self> {
        variable("KUBERNETES_SERVICE_HOST")?;
        let name = variable("POD_NAME").or_else(|| variable("HOSTNAME"))?;
        let namespace = variable("POD_NAMESPACE").or_else(of_account)?.trim().to_owned();
        Some(Self { namespace, name })
    }

    /// Whether the call deletes or evicts this Pod.
    pub(super) fn is_removed_by(&self, line: &Line) -> bool {
        let (parts, verb) = (line.parts(), line.verb());
        let removes = matches!((verb, parts.subresource), ("delete", "") | ("create", "eviction"));
        let is_pod = parts.group.is_empty() && parts.plural == "pods";
        removes && is_pod && parts.namespace == self.namespace && parts.name == self.name
    }
}

#[cfg(test)]
mod tests {
    use http::{Method, Request};

    use super::*;

    fn own() -> OwnPod {
        OwnPod::new("a", "op-1")
    }

    #[test]
    fn only_the_removal_of_the_own_pod_is_found() {
        for (method, uri, found) in [
            (Method::DELETE, "/api/v1/namespaces/a/pods/op-1", true),
            (Method::POST, "/api/v1/namespaces/a/pods/op-1/eviction", true),
            (Method::DELETE, "/api/v1/namespaces/b/pods/op-1", false),
            (Method::DELETE, "/api/v1/namespaces/a/pods/op-2", false),
            (Method::DELETE, "/api/v1/namespaces/a/secrets/op-1", false),
            (Method::DELETE, "/apis/other.example.com/v1/namespaces/a/pods/op-1", false),
            (Method::PATCH, "/api/v1/namespaces/a/pods/op-1", false),
            (Method::GET, "/api/v1/namespaces/a/pods/op-1", false),
        ] {
            let line = Line::of(&Request::builder().method(method.clone()).uri(uri).body(()).unwrap());
            assert_eq!(own().is_removed_by(&line), found, "{method} {uri}");
        }
    }

    #[test]
    fn the_pod_is_known_only_in_a_cluster() {
        let found = |variables: &[(&str, &str)], of_account: Option<&str>| {
            let value = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, v)| (*v).to_owned());
            OwnPod::found(&value, || of_account.map(ToOwned::to_owned))
        };
        let account = Some("a\n");
        let host = ("KUBERNETES_SERVICE_HOST", "10.0.0.1");
        assert_eq!(found(&[("HOSTNAME", "op-1")], account), None);
        assert_eq!(found(&[host, ("HOSTNAME", "op-1")], account), Some(own()));
        assert_eq!(found(&[host, ("HOSTNAME", "x"), ("POD_NAME", "op-1")], account), Some(own()));
        let other = OwnPod::new("b", "op-1");
        assert_eq!(found(&[host, ("HOSTNAME", "op-1"), ("POD_NAMESPACE", "b")], account), Some(other));
        assert_eq!(found(&[host, ("HOSTNAME", "op-1")], None), None);
    }
}
