//! The verb, resource and object of a call, from its request line.

use std::fmt;

use http::{Method, Request, StatusCode, Uri, header};
use tracing::{Span, field};

use crate::queue::meter::Call;
use crate::wiring::Verb;

/// The request line, which is parsed only on demand.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    method: Method,
    uri: Uri,
    apply: bool,
}

/// The parts of a path: `/apis/<group>/<version>/namespaces/<namespace>/<plural>/<name>/<subresource>`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Parts<'a> {
    pub(crate) group: &'a str,
    pub(crate) plural: &'a str,
    pub(crate) subresource: &'a str,
    pub(crate) namespace: &'a str,
    pub(crate) name: &'a str,
}

/// Whether a request to this URI starts a watch.
pub(super) fn is_watch(uri: &Uri) -> bool {
    uri.query().is_some_and(|query| query.split('&').any(|pair| pair == "watch=true"))
}

impl Line {
    pub(crate) fn of<B>(request: &Request<B>) -> Self {
        let form = request.headers().get(header::CONTENT_TYPE).map(header::HeaderValue::as_bytes);
        let apply = form.is_some_and(|form| form.starts_with(b"application/apply-patch"));
        Self { method: request.method().clone(), uri: request.uri().clone(), apply }
    }

    /// The verb as in RBAC rules and the audit log, except that a server-side apply is `apply` instead of `patch`.
    pub(crate) fn verb(&self) -> &'static str {
        let named = !self.parts().name.is_empty();
        let watches = is_watch(&self.uri);
        match self.method.as_str() {
            "GET" if watches => "watch",
            "GET" if named => "get",
            "GET" => "list",
            "POST" => "create",
            "PUT" => "update",
            "PATCH" if self.apply => "apply",
            "PATCH" => "patch",
            "DELETE" if named => "delete",
            "DELETE" => "deletecollection",
            _ => "other",
        }
    }

    /// The verb of the RBAC rule that the call needs; `None` for a method without one. An apply needs `create`, too, if the object does
    /// not exist.
    pub(super) fn rbac_verb(&self) -> Option<Verb> {
        Some(match self.verb() {
            "get" => Verb::Get,
            "list" => Verb::List,
            "watch" => Verb::Watch,
            "create" => Verb::Create,
            "update" => Verb::Update,
            "patch" | "apply" => Verb::Patch,
            "delete" => Verb::Delete,
            "deletecollection" => Verb::DeleteCollection,
            _ => return None,
        })
    }

    /// The resource, as in a log line.
    pub(crate) fn resource(&self) -> impl fmt::Display {
        Resource(self)
    }

    /// The namespace and the name of the object, as in a log line.
    pub(crate) fn object(&self) -> impl fmt::Display {
        Object(self)
    }

    pub(crate) fn parts(&self) -> Parts<'_> {
        let mut path = self.uri.path().split('/').filter(|part| !part.is_empty()).peekable();
        let group = match path.next() {
            Some("apis") => path.next().unwrap_or_default(),
            Some("api") => "",
            _ => return Parts::default(),
        };
        path.next();
        let namespace = match path.next_if_eq(&"namespaces") {
            // Namespaces are objects as well.
            Some(_) => match (path.next(), path.peek()) {
                (Some(namespace), Some(plural)) if !matches!(*plural, "status" | "finalize") => namespace,
                (name, _) => {
                    let (name, subresource) = (name.unwrap_or_default(), path.next().unwrap_or_default());
                    return Parts { plural: "namespaces", name, subresource, ..Parts::default() };
                }
            },
            None => "",
        };
        let mut next = || path.next().unwrap_or_default();
        Parts { group, namespace, plural: next(), name: next(), subresource: next() }
    }

    /// The call with its metric labels.
    pub(super) fn call(&self, step: &'static str, code: Option<StatusCode>) -> Call<'_> {
        let Parts { group, plural, .. } = self.parts();
        let (method, code) = (self.method.as_str(), code.map(|code| code.as_u16()));
        Call { method, verb: self.verb(), group, plural, step, code }
    }

    /// The span of the call, inside the span of its step, its pass or the operator.
    pub(super) fn span(&self) -> Span {
        tracing::info_span!("call", verb = self.verb(), resource = %self.resource(), object = %self.object(), code = field::Empty)
    }
}

/// `deployments.apps/scale`.
struct Resource<'a>(&'a Line);

impl fmt::Display for Resource<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = self.0.parts();
        f.write_str(parts.plural)?;
        for (mark, part) in [('.', parts.group), ('/', parts.subresource)].iter().filter(|(_, part)| !part.is_empty()) {
            write!(f, "{mark}{part}")?;
        }
        Ok(())
    }
}

/// `namespace/name`, or the one of them that is present.
struct Object<'a>(&'a Line);

impl fmt::Display for Object<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Parts { namespace, name, .. } = self.0.parts();
        let slash = if namespace.is_empty() || name.is_empty() { "" } else { "/" };
        write!(f, "{namespace}{slash}{name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(method: &str, uri: &str, form: &str) -> String {
        let request = Request::builder().method(method).uri(uri).header(header::CONTENT_TYPE, form).body(()).unwrap();
        let line = Line::of(&request);
        format!("{} {} {}", line.verb(), Resource(&line), Object(&line))
    }

    #[test]
    fn a_request_is_logged_as_verb_resource_and_object() {
        let apply = "application/apply-patch+yaml";
        for (method, uri, form, wanted) in [
            ("GET", "/api/v1/secrets?watch=true&limit=5", "", "watch secrets "),
            ("GET", "/api/v1/namespaces/a/secrets?limit=5", "", "list secrets a"),
            ("GET", "/api/v1/namespaces/a/secrets/s", "", "get secrets a/s"),
            (
                "PATCH",
                "/apis/ex.dev/v1/namespaces/a/widgets/w/status?force=true",
                apply,
                "apply widgets.ex.dev/status a/w",
            ),
            ("PATCH", "/apis/ex.dev/v1/things/t", "application/merge-patch+json", "patch things.ex.dev t"),
            ("POST", "/apis/events.k8s.io/v1/namespaces/a/events", "", "create events.events.k8s.io a"),
            ("DELETE", "/api/v1/namespaces/a/pods", "", "deletecollection pods a"),
            ("DELETE", "/api/v1/namespaces/a", "", "delete namespaces a"),
            ("PUT", "/api/v1/namespaces/a/finalize", "", "update namespaces/finalize a"),
            ("GET", "/version", "", "list  "),
        ] {
            assert_eq!(described(method, uri, form), wanted, "{uri}");
        }
    }
}
