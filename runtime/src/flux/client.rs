//! Access to one object through a `kube::Client`.

use std::time::Duration;

use kube::api::{Api, ApiResource, DynamicObject, Patch, PatchParams};
use kube::{Client, Resource};
use serde_json::Value;

use super::{Part, Port};
use crate::api::ApiError;
use crate::api::grant::Grant;
use crate::pass::answered;
use crate::random::uniform;

/// The minimum delay before a write is retried; jitter adds up to the same again.
const PAUSE: Duration = Duration::from_millis(100);

/// Access to one object through a client.
///
/// Reads go to the API server, not to a cache, so a read is never older than the write before it. If the role does not allow a call, the
/// error ends with the RBAC rule to grant.
#[derive(Clone, Debug)]
pub struct ClientPort {
    api: Api<DynamicObject>,
    resource: ApiResource,
    namespace: Option<String>,
    name: String,
}

impl ClientPort {
    /// Creates a port for the object, which must have a name.
    pub fn new<K: Resource<DynamicType = ()>>(client: Client, object: &K) -> Self {
        let resource = ApiResource::erase::<K>(&());
        let (name, namespace) = (object.meta().name.clone().unwrap_or_default(), object.meta().namespace.clone());
        let api = match &namespace {
            Some(namespace) => Api::namespaced_with(client, namespace, &resource),
            None => Api::all_with(client, &resource),
        };
        Self { api, resource, namespace, name }
    }

    async fn get(&self) -> Result<DynamicObject, ApiError> {
        answered(self.api.get(&self.name)).await.map_err(|error| self.explain(error, "get", None))
    }

    /// Adds the missing RBAC rule to the error, if the role does not allow the call.
    fn explain(&self, error: ApiError, verb: &str, subresource: Option<&str>) -> ApiError {
        let Self { resource, namespace, .. } = self;
        Grant { verbs: &[verb], resource, subresource, namespace: namespace.as_deref() }.explain(error)
    }

    /// Explains a 404 of a write. A read shows whether the object is gone; otherwise its kind or its subresource is missing.
    async fn missing(&self, error: ApiError) -> ApiError {
        match self.get().await {
            Ok(_) => ApiError::NotServed(error.to_string().into()),
            Err(error) => error,
        }
    }
}

impl Port for ClientPort {
    async fn read(&self) -> Result<Value, ApiError> {
        as_json(self.get().await?)
    }

    async fn write(&self, part: Part, patch: Value, field_owner: Option<&str>) -> Result<Value, ApiError> {
        let params = PatchParams { field_manager: field_owner.map(ToOwned::to_owned), ..PatchParams::default() };
        let patch = Patch::Merge(&patch);
        let (written, subresource) = match part {
            Part::Main => (answered(self.api.patch(&self.name, &params, &patch)).await, None),
            Part::Status => (answered(self.api.patch_status(&self.name, &params, &patch)).await, Some("status")),
        };
        match written {
            Err(missing) if missing.is_404() => Err(self.missing(missing).await),
            written => as_json(written.map_err(|error| self.explain(error, "patch", subresource))?),
        }
    }

    async fn pause(&self) {
        tokio::time::sleep(PAUSE.mul_f64(1.0 + uniform())).await;
    }
}

fn as_json(object: DynamicObject) -> Result<Value, ApiError> {
    serde_json::to_value(object).map_err(|error| ApiError::Failed(error.to_string().into()))
}
