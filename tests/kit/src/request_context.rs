//! A request for a resource, with all data that its verb requires.

use std::sync::Arc;

use bytes::Bytes;
use http::Method;
use http::header::{CONTENT_TYPE, USER_AGENT};
use http::request::Parts;

use crate::api_error::{BODY_LIMIT, Failure};
use crate::content_negotiation::{Shape, wants_yaml};
use crate::depth_limit;
use crate::query::Query;
use crate::registry::Kind;
use crate::route::Target;
use crate::served_version::Lens;
use crate::state::{Server, User};
use crate::store::Key;
use crate::strategy::Part;

/// The uid of a created object, given by a seed.
#[derive(Clone, Debug)]
pub(crate) struct Uid(pub(crate) String);

/// A request for a resource.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) method: Method,
    pub(crate) kind: Arc<Kind>,
    pub(crate) lens: Lens,
    pub(crate) target: Target,
    pub(crate) query: Query,
    /// The query as sent.
    pub(crate) asked: String,
    pub(crate) shape: Shape,
    /// Whether the client requests YAML.
    pub(crate) wants_yaml: bool,
    /// The media type of the body without parameters; empty if it is missing.
    pub(crate) content_type: String,
    pub(crate) body: Bytes,
    /// Whether levels of the body were cut off.
    pub(crate) is_cut: bool,
    /// The field manager: the `fieldManager` in the query, or the name in the User-Agent.
    pub(crate) manager: String,
    /// The user of the request.
    pub(crate) user: User,
    /// The uid of the created object, if a seed sets it.
    pub(crate) uid: Option<Uid>,
}

impl Call {
    /// Finds the kind of a target, and parses query and headers.
    pub(crate) fn new(server: &Server, user: User, target: Target, parts: Parts, body: Bytes) -> Result<Self, Failure> {
        let catalog = server.catalog();
        let kind = catalog.registry.lookup(&target.group, &target.version, &target.plural);
        let kind = kind.ok_or_else(|| absent(server, &target))?;
        let misplaced = match kind.namespaced {
            true => target.namespace.is_none() && target.name.is_some(),
            false => target.namespace.is_some(),
        };
        if misplaced {
            return Err(absent(server, &target));
        }
        if body.len() > BODY_LIMIT {
            return Err(Failure::large_body());
        }
        let cut = (!is_protobuf(&parts.headers)).then(|| depth_limit::cut(&body)).flatten();
        let mut query = Query::parse(parts.uri.query().unwrap_or_default());
        if !server.options.sharding {
            query.shard_selector = None;
        }
        let header = |name| parts.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let manager = manager(&query.field_manager, header(USER_AGENT));
        Ok(Call {
            lens: catalog.lens(&kind),
            wants_yaml: wants_yaml(&parts.headers),
            shape: Shape::negotiate(&parts.headers, &query, server.clock, &kind)?,
            content_type: header(CONTENT_TYPE).split(';').next().unwrap_or_default().trim().to_owned(),
            asked: parts.uri.query().unwrap_or_default().to_owned(),
            uid: parts.extensions.get().cloned(),
            method: parts.method,
            kind,
            target,
            query,
            is_cut: cut.is_some(),
            body: cut.unwrap_or(body),
            manager,
            user,
        })
    }

    /// Returns the key of an object in the store.
    pub(crate) fn key(&self, name: &str) -> Key {
        (self.target.space().to_owned(), name.to_owned())
    }

    /// Returns the name in the path.
    pub(crate) fn name(&self) -> &str {
        self.target.name.as_deref().unwrap_or_default()
    }

    /// Returns the part of the object that the request writes.
    pub(crate) fn part(&self) -> Part {
        match self.target.subresource.as_deref() {
            None | Some("scale") => Part::Main,
            Some(_) => Part::Status,
        }
    }

    /// Returns whether the request is a dry run.
    pub(crate) fn is_dry_run(&self) -> bool {
        !self.query.dry_run.is_empty()
    }
}

fn is_protobuf(headers: &http::HeaderMap) -> bool {
    headers.get(CONTENT_TYPE).is_some_and(|media| media.as_bytes().starts_with(b"application/vnd.kubernetes.protobuf"))
}

fn absent(server: &Server, target: &Target) -> Failure {
    if server.catalog().registry.is_builtin_group(&target.group) {
        Failure::unknown_resource()
    } else {
        Failure::unserved()
    }
}

fn manager(asked: &str, agent: &str) -> String {
    let named = if asked.is_empty() { agent.split('/').next().unwrap_or_default() } else { asked };
    if named.is_empty() { "unknown".to_owned() } else { named.to_owned() }
}
