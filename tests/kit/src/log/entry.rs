//! One request as the log has it.

use std::fmt;

use bytes::Bytes;
use http::HeaderMap;
use http::header::{ACCEPT, CONTENT_TYPE, USER_AGENT};
use http::request::Parts;
use serde_json::Value;

use crate::query::Query;
use crate::registry::Verb;
use crate::route::{Route, Target};

/// A request as the log has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What was to be done; `Get` for discovery and other paths that are no resources.
    pub verb: Verb,
    /// API group; "" is the core group.
    pub group: String,
    /// Version of the group.
    pub version: String,
    /// Plural of the resource; "" for paths that are no resources.
    pub resource: String,
    /// Namespace, when the path has one.
    pub namespace: Option<String>,
    /// Name of the object: from the path, or at create from the body.
    pub name: Option<String>,
    /// Subresource, such as "status".
    pub subresource: Option<String>,
    /// The path as sent.
    pub path: String,
    /// The query as sent.
    pub query: String,
    /// The Content-Type of the body, which says what sort of patch it is.
    pub content_type: String,
    /// The Accept, which says in which form the answer is wanted.
    pub accept: String,
    /// The User-Agent; kube sends none.
    pub user_agent: String,
    /// The `fieldManager` of the query.
    pub field_manager: String,
    /// Whether nothing was to be stored.
    pub dry_run: bool,
    /// The body as sent; see [`Entry::json`].
    pub body: Bytes,
    /// The HTTP code of the answer; 0 while there is none.
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
            field_manager: query.field_manager,
            body: body.clone(),
            code: 0,
        }
    }

    /// The body, where it is JSON; apply patches in YAML are read as well.
    #[must_use]
    pub fn json(&self) -> Option<Value> {
        let yaml = || serde_saphyr::from_str(std::str::from_utf8(&self.body).ok()?).ok();
        serde_json::from_slice(&self.body).ok().or_else(yaml)
    }

    /// Who asked: the field manager of the request, else the first word of its User-Agent, else "unknown".
    #[must_use]
    pub fn caller(&self) -> &str {
        [self.field_manager.as_str(), self.agent()].into_iter().find(|name| !name.is_empty()).unwrap_or("unknown")
    }

    /// The first word of the User-Agent.
    pub(crate) fn agent(&self) -> &str {
        self.user_agent.split(['/', ' ']).next().unwrap_or_default()
    }

    /// Verb, resource and subresource, namespace and name: `patch widgets/status shop/w`. The names of Events are left out, since
    /// nobody knows them beforehand.
    #[must_use]
    pub fn line(&self) -> String {
        let subresource = self.subresource.iter().fold(String::new(), |_, name| format!("/{name}"));
        let name = self.name.as_deref().filter(|_| self.resource != "events");
        let place: Vec<&str> = [self.namespace.as_deref(), name].into_iter().flatten().collect();
        let what = if self.resource.is_empty() { &self.path } else { &self.resource };
        format!("{} {what}{subresource} {}", self.verb, place.join("/")).trim_end().to_owned()
    }

    /// Whether the request was to change something, dry runs included.
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
