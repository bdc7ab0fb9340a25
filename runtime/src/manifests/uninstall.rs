//! The commands that remove an operator, as text.

use std::fmt::Write as _;

use serde_json::Value;

use super::document::{Document, Part};

/// The commands in their order. None of them is run: each deletes what cannot be brought back. `release`: the chart that removes the operator.
pub(crate) fn uninstall(documents: &[Document], release: Option<&str>) -> String {
    let of =
        |part: Part| documents.iter().filter(move |document| document.part == part).map(|document| &document.object);
    let definitions: Vec<&str> = of(Part::Crds).filter_map(|crd| crd["metadata"]["name"].as_str()).collect();
    let mut text = String::new();
    let first: Vec<String> = [Part::Webhooks, Part::Policies].into_iter().flat_map(of).map(delete).collect();
    if !first.is_empty() {
        text += "# Remove the webhooks and policies first: without the operator, writes would wait for it.\n";
        text += &first.concat();
    }
    if !definitions.is_empty() {
        text += "# Delete the objects while the operator runs, so that it removes what belongs to them. This deletes data.\n";
        text += "# Leave these lines out to retain the objects; those with a finalizer cannot be deleted afterwards.\n";
        definitions.iter().for_each(|name| _ = writeln!(text, "kubectl delete {name} --all --all-namespaces"));
    }
    for crd in of(Part::Crds).filter(|crd| crd["spec"]["conversion"]["strategy"] == "Webhook") {
        let name = crd["metadata"]["name"].as_str().unwrap_or_default();
        text += "# Without this, a CRD that stays calls an operator that is gone, and its objects cannot be listed.\n";
        let patch = r#"{"spec":{"conversion":{"strategy":"None","webhook":null}}}"#;
        _ = writeln!(text, "kubectl patch crd {name} --type merge --patch '{patch}'");
    }
    text += "# Remove the operator.\n";
    release.into_iter().for_each(|release| _ = writeln!(text, "helm uninstall {release}"));
    let rest = [Part::Dashboard, Part::Network, Part::FlowControl, Part::Workload, Part::Certificates, Part::Rbac];
    rest.into_iter().for_each(|part| text.extend(of(part).map(delete).collect::<Vec<_>>().into_iter().rev()));
    if !definitions.is_empty() {
        text += "# Remove the CRDs, and with them all objects that are left.\n";
        text.extend(of(Part::Crds).map(delete));
    }
    let namespace: String = of(Part::Namespace).map(delete).collect();
    if !namespace.is_empty() {
        text += "# Remove the namespace, if nothing else is in it.\n";
        text += &namespace;
    }
    // They come last, since kubectl fails where it does not know a kind.
    let optional: String = [Part::Monitoring, Part::Alerts].into_iter().flat_map(of).map(delete).collect();
    if !optional.is_empty() {
        text += "# Where the Prometheus operator is installed, remove these, too. They end with the namespace, if you delete it.\n";
        text += &optional;
    }
    text
}

fn delete(object: &Value) -> String {
    let field = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let group = field(&object["apiVersion"]).split_once('/').map(|(group, _)| format!(".{group}")).unwrap_or_default();
    let kind = field(&object["kind"]).to_lowercase();
    let namespace = object["metadata"]["namespace"].as_str().map(|name| format!(" --namespace {name}"));
    let name = field(&object["metadata"]["name"]);
    format!("kubectl delete {kind}{group} {name}{} --ignore-not-found\n", namespace.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn document(part: Part, object: &Value) -> Document {
        Document::new(part, object).unwrap()
    }

    #[test]
    fn webhooks_end_before_the_operator_and_crds_after_it() {
        let documents = [
            document(
                Part::Namespace,
                &json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "shop" } }),
            ),
            document(
                Part::Crds,
                &json!({ "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                "metadata": { "name": "shops.x.dev" }, "spec": { "conversion": { "strategy": "Webhook" } } }),
            ),
            document(
                Part::Workload,
                &json!({ "apiVersion": "apps/v1", "kind": "Deployment",
                "metadata": { "name": "shop", "namespace": "shop" } }),
            ),
            document(
                Part::Monitoring,
                &json!({ "apiVersion": "monitoring.coreos.com/v1", "kind": "ServiceMonitor",
                "metadata": { "name": "shop", "namespace": "shop" } }),
            ),
            document(
                Part::Alerts,
                &json!({ "apiVersion": "monitoring.coreos.com/v1", "kind": "PrometheusRule",
                "metadata": { "name": "shop", "namespace": "shop" } }),
            ),
            document(
                Part::Dashboard,
                &json!({ "apiVersion": "v1", "kind": "ConfigMap",
                "metadata": { "name": "shop-dashboard", "namespace": "shop" } }),
            ),
            document(
                Part::Webhooks,
                &json!({ "apiVersion": "admissionregistration.k8s.io/v1",
                "kind": "ValidatingWebhookConfiguration", "metadata": { "name": "shop" } }),
            ),
        ];
        let text = uninstall(&documents, None);
        let commands: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        let conversion = r#"kubectl patch crd shops.x.dev --type merge --patch '{"spec":{"conversion":{"strategy":"None","webhook":null}}}'"#;
        assert_eq!(
            commands,
            [
                "kubectl delete validatingwebhookconfiguration.admissionregistration.k8s.io shop --ignore-not-found",
                "kubectl delete shops.x.dev --all --all-namespaces",
                conversion,
                "kubectl delete configmap shop-dashboard --namespace shop --ignore-not-found",
                "kubectl delete deployment.apps shop --namespace shop --ignore-not-found",
                "kubectl delete customresourcedefinition.apiextensions.k8s.io shops.x.dev --ignore-not-found",
                "kubectl delete namespace shop --ignore-not-found",
                "kubectl delete servicemonitor.monitoring.coreos.com shop --namespace shop --ignore-not-found",
                "kubectl delete prometheusrule.monitoring.coreos.com shop --namespace shop --ignore-not-found",
            ]
        );
    }
}
