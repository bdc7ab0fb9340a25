//! The webhook configurations of an operator, computed from the wiring of its functions.

use k8s_openapi::api::admissionregistration::v1::{
    MatchCondition, MutatingWebhook, MutatingWebhookConfiguration, RuleWithOperations, ServiceReference,
    ValidatingWebhook, ValidatingWebhookConfiguration, WebhookClientConfig,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};
use kube::core::ObjectMeta;

use super::entries::Entries;
use super::entry::Entry;
use super::erased::Function;
use super::label_selector::label_selector;
use crate::wiring::admission::{AdmissionWiring, Operation};

/// The label that each namespace has with its name.
const NAME_OF_NAMESPACE: &str = "kubernetes.io/metadata.name";

/// The server compares the same, for API servers without match conditions (before 1.30).
const CHANGED: &str =
    "request.operation != 'UPDATE' || !has(oldObject.spec) || !has(object.spec) || object.spec != oldObject.spec";

/// Where the API server finds the operator.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WebhookTarget {
    /// A Service, at port 443. The functions do not review the objects of other programs in its namespace.
    Service {
        /// The namespace of the Service.
        namespace: String,
        /// The name of the Service.
        name: String,
    },
    /// A URL that the API server can reach, without the path: `https://192.0.2.1:9443`. For development.
    Url(String),
}

impl WebhookTarget {
    /// The Service of this name.
    pub fn service(namespace: impl Into<String>, name: impl Into<String>) -> Self {
        Self::Service { namespace: namespace.into(), name: name.into() }
    }

    /// The address of this URL, to which the path of each function is added.
    pub fn url(url: impl Into<String>) -> Self {
        Self::Url(url.into())
    }

    fn namespace(&self) -> Option<&str> {
        match self {
            Self::Service { namespace, .. } => Some(namespace),
            Self::Url(_) => None,
        }
    }

    fn client_config(&self, path: &str) -> WebhookClientConfig {
        match self {
            Self::Service { namespace, name } => WebhookClientConfig {
                service: Some(ServiceReference {
                    namespace: namespace.clone(),
                    name: name.clone(),
                    path: Some(path.to_owned()),
                    port: Some(443),
                }),
                ..WebhookClientConfig::default()
            },
            Self::Url(url) => WebhookClientConfig {
                url: Some(format!("{}{path}", url.trim_end_matches('/'))),
                ..WebhookClientConfig::default()
            },
        }
    }
}

/// The webhook configurations of an operator, which have its name.
///
/// They contain no `caBundle`.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct WebhookConfigurations {
    /// One webhook for each `#[validate]` function, in their order; `None`: there is no such function.
    pub validating: Option<ValidatingWebhookConfiguration>,
    /// One webhook for the `#[mutate]` functions of each kind, in their order; `None`: there is no such function.
    pub mutating: Option<MutatingWebhookConfiguration>,
}

impl WebhookConfigurations {
    pub(crate) fn new(
        operator: &str,
        namespaces: &[impl AsRef<str>],
        entries: &Entries,
        target: &WebhookTarget,
    ) -> Self {
        let metadata = || ObjectMeta { name: Some(operator.to_owned()), ..ObjectMeta::default() };
        let namespaces: Vec<String> = namespaces.iter().map(|namespace| namespace.as_ref().to_owned()).collect();
        let webhook = |entry: &Entry| Webhook { entry, entries, namespaces: &namespaces, target }.form();
        let of = |mutates: bool| entries.all.iter().filter(move |entry| entry.first().mutates == mutates).map(webhook);
        let validating: Vec<ValidatingWebhook> = of(false).collect();
        let mutating: Vec<MutatingWebhook> = of(true).map(mutating).collect();
        Self {
            validating: (!validating.is_empty())
                .then(|| ValidatingWebhookConfiguration { metadata: metadata(), webhooks: Some(validating) }),
            mutating: (!mutating.is_empty())
                .then(|| MutatingWebhookConfiguration { metadata: metadata(), webhooks: Some(mutating) }),
        }
    }
}

/// The two sorts have the same fields; the reinvocation policy stays the default, since a function may run once only.
fn mutating(webhook: ValidatingWebhook) -> MutatingWebhook {
    MutatingWebhook {
        admission_review_versions: webhook.admission_review_versions,
        client_config: webhook.client_config,
        failure_policy: webhook.failure_policy,
        match_conditions: webhook.match_conditions,
        match_policy: webhook.match_policy,
        name: webhook.name,
        namespace_selector: webhook.namespace_selector,
        object_selector: webhook.object_selector,
        reinvocation_policy: None,
        rules: webhook.rules,
        side_effects: webhook.side_effects,
        timeout_seconds: webhook.timeout_seconds,
    }
}

/// One webhook, and what its form depends on.
struct Webhook<'a> {
    entry: &'a Entry,
    entries: &'a Entries,
    /// The namespaces that the operator watches; empty: all.
    namespaces: &'a [String],
    target: &'a WebhookTarget,
}

impl Webhook<'_> {
    fn form(&self) -> ValidatingWebhook {
        let wiring = self.entry.first();
        let seconds: u64 = self.wirings().map(|wiring| wiring.timeout.as_secs()).sum();
        ValidatingWebhook {
            name: self.entry.name.clone(),
            rules: Some(vec![self.rule()]),
            match_policy: Some("Equivalent".to_owned()),
            match_conditions: Some(self.conditions()).filter(|conditions| !conditions.is_empty()),
            client_config: self.target.client_config(&self.entry.path),
            admission_review_versions: vec!["v1".to_owned()],
            side_effects: "None".to_owned(),
            timeout_seconds: i32::try_from(seconds).ok(),
            failure_policy: Some(wiring.failure.as_str().to_owned()),
            namespace_selector: self.namespace_selector(),
            object_selector: wiring.objects.map(label_selector),
        }
    }

    fn wirings(&self) -> impl Iterator<Item = &'static AdmissionWiring> {
        self.entry.functions.iter().map(Function::wiring)
    }

    fn rule(&self) -> RuleWithOperations {
        let (resource, namespaced) = (&self.entry.kind().resource, self.entry.kind().namespaced);
        let subresource = self.entry.first().subresource.map(|name| format!("/{name}")).unwrap_or_default();
        let operations = [Operation::Create, Operation::Update, Operation::Delete];
        let operations =
            operations.into_iter().filter(|one| self.wirings().any(|wiring| wiring.operations.contains(one)));
        RuleWithOperations {
            api_groups: Some(vec![resource.group.clone()]),
            api_versions: Some(vec![resource.version.clone()]),
            resources: Some(vec![format!("{}{subresource}", resource.plural)]),
            operations: Some(operations.map(|one| one.as_str().to_owned()).collect()),
            scope: Some(if namespaced { "Namespaced" } else { "Cluster" }.to_owned()),
        }
    }

    fn conditions(&self) -> Vec<MatchCondition> {
        let condition =
            |name: &str, expression: &str| MatchCondition { name: name.to_owned(), expression: expression.to_owned() };
        let wiring = self.entry.first();
        let updates = self.wirings().any(|wiring| wiring.operations.contains(&Operation::Update));
        let all_changes = self.wirings().any(|wiring| wiring.unchanged) || wiring.subresource.is_some();
        let changed = (updates && !all_changes).then(|| condition("changed", CHANGED));
        changed.into_iter().chain(wiring.when.map(|when| condition("when", when))).collect()
    }

    /// The namespaces that the author and the operator select, without those that a foreign kind must not be blocked in.
    fn namespace_selector(&self) -> Option<LabelSelector> {
        let mut selector = self.entry.first().namespaces.map(label_selector).unwrap_or_default();
        let mut by_name = |operator: &str, names: Vec<String>| {
            let key = NAME_OF_NAMESPACE.to_owned();
            let requirement = LabelSelectorRequirement { key, operator: operator.to_owned(), values: Some(names) };
            selector.match_expressions.get_or_insert_default().push(requirement);
        };
        if self.entry.kind().namespaced && !self.namespaces.is_empty() {
            by_name("In", self.namespaces.to_vec());
        }
        if !self.entries.is_own(self.entry.kind()) {
            let mut excluded = vec!["kube-system".to_owned()];
            excluded.extend(self.target.namespace().filter(|own| *own != "kube-system").map(ToOwned::to_owned));
            by_name("NotIn", excluded);
        }
        Some(selector).filter(|selector| *selector != LabelSelector::default())
    }
}
