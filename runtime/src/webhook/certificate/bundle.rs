//! The bundle of trusted certificates in the webhook configurations of the operator, and in the CRDs of kinds that it converts.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use super::names::Names;

/// The kinds of webhook configurations, as the last segment of their path.
const KINDS: [&str; 2] = ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"];

/// The paths of the webhook configurations of an operator, and of the CRDs of kinds that it converts.
pub(super) fn paths(names: &Names) -> Vec<String> {
    let configurations = KINDS.map(|kind| format!("/apis/admissionregistration.k8s.io/v1/{kind}/{}", names.operator));
    let definitions = names.definitions.iter();
    let definitions = definitions.map(|name| format!("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}"));
    configurations.into_iter().chain(definitions).collect()
}

/// The JSON patch that puts the bundle into a webhook configuration or a CRD, or `None` if it is there.
///
/// It tests the version of the object, and the name of each webhook or the strategy of the conversion. Unlike server-side apply, it does not
/// make the operator an owner of what it changes: their owner could not remove a webhook or a conversion any more (422).
pub(super) fn patch(object: &Value, names: &Names, bundle: &str) -> Option<Value> {
    let bundle = json!(BASE64_STANDARD.encode(bundle));
    let mut operations = match &object["spec"]["conversion"] {
        Value::Null => of_configuration(object, names, &bundle),
        conversion => of_definition(conversion, names, &bundle),
    };
    if operations.is_empty() {
        return None;
    }
    let version = &object["metadata"]["resourceVersion"];
    operations.insert(0, json!({"op": "test", "path": "/metadata/resourceVersion", "value": version}));
    Some(operations.into())
}

/// A CRD without a webhook calls nothing, so it has no bundle.
fn of_definition(conversion: &Value, names: &Names, bundle: &Value) -> Vec<Value> {
    let webhook = &conversion["webhook"];
    if conversion["strategy"] != "Webhook" || !is_own(webhook, names) || webhook["clientConfig"]["caBundle"] == *bundle
    {
        return Vec::new();
    }
    vec![
        json!({"op": "test", "path": "/spec/conversion/strategy", "value": "Webhook"}),
        json!({"op": "add", "path": "/spec/conversion/webhook/clientConfig/caBundle", "value": bundle}),
    ]
}

fn of_configuration(configuration: &Value, names: &Names, bundle: &Value) -> Vec<Value> {
    let hooks = configuration["webhooks"].as_array().into_iter().flatten().enumerate();
    let outdated = hooks.filter(|(_, hook)| is_own(hook, names) && hook["clientConfig"]["caBundle"] != *bundle);
    let mut operations = Vec::new();
    for (index, hook) in outdated {
        let at = format!("/webhooks/{index}");
        operations.push(json!({"op": "test", "path": format!("{at}/name"), "value": hook["name"]}));
        operations.push(json!({"op": "add", "path": format!("{at}/clientConfig/caBundle"), "value": bundle}));
    }
    operations
}

/// Whether the webhook calls this operator: through its Service, or by a URL with one of its hosts.
fn is_own(hook: &Value, names: &Names) -> bool {
    let client = &hook["clientConfig"];
    if let Some(url) = client["url"].as_str() {
        let host = url.parse::<http::Uri>().ok().and_then(|url| url.host().map(ToOwned::to_owned));
        return host.is_some_and(|host| names.hosts.iter().any(|own| *own == host.trim_matches(['[', ']'])));
    }
    client["service"]["namespace"] == *names.namespace && client["service"]["name"] == *names.service
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Names {
        Names {
            operator: "shop".to_owned(),
            namespace: "shops".to_owned(),
            service: "shop-webhooks".to_owned(),
            hosts: vec!["127.0.0.1".to_owned()],
            definitions: vec!["repos.example.com".to_owned()],
        }
    }

    fn configuration(webhooks: &Value) -> Value {
        json!({"metadata": {"resourceVersion": "7"}, "webhooks": webhooks})
    }

    #[test]
    fn only_the_own_webhooks_get_the_bundle() {
        let service = |name: &str| json!({"service": {"namespace": "shops", "name": name}});
        let hooks = json!([
            {"name": "a", "clientConfig": service("shop-webhooks")},
            {"name": "b", "clientConfig": service("other")},
            {"name": "c", "clientConfig": {"url": "https://127.0.0.1:9443/admit/c", "caBundle": "eA=="}},
            {"name": "d", "clientConfig": {"url": "https://example.com/admit/c"}},
        ]);
        let patch = patch(&configuration(&hooks), &names(), "pem").unwrap();
        let bundle = BASE64_STANDARD.encode("pem");
        assert_eq!(
            patch,
            json!([
                {"op": "test", "path": "/metadata/resourceVersion", "value": "7"},
                {"op": "test", "path": "/webhooks/0/name", "value": "a"},
                {"op": "add", "path": "/webhooks/0/clientConfig/caBundle", "value": bundle},
                {"op": "test", "path": "/webhooks/2/name", "value": "c"},
                {"op": "add", "path": "/webhooks/2/clientConfig/caBundle", "value": bundle},
            ])
        );
    }

    #[test]
    fn an_equal_bundle_is_not_written() {
        let client = json!({"url": "https://127.0.0.1/x", "caBundle": BASE64_STANDARD.encode("pem")});
        assert_eq!(patch(&configuration(&json!([{"name": "c", "clientConfig": client}])), &names(), "pem"), None);
        assert_eq!(patch(&json!({}), &names(), "pem"), None);
    }

    fn definition(conversion: &Value) -> Value {
        json!({"metadata": {"resourceVersion": "7"}, "spec": {"conversion": conversion}})
    }

    #[test]
    fn only_a_crd_that_calls_the_operator_gets_the_bundle() {
        let client = json!({"service": {"namespace": "shops", "name": "shop-webhooks"}});
        let own = json!({"strategy": "Webhook", "webhook": {"clientConfig": client}});
        let bundle = BASE64_STANDARD.encode("pem");
        assert_eq!(
            patch(&definition(&own), &names(), "pem").unwrap(),
            json!([
                {"op": "test", "path": "/metadata/resourceVersion", "value": "7"},
                {"op": "test", "path": "/spec/conversion/strategy", "value": "Webhook"},
                {"op": "add", "path": "/spec/conversion/webhook/clientConfig/caBundle", "value": bundle},
            ])
        );
        let mut spread = own.clone();
        spread["webhook"]["clientConfig"]["caBundle"] = json!(bundle);
        let mut other = own;
        other["webhook"]["clientConfig"]["service"]["name"] = json!("other");
        for conversion in [spread, other, json!({"strategy": "None"})] {
            assert_eq!(patch(&definition(&conversion), &names(), "pem"), None, "{conversion}");
        }
    }
}
