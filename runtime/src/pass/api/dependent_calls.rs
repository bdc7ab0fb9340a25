//! Calls that only sets of dependents need.

use kube::Client;
use kube::Resource;
use kube::api::{DynamicObject, ListParams, PostParams};
use kube::core::request::Request as Verbs;
use serde_json::Value;

use super::calls::{CREATE, Calls, selected, verbs};
use crate::api::{ApiError, Target};
use crate::client::counted;
use crate::wiring::KindInfo;

const UPDATE: &[&str] = &["update"];

impl Calls {
    /// Replaces the object. The body contains its version.
    pub(crate) async fn replace(&self, target: &Target, object: &Value) -> Result<DynamicObject, ApiError> {
        let params = PostParams { field_manager: Some(self.field_manager.to_string()), ..PostParams::default() };
        let request = verbs(target).replace(&target.name, &params, object.to_string().into_bytes());
        self.write(target, UPDATE, None, request).await
    }

    /// Checks whether the API server would create the object, without creating it.
    pub(crate) async fn try_create(&self, target: &Target, object: &Value) -> Result<(), ApiError> {
        let params = PostParams { field_manager: Some(self.field_manager.to_string()), dry_run: true };
        let request = verbs(target).create(&params, object.to_string().into_bytes());
        self.write(target, CREATE, None, request).await.map(drop)
    }

    /// Lists the metadata of the objects that match a label selector, or of the first ones only.
    pub(crate) async fn list_metadata(
        &self,
        kind: &KindInfo,
        namespace: Option<&str>,
        selector: &str,
        limit: Option<u32>,
    ) -> Result<Vec<DynamicObject>, ApiError> {
        let params = ListParams { limit, ..selected(selector) };
        let request = Verbs::new(DynamicObject::url_path(&kind.resource, namespace)).list_metadata(&params);
        self.listed_by(request, kind, namespace).await
    }

    /// A client for kube's discovery, whose calls are counted.
    pub(crate) fn discovery(&self) -> Client {
        let (client, meter) = self.sender.client.parts();
        counted(client, meter)
    }
}
