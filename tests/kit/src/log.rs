//! The request log: what clients asked, in order, with what came of it.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::HeaderMap;
use http::header::{CONTENT_TYPE, USER_AGENT};
use http::request::Parts;

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
    /// The User-Agent; kube sends none.
    pub user_agent: String,
    /// The `fieldManager` of the query.
    pub field_manager: String,
    /// Whether nothing was to be stored.
    pub dry_run: bool,
    /// The HTTP code of the answer; 0 while there is none.
    pub code: u16,
}

impl Entry {
    pub(crate) fn new(route: &Route, parts: &Parts, body: &[u8]) -> Self {
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
            user_agent: header(&parts.headers, USER_AGENT),
            field_manager: query.field_manager,
            code: 0,
        }
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

/// How many requests are remembered: more than tests make, and little enough for a server that runs for days.
const LIMIT: usize = 100_000;

/// The request log of a cluster; clones share it. It remembers the last 100,000 requests.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> kube::Result<()> {
/// # use evenkeel_testkit::Cluster;
/// # use k8s_openapi::api::core::v1::ConfigMap;
/// # use kube::{Api, api::ListParams};
/// let cluster = Cluster::start().await;
/// let maps: Api<ConfigMap> = Api::namespaced(cluster.client(), "default");
/// maps.list(&ListParams::default()).await?;
/// assert_eq!(cluster.log().count(|entry| entry.resource == "configmaps"), 1);
/// assert!(cluster.log().writes().is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Log {
    kept: Arc<Mutex<Kept>>,
}

#[derive(Debug, Default)]
struct Kept {
    entries: VecDeque<Entry>,
    /// How many entries came before the first one, so that an answer finds its entry or knows it gone.
    gone: usize,
}

/// The place of an entry since the start of the cluster.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ticket(usize);

impl Log {
    /// All entries, oldest first.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry> {
        self.filter(|_| true)
    }

    /// The entries that a test holds for.
    #[must_use]
    pub fn filter(&self, test: impl Fn(&Entry) -> bool) -> Vec<Entry> {
        self.lock().entries.iter().filter(|entry| test(entry)).cloned().collect()
    }

    /// How many entries a test holds for.
    #[must_use]
    pub fn count(&self, test: impl Fn(&Entry) -> bool) -> usize {
        self.lock().entries.iter().filter(|entry| test(entry)).count()
    }

    /// The requests that were to change something, dry runs left out.
    #[must_use]
    pub fn writes(&self) -> Vec<Entry> {
        self.filter(|entry| entry.is_write() && !entry.dry_run)
    }

    /// Forgets all entries.
    pub fn clear(&self) {
        let mut kept = self.lock();
        kept.gone += kept.entries.len();
        kept.entries.clear();
    }

    pub(crate) fn begin(&self, entry: Entry) -> Ticket {
        let mut kept = self.lock();
        kept.entries.push_back(entry);
        if kept.entries.len() > LIMIT {
            kept.entries.pop_front();
            kept.gone += 1;
        }
        Ticket(kept.gone + kept.entries.len() - 1)
    }

    pub(crate) fn finish(&self, ticket: Ticket, code: u16) {
        let mut kept = self.lock();
        let at = ticket.0.checked_sub(kept.gone);
        if let Some(entry) = at.and_then(|at| kept.entries.get_mut(at)) {
            entry.code = code;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
