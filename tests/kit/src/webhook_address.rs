//! The addresses of webhooks, and their validation.

use serde::Deserialize;
use serde_json::Value;

use crate::schema::Cause;

/// The address of a webhook.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Client {
    pub(crate) url: Option<String>,
    pub(crate) service: Option<Service>,
    /// The certificates that the webhook may present, as base64 of PEM.
    pub(crate) ca_bundle: Option<String>,
}

/// A service in front of a webhook.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Service {
    pub(crate) namespace: String,
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) path: String,
    pub(crate) port: Option<u16>,
}

/// The conversion webhook of a CRD.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Conversion {
    pub(crate) client_config: Client,
    #[serde(default)]
    conversion_review_versions: Vec<String>,
}

impl Conversion {
    /// The `apiVersion` of the review: the first version that the server knows.
    pub(crate) fn review_version(&self) -> String {
        let known = |version: &&String| matches!(version.as_str(), "v1" | "v1beta1");
        let version = self.conversion_review_versions.iter().find(known).map_or("v1", String::as_str);
        format!("apiextensions.k8s.io/{version}")
    }
}

impl Client {
    /// Returns the URL with the timeout of the call.
    pub(crate) fn url(&self, seconds: u64) -> String {
        let base = match self {
            Client { service: Some(service), .. } => {
                let Service { namespace, name, path, port } = service;
                let path = if path.is_empty() { "/" } else { path };
                format!("https://{name}.{namespace}.svc:{}{path}", port.unwrap_or(443))
            }
            Client { url, .. } => url.clone().unwrap_or_default(),
        };
        format!("{base}?timeout={seconds}s")
    }
}

/// Appends the errors of an address.
pub(crate) fn causes(at: &str, client: &Value, causes: &mut Vec<Cause>) {
    match (&client["url"], &client["service"]) {
        (Value::String(url), Value::Null) => url_causes(&format!("{at}.url"), url, causes),
        (Value::Null, service) if service.is_object() => service_causes(&format!("{at}.service"), service, causes),
        _ => causes.push(Cause::required(at, "exactly one of url or service is required")),
    }
}

fn url_causes(at: &str, url: &str, causes: &mut Vec<Cause>) {
    const FORM: &str = "desired format: https://host[/path]";
    let mut wrong = |value: &str, why: &str| causes.push(Cause::invalid(at, format!("{value:?}"), why));
    let (rest, fragment) = url.split_once('#').unwrap_or((url, ""));
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (scheme, rest) = rest.split_once("://").unwrap_or(("", rest));
    let host = rest.split('/').next().unwrap_or_default();
    let (user, host) = host.rsplit_once('@').unwrap_or(("", host));
    if scheme != "https" {
        wrong(scheme, &format!("'https' is the only allowed URL scheme; {FORM}"));
    }
    if host.is_empty() {
        wrong(host, &format!("host must be provided; {FORM}"));
    }
    if !user.is_empty() {
        wrong(user, "user information is not permitted in the URL");
    }
    if !fragment.is_empty() {
        wrong(fragment, "fragments are not permitted in the URL");
    }
    if !query.is_empty() {
        wrong(query, "query parameters are not permitted in the URL");
    }
}

fn service_causes(at: &str, service: &Value, causes: &mut Vec<Cause>) {
    for field in ["name", "namespace"] {
        if service[field].as_str().unwrap_or_default().is_empty() {
            causes.push(Cause::required(&format!("{at}.{field}"), &format!("service {field} is required")));
        }
    }
    if let Some(port) = service["port"].as_i64().filter(|port| !(1..=65535).contains(port)) {
        let why = "port is not valid: must be between 1 and 65535, inclusive";
        causes.push(Cause::invalid(&format!("{at}.port"), port, why));
    }
    if let Some(path) = service["path"].as_str().filter(|path| !path.is_empty()) {
        path_causes(&format!("{at}.path"), path, causes);
    }
}

fn path_causes(at: &str, path: &str, causes: &mut Vec<Cause>) {
    let mut wrong = |why: String| causes.push(Cause::invalid(at, format!("{path:?}"), why));
    if !path.starts_with('/') {
        wrong("must start with a '/'".to_owned());
    }
    let inner = path.get(1..).unwrap_or_default();
    let segments: Vec<&str> = inner.strip_suffix('/').unwrap_or(inner).split('/').collect();
    for (index, segment) in segments.iter().enumerate().filter(|_| path != "/") {
        if segment.is_empty() {
            wrong(format!("segment[{index}] may not be empty"));
        }
    }
}
