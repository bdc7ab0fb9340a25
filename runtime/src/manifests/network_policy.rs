//! The NetworkPolicy of the pods.

use k8s_openapi::api::networking::v1::{
    NetworkPolicy, NetworkPolicyEgressRule, NetworkPolicyIngressRule, NetworkPolicyPeer, NetworkPolicyPort,
    NetworkPolicySpec,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::labels::Source;
use super::service::{METRICS, WEBHOOKS};

/// The label of the namespaces whose pods may read the metrics, as in the policies of kubebuilder.
const SCRAPER: (&str, &str) = ("metrics", "enabled");

pub(super) fn network_policy(source: Source<'_>) -> NetworkPolicy {
    let spec = NetworkPolicySpec {
        pod_selector: Some(LabelSelector { match_labels: Some(source.selector()), ..LabelSelector::default() }),
        ingress: Some(ingress(source)),
        egress: Some(egress(source)),
        policy_types: Some(vec!["Ingress".to_owned(), "Egress".to_owned()]),
    };
    NetworkPolicy { metadata: source.meta(""), spec: Some(spec) }
}

/// What the text of the policy explains.
pub(super) fn remarks(source: Source<'_>) -> Vec<String> {
    let metrics = format!(
        "Pods may read the metrics from namespaces with the label {}: {}. Probes of the kubelet need no rule.",
        SCRAPER.0, SCRAPER.1
    );
    let webhooks = "API servers have no label, so the port of the webhooks is open.".to_owned();
    let egress = match source.parts.is_external {
        true => {
            "A step of this operator calls something outside of the cluster, so all egress is allowed: restrict it here."
        }
        false => "No selector names the API server, so its ports are open.",
    };
    let webhooks = source.parts.hooks.iter().map(|_| webhooks.clone());
    std::iter::once(metrics).chain(webhooks).chain([egress.to_owned()]).collect()
}

fn port(protocol: &str, port: IntOrString) -> NetworkPolicyPort {
    NetworkPolicyPort { protocol: Some(protocol.to_owned()), port: Some(port), ..NetworkPolicyPort::default() }
}

fn ingress(source: Source<'_>) -> Vec<NetworkPolicyIngressRule> {
    let named = |name: &str| Some(vec![port("TCP", IntOrString::String(name.to_owned()))]);
    let labels = Some([(SCRAPER.0.to_owned(), SCRAPER.1.to_owned())].into());
    let scrapers = NetworkPolicyPeer {
        namespace_selector: Some(LabelSelector { match_labels: labels, ..LabelSelector::default() }),
        ..NetworkPolicyPeer::default()
    };
    let metrics = NetworkPolicyIngressRule { from: Some(vec![scrapers]), ports: named(METRICS) };
    let webhooks = NetworkPolicyIngressRule { from: None, ports: named(WEBHOOKS) };
    std::iter::once(metrics).chain(source.parts.hooks.iter().map(|_| webhooks.clone())).collect()
}

fn egress(source: Source<'_>) -> Vec<NetworkPolicyEgressRule> {
    if source.parts.is_external {
        return vec![NetworkPolicyEgressRule::default()];
    }
    let to = |ports: Vec<NetworkPolicyPort>| NetworkPolicyEgressRule { ports: Some(ports), to: None };
    let number = |protocol: &str, number: i32| port(protocol, IntOrString::Int(number));
    vec![to(vec![number("UDP", 53), number("TCP", 53)]), to(vec![number("TCP", 443), number("TCP", 6443)])]
}
