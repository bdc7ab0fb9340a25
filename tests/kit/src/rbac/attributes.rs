//! The attributes of a request: a verb on a resource or on a non-resource path.

use http::Method;
use http::request::Parts;

use crate::api_error::{About, Failure};
use crate::query::Query;
use crate::route::{Route, Target};
use crate::selector::named;
use crate::state::User;

/// The attributes of a request, in the terms of RBAC rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) verb: String,
    pub(crate) group: String,
    pub(crate) resource: String,
    pub(crate) subresource: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
    /// The path of a non-resource request; otherwise empty.
    pub(crate) path: String,
}

impl Asked {
    /// Reads the attributes of a request.
    pub(crate) fn of(route: &Route, parts: &Parts) -> Self {
        match route {
            Route::Other => Asked {
                verb: parts.method.as_str().to_lowercase(),
                path: parts.uri.path().to_owned(),
                ..Asked::default()
            },
            Route::Resource(target) => Self::resource(target, parts),
        }
    }

    fn resource(target: &Target, parts: &Parts) -> Self {
        let query = Query::parse(parts.uri.query().unwrap_or_default());
        let verb = verb(&parts.method, target, &query);
        let selected = || query.field_selector.as_deref().and_then(named).unwrap_or_default();
        let of_many = matches!(verb, "list" | "watch" | "deletecollection");
        let name = match &target.name {
            Some(name) => name.clone(),
            None if of_many => selected(),
            None => String::new(),
        };
        // A Namespace object counts as being in its own namespace.
        let own = || (target.group.is_empty() && target.plural == "namespaces").then(|| name.clone());
        Asked {
            verb: verb.to_owned(),
            group: target.group.clone(),
            resource: target.plural.clone(),
            subresource: target.subresource.clone().unwrap_or_default(),
            namespace: target.namespace.clone().or_else(own).unwrap_or_default(),
            name,
            path: String::new(),
        }
    }

    /// The resource including its subresource.
    pub(super) fn combined(&self) -> String {
        match self.subresource.as_str() {
            "" => self.resource.clone(),
            sub => format!("{}/{sub}", self.resource),
        }
    }

    /// The 403 response.
    pub(super) fn refusal(&self, user: &User) -> Failure {
        if !self.path.is_empty() {
            let why = format!("forbidden: User {:?} cannot {} path {:?}", user.name, self.verb, self.path);
            return Failure::status(403, "Forbidden", why).with_details(serde_json::json!({}));
        }
        let place = match self.namespace.as_str() {
            "" => "at the cluster scope".to_owned(),
            namespace => format!("in the namespace {namespace:?}"),
        };
        let why = format!(
            "User {:?} cannot {} resource {:?} in API group {:?} {place}",
            user.name,
            self.verb,
            self.combined(),
            self.group
        );
        Failure::forbidden(About { group: &self.group, kind: &self.resource, name: &self.name }, &why)
    }
}

fn verb(method: &Method, target: &Target, query: &Query) -> &'static str {
    match (method.as_str(), target.name.is_some()) {
        ("GET" | "HEAD", _) if target.watch => "watch",
        ("GET" | "HEAD", false) if query.watch => "watch",
        ("GET" | "HEAD", false) => "list",
        ("POST", _) => "create",
        ("PUT", _) => "update",
        ("PATCH", _) => "patch",
        ("DELETE", true) => "delete",
        ("DELETE", false) => "deletecollection",
        _ => "get",
    }
}
