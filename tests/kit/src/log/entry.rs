//! One entry of the request log.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use http::header::{ACCEPT, CONTENT_TYPE, USER_AGENT};
use http::request::Parts;
use serde_json::Value;

use crate::hold::ClientName;
use crate::query::Query;
use crate::registry::Verb;
use crate::route::{Route, Target};

/// The header with the impersonated user.
pub(crate) const IMPERSONATE: &str = "Impersonate-User";

/// When the body of a request had been read, in its extensions: the time since the start of the cluster.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SentAt(pub(crate) Duration);

/// A request in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// The verb; `Get` for discovery and other non-resource paths.
    pub verb: Verb,
    /// The API group; "" is the core group.
    pub group: String,
    /// The API version.
    pub version: String,
    /// The plural name of the resource; "" for non-resource paths.
    pub resource: String,
    /// The namespace in the path.
    pub namespace: Option<String>,
    /// The name of the object: from the path or, for a create, from the body.
    pub name: Option<String>,
    /// The subresource, such as "status".
    pub subresource: Option<String>,
    /// The path as sent.
    pub path: String,
    /// The query as sent.
    pub query: String,
    /// The Content-Type header, which for a patch contains the patch type.
    pub content_type: String,
    /// The Accept header.
    pub accept: String,
    /// The User-Agent header; kube sends none.
    pub user_agent: String,
    /// The impersonated user, from the header `Impersonate-User`.
    ///
    /// It is the user of [`Cluster::client_as`](crate::Cluster::client_as), or `None` if the caller acts as itself.
    pub impersonated: Option<String>,
    /// The name of the client; "" if it has none. See [`Cluster::client_of`](crate::Cluster::client_of).
    pub client: String,
    /// When the caller had handed over the body, as the time since the start of the cluster.
    ///
    /// A request that was [held](crate::Cluster::partition) on its way has arrived later.
    pub sent_at: Duration,
    /// The `fieldManager` in the query.
    pub field_manager: String,
    /// Whether the request is a dry run.
    pub dry_run: bool,
    /// The body as sent; see [`Entry::json`].
    pub body: Bytes,
    /// The HTTP status code of the response; 0 while there is none.
    pub code: u16,
}

impl Entry {
    pub(crate) fn new(route: &Route, parts: &Parts, body: &Bytes) -> Self {
        let target = match route {
            Route::Resource(target) => target.clone(),
            Route::Other => Target::default(),
        };
        let text = parts.uri.query().unwrap_or_default();
        let query = Query::parse(text);
        let verb = verb(parts, &target, &query);
        Entry {
            dry_run: !query.dry_run.is_empty() || verb == Verb::Delete && body_dry_run(body),
            name: target.name.or_else(|| (verb == Verb::Create).then(|| body_name(body)).flatten()),
            verb,
            group: target.group,
            version: target.version,
            resource: target.plural,
            namespace: target.namespace,
            subresource: target.subresource,
            path: parts.uri.path().to_owned(),
            query: text.to_owned(),
            content_type: header(&parts.headers, CONTENT_TYPE),
            accept: header(&parts.headers, ACCEPT),
            user_agent: header(&parts.headers, USER_AGENT),
            impersonated: parts.headers.get(IMPERSONATE).and_then(|user| user.to_str().ok()).map(str::to_owned),
            client: parts.extensions.get::<ClientName>().map(|name| name.0.to_string()).unwrap_or_default(),
            sent_at: parts.extensions.get::<SentAt>().map_or(Duration::ZERO, |at| at.0),
            field_manager: query.field_manager,
            body: body.clone(),
            code: 0,
        }
    }

    /// Parses the body as JSON or YAML; `None` if it is neither.
    #[must_use]
    pub fn json(&self) -> Option<Value> {
        let yaml = || serde_saphyr::from_str(std::str::from_utf8(&self.body).ok()?).ok();
        serde_json::from_slice(&self.body).ok().or_else(yaml)
    }

    /// Returns the field manager, else the first word of the User-Agent.
    ///
    /// Without either, it returns "unknown".
    #[must_use]
    pub fn caller(&self) -> &str {
        [self.field_manager.as_str(), self.agent()].into_iter().find(|name| !name.is_empty()).unwrap_or("unknown")
    }

    /// Returns the first word of the User-Agent.
    pub(crate) fn agent(&self) -> &str {
        self.user_agent.split(['/', ' ']).next().unwrap_or_default()
    }

    /// Returns the request as a line, such as `patch widgets/status shop/w`.
    ///
    /// It contains verb, resource, subresource, namespace and name. Names of Events are omitted, since they are not predictable.
    #[must_use]
    pub fn line(&self) -> String {
        let subresource = self.subresource.iter().fold(String::new(), |_, name| format!("/{name}"));
        let name = self.name.as_deref().filter(|_| self.resource != "events");
        let place: Vec<&str> = [self.namespace.as_deref(), name].into_iter().flatten().collect();
        let what = if self.resource.is_empty() { &self.path } else { &self.resource };
        format!("{} {what}{subresource} {}", self.verb, place.join("/")).trim_end().to_owned()
    }

    /// Returns whether the verb is a write, including dry runs.
    #[must_use]
    pub fn is_write(&self) -> bool {
        !matches!(self.verb, Verb::Get | Verb::List | Verb::Watch)
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let query = if self.query.is_empty() { String::new() } else { format!("?{}", self.query) };
        write!(f, "{} {:?} {}{query}", self.code, self.verb, self.path)
    }
}

fn verb(parts: &Parts, target: &Target, query: &Query) -> Verb {
    match (parts.method.as_str(), target.name.is_some()) {
        ("GET" | "HEAD", false) if query.watch || target.watch => Verb::Watch,
        ("GET" | "HEAD", false) if !target.plural.is_empty() => Verb::List,
        ("POST", _) => Verb::Create,
        ("PUT", _) => Verb::Update,
        ("PATCH", _) => Verb::Patch,
        ("DELETE", true) => Verb::Delete,
        ("DELETE", false) => Verb::DeleteCollection,
        _ => Verb::Get,
    }
}

fn header(headers: &HeaderMap, name: http::HeaderName) -> String {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
}

fn body_name(body: &[u8]) -> Option<String> {
    let body: serde_json::Value = serde_json::from_slice(body).ok()?;
    Some(body["metadata"]["name"].as_str()?.to_owned())
}

fn body_dry_run(body: &[u8]) -> bool {
    let body: serde_json::Value = serde_json::from_slice(body).unwrap_or_default();
    body["dryRun"].as_array().is_some_and(|values| !values.is_empty())
}
