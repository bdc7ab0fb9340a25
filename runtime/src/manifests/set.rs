//! The objects that install an operator, as values that an author can change.

use std::io;
use std::sync::Arc;

use k8s_openapi::api::admissionregistration::v1::{MutatingWebhookConfiguration, ValidatingWebhookConfiguration};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Service, ServiceAccount};
use k8s_openapi::api::flowcontrol::v1::FlowSchema;
use k8s_openapi::api::networking::v1::NetworkPolicy;
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding, Role, RoleBinding};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::core::DynamicObject;
use serde::Serialize;

use super::document::{Document, Part, print};
use super::invalid::Invalid;
use super::labels::Source;
use super::options::ManifestOptions;
use super::parts::Parts;
use super::{
    alerts, certificate, config_map, crds, dashboard, deployment, disruption_budget, flow_schema, namespace,
    network_policy, roles, service, service_account, service_monitor, webhooks,
};
use crate::monitoring::AlertEdits;
use crate::rule::AdmissionPolicy;

/// The objects that install an operator.
///
/// [`Operator::manifests`](crate::Operator::manifests) changes them before they are printed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ManifestSet {
    /// The namespace of the operator; `None`: it exists already.
    pub namespace: Option<Namespace>,
    /// The CRDs of the operator.
    pub definitions: Vec<CustomResourceDefinition>,
    /// The account as which the operator runs.
    pub service_account: ServiceAccount,
    /// Cluster-wide roles: those of the operator, and those of the users of its kinds.
    pub cluster_roles: Vec<ClusterRole>,
    /// The bindings of the cluster-wide roles of the operator.
    pub cluster_role_bindings: Vec<ClusterRoleBinding>,
    /// The roles in single namespaces.
    pub roles: Vec<Role>,
    /// Their bindings.
    pub role_bindings: Vec<RoleBinding>,
    /// The Issuer and the Certificate of cert-manager, if it makes the certificate.
    pub certificates: Vec<DynamicObject>,
    /// The Services of metrics and webhooks.
    pub services: Vec<Service>,
    /// The configuration file of the operator, if the command has one.
    pub config_map: Option<ConfigMap>,
    /// The pods of the operator.
    pub deployment: Deployment,
    /// How many of several replicas may be evicted at a time.
    pub disruption_budget: Option<PodDisruptionBudget>,
    /// The policies of rules about requests.
    pub policies: Vec<AdmissionPolicy>,
    /// The webhooks of `#[mutate]` functions.
    pub mutating_webhooks: Option<MutatingWebhookConfiguration>,
    /// The webhooks of `#[validate]` functions.
    pub validating_webhooks: Option<ValidatingWebhookConfiguration>,
    /// The priority of the lease in the queues of the API server.
    pub flow_schema: Option<FlowSchema>,
    /// What may reach the pods, and what they may reach.
    pub network_policy: Option<NetworkPolicy>,
    /// Where Prometheus finds the metrics.
    pub service_monitor: Option<DynamicObject>,
    /// The PrometheusRule with the alerts. [`Operator::alerts`](crate::Operator::alerts) changes them more easily.
    pub alerts: Option<DynamicObject>,
    /// The ConfigMap with the dashboard.
    pub dashboard: Option<ConfigMap>,
    /// Further objects of the author, printed after the Deployment.
    pub extra: Vec<DynamicObject>,
    /// The comment above the network policy.
    network_remarks: Vec<String>,
}

/// A change of the objects.
type Edit = Arc<dyn Fn(&mut ManifestSet) + Send + Sync>;

/// The author's changes of the objects, in the order in which they were registered.
#[derive(Clone, Default)]
pub(crate) struct Edits {
    objects: Vec<Edit>,
    /// Those of the alerts, from which one of the objects is made.
    pub(crate) alerts: AlertEdits,
}

impl Edits {
    pub(crate) fn add(&mut self, edit: impl Fn(&mut ManifestSet) + Send + Sync + 'static) {
        self.objects.push(Arc::new(edit));
    }
}

/// Makes the objects, with the changes of the author.
///
/// # Errors
/// An option has a value that an API server or the kubelet would reject.
pub(crate) fn build(parts: &Parts, options: &ManifestOptions, edits: &Edits) -> Result<ManifestSet, Invalid> {
    options.check(&parts.name)?;
    let source = Source { parts, options };
    let (roles, webhooks) = (roles::roles(source), webhooks::configurations(source));
    let mut set = ManifestSet {
        namespace: namespace::namespace(source),
        definitions: crds::definitions(source),
        service_account: service_account::service_account(source),
        cluster_roles: roles.cluster_roles,
        cluster_role_bindings: roles.cluster_role_bindings,
        roles: roles.roles,
        role_bindings: roles.role_bindings,
        certificates: certificate::certificates(source),
        services: service::services(source),
        config_map: config_map::config_map(source),
        deployment: deployment::deployment(source),
        disruption_budget: disruption_budget::disruption_budget(source),
        policies: webhooks::policies(source),
        mutating_webhooks: webhooks.mutating,
        validating_webhooks: webhooks.validating,
        flow_schema: flow_schema::flow_schema(source),
        network_policy: Some(network_policy::network_policy(source)),
        service_monitor: Some(service_monitor::service_monitor(source)),
        alerts: alerts::alerts(source, &edits.alerts),
        dashboard: Some(dashboard::config_map(source)),
        extra: Vec::new(),
        network_remarks: network_policy::remarks(source),
    };
    edits.objects.iter().for_each(|edit| edit(&mut set));
    Ok(set)
}

impl ManifestSet {
    /// The objects in the order in which they are applied, each with its part.
    ///
    /// # Errors
    /// An object that the author changed cannot be serialized.
    pub fn objects(&self) -> Result<Vec<(Part, DynamicObject)>, serde_json::Error> {
        let object = |document: Document| Ok((document.part, serde_json::from_value(document.object)?));
        self.documents()?.into_iter().map(object).collect()
    }

    /// The objects of these parts as YAML, as `manifests --only` prints them. An empty list means all parts that every cluster needs.
    ///
    /// # Errors
    /// An object that the author changed cannot be written as YAML.
    pub fn text(&self, only: &[Part]) -> io::Result<String> {
        let is_wanted = |part: Part| if only.is_empty() { !part.is_optional() } else { only.contains(&part) };
        let documents = self.documents().map_err(io::Error::other)?;
        print(documents.iter().filter(|document| is_wanted(document.part)))
    }

    /// The documents in the order in which they are applied.
    pub(crate) fn documents(&self) -> Result<Vec<Document>, serde_json::Error> {
        let mut all = Documents::default();
        all.add(Part::Namespace, &self.namespace)?;
        all.add(Part::Crds, &self.definitions)?;
        all.add(Part::Rbac, [&self.service_account])?;
        all.add(Part::Rbac, &self.cluster_roles)?;
        all.add(Part::Rbac, &self.roles)?;
        all.add(Part::Rbac, &self.cluster_role_bindings)?;
        all.add(Part::Rbac, &self.role_bindings)?;
        all.add(Part::Certificates, &self.certificates)?;
        all.add(Part::Workload, &self.services)?;
        all.add(Part::Workload, &self.config_map)?;
        all.add(Part::Workload, [&self.deployment])?;
        all.add(Part::Workload, &self.disruption_budget)?;
        all.add(Part::Workload, &self.extra)?;
        for policy in &self.policies {
            all.add(Part::Policies, [&policy.policy])?;
            all.add(Part::Policies, [&policy.binding])?;
        }
        all.add(Part::Webhooks, &self.mutating_webhooks)?;
        all.add(Part::Webhooks, &self.validating_webhooks)?;
        all.add(Part::FlowControl, &self.flow_schema)?;
        all.add(Part::Network, &self.network_policy)?;
        if let Some(policy) = all.0.last_mut().filter(|document| document.part == Part::Network) {
            policy.remarks.clone_from(&self.network_remarks);
        }
        all.add(Part::Monitoring, &self.service_monitor)?;
        all.add(Part::Alerts, &self.alerts)?;
        all.add(Part::Dashboard, &self.dashboard)?;
        Ok(all.0)
    }
}

#[derive(Default)]
struct Documents(Vec<Document>);

impl Documents {
    fn add<'a, T: Serialize + 'a>(
        &mut self,
        part: Part,
        objects: impl IntoIterator<Item = &'a T>,
    ) -> Result<(), serde_json::Error> {
        objects.into_iter().try_for_each(|object| {
            self.0.push(Document::new(part, object)?);
            Ok(())
        })
    }
}
