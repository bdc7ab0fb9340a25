//! The webhooks: their configurations, the bundle in them, the certificate, and the replicas behind the Service.

use std::collections::BTreeSet;

use jiff::Timestamp;
use k8s_openapi::ByteString;
use k8s_openapi::api::admissionregistration::v1::{
    MutatingWebhookConfiguration, ValidatingWebhookConfiguration, WebhookClientConfig,
};
use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::api::discovery::v1::EndpointSlice;
use kube::api::ListParams;
use kube::{Api, Client, ResourceExt};

use super::finding::Finding;
use crate::admission::{WebhookConfigurations, WebhookTarget};
use crate::client::why;
use crate::introspection::Roles;
use crate::operator::builder::Operator;
use crate::schema::program;
use crate::webhook::EXPIRES;

const CHECK: &str = "webhook";

/// A certificate that ends sooner was not renewed in time.
const SOON: i64 = 14 * 86_400;

/// The roles of the webhook server, if the operator has one.
pub(super) fn roles(client: &Client, operator: &Operator) -> Option<Roles> {
    let has_server = !operator.reviews.is_empty();
    has_server.then(|| match &operator.reviews.target {
        Some(WebhookTarget::Service { namespace, .. }) => operator.webhook_roles(namespace),
        _ => operator.webhook_roles(client.default_namespace()),
    })
}

/// Checks the webhook configurations, the certificate and the Service. `now` is the time of the API server.
pub(super) async fn check(client: &Client, operator: &Operator, now: Timestamp) -> Vec<Finding> {
    if operator.reviews.is_empty() {
        return Vec::new();
    }
    let service = || WebhookTarget::service(client.default_namespace(), format!("{}-webhooks", operator.name));
    let target = operator.reviews.target.clone().unwrap_or_else(service);
    match operator.webhook_configurations(&target) {
        Ok(wanted) => checked(client, (&wanted, &target), &format!("{}-webhook", operator.name), now).await,
        Err(error) => vec![Finding::fail(CHECK, error.to_string(), error.help())],
    }
}

/// `secret` holds the certificate, in the namespace of the Service.
async fn checked(
    client: &Client,
    (wanted, target): (&WebhookConfigurations, &WebhookTarget),
    secret: &str,
    now: Timestamp,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let certificate = match target {
        WebhookTarget::Service { namespace, name } => {
            findings.push(replicas(client, namespace, name).await);
            let (certificate, found) = certificate(client, namespace, secret, now).await;
            findings.extend(found);
            certificate
        }
        WebhookTarget::Url(_) => None,
    };
    let configured = installed(client, wanted).await;
    findings.extend(configured.into_iter().map(|(name, found)| match found {
        Ok(clients) => judged(&name, &clients, certificate.as_ref()),
        Err(finding) => finding,
    }));
    findings
}

/// The clients of each configuration that the program has.
async fn installed(
    client: &Client,
    wanted: &WebhookConfigurations,
) -> Vec<(String, Result<Vec<WebhookClientConfig>, Finding>)> {
    let mut all = Vec::new();
    if let Some(own) = &wanted.validating {
        let name = own.name_any();
        let found = Api::<ValidatingWebhookConfiguration>::all(client.clone()).get(&name).await;
        let clients = |found: ValidatingWebhookConfiguration| {
            found.webhooks.into_iter().flatten().map(|webhook| webhook.client_config).collect()
        };
        all.push((format!("ValidatingWebhookConfiguration {name}"), found.map(clients)));
    }
    if let Some(own) = &wanted.mutating {
        let name = own.name_any();
        let found = Api::<MutatingWebhookConfiguration>::all(client.clone()).get(&name).await;
        let clients = |found: MutatingWebhookConfiguration| {
            found.webhooks.into_iter().flatten().map(|webhook| webhook.client_config).collect()
        };
        all.push((format!("MutatingWebhookConfiguration {name}"), found.map(clients)));
    }
    let found = |(name, found): (String, Result<_, kube::Error>)| {
        let found = found.map_err(|error| missing(&name, &error));
        (name, found)
    };
    all.into_iter().map(found).collect()
}

fn missing(name: &str, error: &kube::Error) -> Finding {
    match error {
        kube::Error::Api(status) if status.code == 404 => Finding::fail(
            CHECK,
            format!("the {name} is not installed, so no write is reviewed"),
            format!("{} webhooks --webhook-service NAMESPACE/NAME | kubectl apply -f -", program()),
        ),
        error => Finding::unknown(CHECK, format!("the {name} cannot be read: {}", why(error))),
    }
}

fn judged(name: &str, clients: &[WebhookClientConfig], certificate: Option<&String>) -> Finding {
    let help = "start a replica with `--webhooks`: it adds the bundle";
    let bundles: BTreeSet<Option<&ByteString>> = clients.iter().map(|one| one.ca_bundle.as_ref()).collect();
    if bundles.iter().any(|bundle| bundle.is_none_or(|bundle| bundle.0.is_empty())) {
        return Finding::warn(CHECK, format!("a webhook of the {name} has no `caBundle`, so its calls fail"), help);
    }
    let holds = |bundle: &Option<&ByteString>| {
        bundle.is_some_and(|bundle| certificate.is_none_or(|one| contains(&bundle.0, one.trim().as_bytes())))
    };
    match bundles.iter().all(holds) {
        true => Finding::ok(CHECK, format!("the {name} is installed, with a bundle")),
        false => {
            let text = format!("the `caBundle` of the {name} does not contain the certificate of the Secret");
            Finding::warn(CHECK, text, "a running replica repairs it: check that one runs with `--webhooks`")
        }
    }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len().max(1)).any(|window| window == part)
}

/// The certificate that replicas serve, as PEM, and what is wrong with it.
async fn certificate(
    client: &Client,
    namespace: &str,
    name: &str,
    now: Timestamp,
) -> (Option<String>, Option<Finding>) {
    let check = "certificate";
    let secret = match Api::<Secret>::namespaced(client.clone(), namespace).get_opt(name).await {
        Ok(Some(secret)) => secret,
        Ok(None) => {
            let text = format!("the Secret {namespace}/{name} with the certificate does not exist");
            return (None, Some(Finding::warn(check, text, "a replica with `--webhooks` makes it when it starts")));
        }
        Err(error) => {
            let text = format!("the Secret {namespace}/{name} with the certificate cannot be read: {}", why(&error));
            return (None, Some(Finding::unknown(check, text)));
        }
    };
    let expires: Option<Timestamp> = secret.annotations().get(EXPIRES).and_then(|text| text.parse().ok());
    let pem = secret.data.and_then(|mut data| String::from_utf8(data.remove("tls.crt")?.0).ok());
    let finding = match expires {
        None => {
            let text = format!("the Secret {namespace}/{name} does not say when its certificate ends");
            Finding::warn(check, text, "delete it, if no other program uses it: a running replica makes it again")
        }
        Some(expires) if expires.duration_since(now).as_secs() < SOON => {
            let text = format!("the certificate of the Secret {namespace}/{name} ends at {expires:.0}");
            Finding::fail(
                check,
                text,
                "a running replica renews it a month before: check that one runs with `--webhooks`",
            )
        }
        Some(expires) => Finding::ok(check, format!("the certificate is valid until {expires:.0}")),
    };
    (pem, Some(finding))
}

/// Whether an API server finds a replica through the Service.
async fn replicas(client: &Client, namespace: &str, name: &str) -> Finding {
    let params = ListParams::default().labels(&format!("kubernetes.io/service-name={name}"));
    let slices = match Api::<EndpointSlice>::namespaced(client.clone(), namespace).list(&params).await {
        Ok(slices) => slices,
        Err(error) => {
            let text = format!("the endpoints of the Service {namespace}/{name} cannot be read: {}", why(&error));
            return Finding::unknown(CHECK, text);
        }
    };
    let endpoints = slices.into_iter().flat_map(|slice| slice.endpoints.unwrap_or_default());
    let is_ready = |one: &k8s_openapi::api::discovery::v1::Endpoint| {
        one.conditions.as_ref().is_none_or(|conditions| conditions.ready != Some(false))
    };
    match endpoints.filter(is_ready).count() {
        0 => Finding::fail(
            CHECK,
            format!("the Service {namespace}/{name} has no replica, so each call of the API server fails"),
            "start a replica with `--webhooks`, and check the selector of the Service",
        ),
        count => Finding::ok(CHECK, format!("the Service {namespace}/{name} has {count} ready replicas")),
    }
}
