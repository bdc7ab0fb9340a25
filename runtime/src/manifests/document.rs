//! Objects as YAML documents, in groups.

use std::io;

use serde::Serialize;
use serde_json::Value;

use crate::sorted_json::sorted;

/// A group of objects, which is a file of its own in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Part {
    /// The Namespace of the operator.
    Namespace,
    /// The CRDs.
    Crds,
    /// The ServiceAccount, the roles and their bindings.
    Rbac,
    /// The Issuer and the Certificate of cert-manager.
    Certificates,
    /// The Services, the Deployment and the PodDisruptionBudget.
    Workload,
    /// The policies of the rules about requests, for Kubernetes 1.30 and later.
    Policies,
    /// The webhook configurations.
    Webhooks,
    /// The FlowSchema of the lease, for Kubernetes 1.29 and later.
    FlowControl,
    /// The NetworkPolicy.
    Network,
    /// The ServiceMonitor of the Prometheus operator, whose CRDs must be installed.
    Monitoring,
    /// The PrometheusRule of the Prometheus operator, whose CRDs must be installed.
    Alerts,
    /// The ConfigMap with the dashboard, for the sidecar of Grafana.
    Dashboard,
}

impl Part {
    /// All parts, in the order in which they are applied.
    pub const ALL: [Self; 12] = [
        Self::Namespace,
        Self::Crds,
        Self::Rbac,
        Self::Certificates,
        Self::Workload,
        Self::Policies,
        Self::Webhooks,
        Self::FlowControl,
        Self::Network,
        Self::Monitoring,
        Self::Alerts,
        Self::Dashboard,
    ];

    /// Whether the operator runs without it. What a cluster may lack, or may want to differ in, never blocks an installation.
    #[must_use]
    pub const fn is_optional(self) -> bool {
        matches!(self, Self::FlowControl | Self::Network | Self::Monitoring | Self::Alerts | Self::Dashboard)
    }

    /// Its word on the command line, which is also the name of its file.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Namespace => "namespace",
            Self::Crds => "crds",
            Self::Rbac => "rbac",
            Self::Certificates => "certificates",
            Self::Workload => "workload",
            Self::Policies => "policies",
            Self::Webhooks => "webhooks",
            Self::FlowControl => "flow-control",
            Self::Network => "network",
            Self::Monitoring => "monitoring",
            Self::Alerts => "alerts",
            Self::Dashboard => "dashboard",
        }
    }

    /// Its objects, for the help of the command line.
    pub(crate) const fn help(self) -> &'static str {
        match self {
            Self::Namespace => "The Namespace of the operator",
            Self::Crds => "The CRDs",
            Self::Rbac => "The ServiceAccount, the roles and their bindings",
            Self::Certificates => "The Issuer and the Certificate of cert-manager",
            Self::Workload => "The Services, the Deployment and the PodDisruptionBudget",
            Self::Policies => "The policies of the rules about requests, for Kubernetes 1.30 and later",
            Self::Webhooks => "The webhook configurations",
            Self::FlowControl => "The FlowSchema of the lease, for Kubernetes 1.29 and later",
            Self::Network => "The NetworkPolicy",
            Self::Monitoring => "The ServiceMonitor of the Prometheus operator, whose CRDs must be installed",
            Self::Alerts => "The PrometheusRule of the Prometheus operator, whose CRDs must be installed",
            Self::Dashboard => "The ConfigMap with the dashboard, for the sidecar of Grafana",
        }
    }
}

/// An object, with the comment above it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Document {
    pub(crate) part: Part,
    pub(crate) object: Value,
    pub(crate) remarks: Vec<String>,
}

impl Document {
    pub(crate) fn new(part: Part, object: &impl Serialize) -> Result<Self, serde_json::Error> {
        Ok(Self { part, object: sorted(serde_json::to_value(object)?), remarks: Vec::new() })
    }
}

/// The YAML of the documents.
pub(crate) fn print<'d>(documents: impl IntoIterator<Item = &'d Document>) -> io::Result<String> {
    documents.into_iter().try_fold(String::new(), |text, document| {
        let yaml = serde_saphyr::to_string(&document.object).map_err(io::Error::other)?;
        let remarks: String = document.remarks.iter().map(|remark| format!("# {remark}\n")).collect();
        Ok(format!("{text}---\n{remarks}{yaml}"))
    })
}

/// The objects of a YAML text.
#[cfg(test)]
fn documents_of(text: &str) -> Vec<Value> {
    let documents = text.split("---\n").filter(|document| !document.trim().is_empty());
    documents
        .map(|document| serde_saphyr::from_str(document).unwrap_or_else(|error| panic!("{error}: {document}")))
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_document_has_its_comment_above_it_and_sorted_keys() {
        let mut document =
            Document::new(Part::Rbac, &json!({ "kind": "b", "apiVersion": [{ "z": 1, "a": "on" }] })).unwrap();
        document.remarks.push("why".to_owned());
        let text = print([&document]).unwrap();
        assert_eq!(text, "---\n# why\napiVersion:\n- a: \"on\"\n  z: 1\nkind: b\n");
        assert_eq!(documents_of(&text), [document.object]);
    }

    #[test]
    fn all_parts_are_listed_in_order() {
        assert!(Part::ALL.is_sorted());
        let optional: Vec<&str> = Part::ALL.into_iter().filter(|part| part.is_optional()).map(Part::as_str).collect();
        assert_eq!(optional, ["flow-control", "network", "monitoring", "alerts", "dashboard"]);
    }
}
