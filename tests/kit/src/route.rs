//! Parsing of request paths.

use crate::query::decoded;

/// The target of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// A collection, an object, or a subresource of one.
    Resource(Target),
    /// Any other path: discovery, health, version.
    Other,
}

/// A collection, an object, or a subresource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) plural: String,
    pub(crate) namespace: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) subresource: Option<String>,
    /// Whether the path has the old form of a watch, `/api/v1/watch/...`.
    pub(crate) watch: bool,
}

impl Target {
    /// Returns the namespace for a key in the store.
    pub(crate) fn space(&self) -> &str {
        self.namespace.as_deref().unwrap_or_default()
    }
}

impl Route {
    pub(crate) fn parse(path: &str) -> Route {
        let segments: Vec<String> = path.split('/').filter(|segment| !segment.is_empty()).map(decoded).collect();
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        let (group, version, rest) = match segments.as_slice() {
            ["api", version, rest @ ..] => ("", *version, rest),
            ["apis", group, version, rest @ ..] => (*group, *version, rest),
            _ => return Route::Other,
        };
        let (watch, rest) = match rest {
            ["watch", rest @ ..] if !rest.is_empty() => (true, rest),
            rest => (false, rest),
        };
        let Some(target) = inside(rest) else { return Route::Other };
        Route::Resource(Target { group: group.to_owned(), version: version.to_owned(), watch, ..target })
    }
}

/// Parses the part of a path after the version.
fn inside(rest: &[&str]) -> Option<Target> {
    let (namespace, rest) = match rest {
        ["namespaces", _] | ["namespaces", _, "status" | "finalize"] => (None, rest),
        ["namespaces", namespace, rest @ ..] if !rest.is_empty() => (Some((*namespace).to_owned()), rest),
        _ => (None, rest),
    };
    let (plural, rest) = rest.split_first()?;
    let name = rest.first().map(|name| (*name).to_owned());
    let subresource = rest.get(1..).filter(|rest| !rest.is_empty()).map(|rest| rest.join("/"));
    Some(Target { plural: (*plural).to_owned(), namespace, name, subresource, ..Target::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(path: &str) -> Target {
        match Route::parse(path) {
            Route::Resource(target) => target,
            Route::Other => panic!("{path} is a resource"),
        }
    }

    #[test]
    fn paths_name_collections_objects_and_subresources() {
        let widget = target("/apis/ex.dev/v1/namespaces/a/widgets/w/status");
        assert_eq!((widget.group.as_str(), widget.space(), widget.name.as_deref()), ("ex.dev", "a", Some("w")));
        assert_eq!(widget.subresource.as_deref(), Some("status"));
        assert_eq!(target("/api/v1/namespaces/a").name.as_deref(), Some("a"));
        assert_eq!(target("/api/v1/namespaces/a/status").subresource.as_deref(), Some("status"));
        assert_eq!(target("/api/v1/namespaces/a/pods").plural, "pods");
        assert!(target("/api/v1/watch/namespaces/a/pods").watch);
        assert_eq!(Route::parse("/apis/apps/v1"), Route::Other);
        assert_eq!(Route::parse("/version"), Route::Other);
    }
}
