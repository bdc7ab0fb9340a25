//! The reads of a review: from a cache that has the object, otherwise from the API server.

use std::sync::Arc;

use futures::FutureExt;
use kube::core::DynamicObject;
use kube::{Api, Client};
use serde_json::Value;

use super::raw_object::RawObject;
use super::wire_path::WirePaths;
use crate::api::{ApiError, BoxFuture, Target};
use crate::pipeline::admission::meter::ReviewMeter;
use crate::pipeline::admission::{Field, Reads};
use crate::watch::SelectedObjects;

/// What reviews use of a running operator.
pub(crate) struct Backend {
    pub(crate) client: Client,
    pub(crate) caches: SelectedObjects,
    pub(crate) meter: ReviewMeter,
}

impl Backend {
    /// A backend without caches and metrics.
    pub(crate) fn live(client: Client) -> Self {
        Self { client, caches: SelectedObjects::default(), meter: ReviewMeter::default() }
    }

    async fn read(&self, target: Target) -> Result<Option<Arc<DynamicObject>>, ApiError> {
        if let Some(object) = self.caches.get(&target) {
            return Ok(Some(object));
        }
        let (client, resource) = (self.client.clone(), &*target.kind.resource);
        let api: Api<DynamicObject> = match &target.namespace {
            Some(namespace) => Api::namespaced_with(client, namespace, resource),
            None => Api::all_with(client, resource),
        };
        match api.get(&target.name).await.map_err(ApiError::from) {
            Ok(object) => Ok(Some(Arc::new(object))),
            // Any other 404 does not show that the object is absent.
            Err(error) if is_absent(&error, &target.name) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Whether the API server answers that there is no object of this name.
fn is_absent(error: &ApiError, name: &str) -> bool {
    let details = error.status().and_then(|status| status.details.as_ref());
    matches!(error, ApiError::NotFound(_)) && details.is_some_and(|details| details.name == name)
}

/// The reads of one request.
pub(super) struct RequestReads<'a> {
    pub(super) backend: Option<Arc<Backend>>,
    pub(super) paths: &'a WirePaths,
    /// The reviewed object, for the names of its fields.
    pub(super) raw: &'a RawObject<'a>,
}

impl Reads for RequestReads<'_> {
    fn read(&self, target: Target) -> BoxFuture<'_, Result<Option<Arc<DynamicObject>>, ApiError>> {
        async move {
            match &self.backend {
                Some(backend) => backend.read(target).await,
                None => Err(ApiError::Failed("the operator is not connected to the API server yet".into())),
            }
        }
        .boxed()
    }

    fn path(&self, field: &Field) -> String {
        self.paths.resolve(field, || self.raw.tree().unwrap_or(Value::Null))
    }
}
