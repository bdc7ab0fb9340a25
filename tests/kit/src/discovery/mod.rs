//! The documents by which clients discover the API of a server and check its health.

mod aggregated;
mod answer;
mod health;
mod negotiate;
mod openapi;
mod paths;
mod release;
mod subresource;
mod unaggregated;

use http::Method;
use serde_json::Value;

pub use answer::{Answer, Ask};
pub use release::Release;

use crate::registry::Registry;
use answer::{TEXT, etag};
use negotiate::{Form, JSON};

/// Answers a request for a path that is not a resource; unknown paths get the 404 of an API server.
#[must_use]
pub fn answer(registry: &Registry, release: &Release, ask: &Ask<'_>) -> Answer {
    if let Some(answer) = health::answer(ask) {
        return answer;
    }
    match document(registry, release, ask) {
        Some(_) if ask.method != Method::GET => Answer::not_allowed(),
        Some(Document::Plain(value)) => Answer::negotiated(ask, |_| (value.to_string(), None)),
        Some(Document::Tagged(value)) => Answer::negotiated(ask, |_| {
            let body = value.to_string();
            let etag = etag(&body);
            (body, Some(etag))
        }),
        Some(Document::Root(root)) => Answer::negotiated(ask, |form| root.body(registry, ask.host, form)),
        None => missing(registry, ask.path),
    }
}

/// The document of a path.
enum Document {
    /// The same in all media types.
    Plain(Value),
    /// The same in all media types, with an ETag.
    Tagged(Value),
    /// One of the two root documents, which also have an aggregated form.
    Root(Root),
}

#[derive(Clone, Copy)]
enum Root {
    Core,
    Groups,
}

impl Root {
    /// The body, and its ETag for the aggregated form.
    fn body(self, registry: &Registry, host: &str, form: Form) -> (String, Option<String>) {
        let document = match (self, form) {
            (Self::Core, Form::Legacy) => unaggregated::core(host),
            (Self::Groups, Form::Legacy) => unaggregated::groups(registry, host),
            (Self::Core, Form::Aggregated) => aggregated::core(registry),
            (Self::Groups, Form::Aggregated) => aggregated::groups(registry),
        };
        let body = document.to_string();
        let etag = (form == Form::Aggregated).then(|| etag(&body));
        (body, etag)
    }
}

fn document(registry: &Registry, release: &Release, ask: &Ask<'_>) -> Option<Document> {
    let segments: Vec<&str> = ask.path.strip_prefix('/')?.split('/').collect();
    if let ["openapi", rest @ ..] = segments.as_slice() {
        return described(registry, *release, rest).map(Document::Tagged);
    }
    let plain = match segments.as_slice() {
        ["api"] => return Some(Document::Root(Root::Core)),
        ["apis"] => return Some(Document::Root(Root::Groups)),
        [""] => Some(paths::document(registry)),
        ["version"] => Some(release.document()),
        ["api", version] => unaggregated::resources(registry, "", version),
        ["apis", group] => unaggregated::group(registry, group),
        ["apis", group, version] if !group.is_empty() => unaggregated::resources(registry, group, version),
        _ => None,
    };
    plain.map(Document::Plain)
}

fn described(registry: &Registry, release: Release, path: &[&str]) -> Option<Value> {
    match path {
        ["v3"] => Some(openapi::index(registry, release)),
        ["v3", "api", version] => openapi::document(registry, release, "", version),
        ["v3", "apis", group, version] if !group.is_empty() => openapi::document(registry, release, group, version),
        _ => None,
    }
}

/// The 404 response depends on the path: a `Status` below `/api` and in built-in groups, a plain text in other groups, an empty 200 for
/// unknown group versions below `/openapi/v3`, and the list of paths elsewhere.
fn missing(registry: &Registry, path: &str) -> Answer {
    let mut segments = path.trim_start_matches('/').split('/');
    match (segments.next(), segments.next()) {
        (Some("api"), _) | (Some("apis"), None | Some("")) | (Some("version"), Some(_)) => Answer::not_found(),
        (Some("apis"), Some(group)) if registry.is_builtin_group(group) => Answer::not_found(),
        (Some("openapi"), Some("v3")) => Answer::new(200, JSON, String::new()),
        (Some("apis"), Some(_)) => Answer::new(404, TEXT, "404 page not found\n".to_owned()),
        _ => Answer::new(404, JSON, paths::document(registry).to_string()),
    }
}

#[cfg(test)]
mod tests;
