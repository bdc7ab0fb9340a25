//! The object of a request: from the cache of a reconciler, otherwise from the API server.

use std::any::Any;
use std::sync::Arc;

use kube::core::DynamicObject;
use kube::{Api, Client};

use super::erased::{AnyObject, Route};
use crate::api::ApiError;
use crate::pipeline::object::Object;
use crate::queue::Key;
use crate::watch::{Primaries, Scope};

/// Where the objects of requests come from.
pub(crate) struct Objects {
    pub(crate) client: Client,
    pub(crate) reconciled: Primaries,
    pub(crate) scope: Scope,
}

/// An object of the type that the route takes.
pub(super) enum Loaded {
    Cached(Arc<Object>),
    Read(Box<AnyObject>),
}

/// Why there is no object.
pub(super) enum Missing {
    /// It does not exist, or is in a namespace that the operator does not watch.
    Absent,
    Unavailable(ApiError),
    /// It does not fit the type.
    Undecodable(String),
}

impl Loaded {
    pub(super) fn as_any(&self) -> &dyn Any {
        match self {
            Self::Cached(object) => &**object as &dyn Any,
            Self::Read(object) => &**object as &dyn Any,
        }
    }
}

impl Objects {
    /// The object of this name. What is not in a cache is read: it may be newer than the watch.
    pub(super) async fn load(&self, route: &Route, namespace: Option<&str>, name: &str) -> Result<Loaded, Missing> {
        if !is_name(name) || !namespace.is_none_or(is_name) || !self.scope.covers(namespace) {
            return Err(Missing::Absent);
        }
        let key = Key::new(namespace, name);
        if let Some(object) = self.reconciled.find(route.kind(), &key, &|object| route.0.takes(object)) {
            return Ok(Loaded::Cached(object));
        }
        let resource = &*route.kind().resource;
        let api: Api<DynamicObject> = match namespace {
            Some(namespace) => Api::namespaced_with(self.client.clone(), namespace, resource),
            None => Api::all_with(self.client.clone(), resource),
        };
        match api.get_opt(name).await {
            Ok(Some(object)) => route.0.decode(&object).map(Loaded::Read).map_err(Missing::Undecodable),
            Ok(None) => Err(Missing::Absent),
            Err(error) => Err(Missing::Unavailable(ApiError::from(error))),
        }
    }
}

/// Whether an object or a namespace can have this name. Others would change the path of the call.
fn is_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._:@".contains(c);
    !name.is_empty() && name.len() <= 253 && name != "." && name != ".." && name.chars().all(is_plain)
}
