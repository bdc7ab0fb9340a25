//! Secrets and config maps that a step exports: what it found out, under a name that others read.

use std::collections::BTreeMap;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::core::ObjectMeta;

use super::Cx;
use super::futures::Apply;
use crate::pipeline::permission::OwnedBy;
use crate::pipeline::step::SubReconciler;

impl<S: SubReconciler> Cx<'_, S> {
    /// Keeps a Secret of this name with just this content, owned by the reconciled object: an [`apply`](Self::apply), so an object of
    /// another owner is left as it is. Nothing is sent where nothing has changed, and no value stands in a log, an event or a message.
    ///
    /// # Errors
    /// The object belongs to another owner, or the call failed.
    pub fn export_secret<N, V>(&mut self, name: &str, data: impl IntoIterator<Item = (N, V)>) -> Apply<'_, Secret>
    where
        Secret: OwnedBy<S>,
        N: Into<String>,
        V: Into<Vec<u8>>,
    {
        let data = data.into_iter().map(|(key, value)| (key.into(), ByteString(value.into()))).collect();
        self.apply(&Secret { metadata: named(name), data: Some(data), ..Secret::default() })
    }

    /// Keeps a ConfigMap of this name with just this content, as [`export_secret`](Self::export_secret) does a Secret.
    ///
    /// # Errors
    /// The object belongs to another owner, or the call failed.
    pub fn export_config_map<N, V>(
        &mut self,
        name: &str,
        data: impl IntoIterator<Item = (N, V)>,
    ) -> Apply<'_, ConfigMap>
    where
        ConfigMap: OwnedBy<S>,
        N: Into<String>,
        V: Into<String>,
    {
        let data: BTreeMap<String, String> = data.into_iter().map(|(key, value)| (key.into(), value.into())).collect();
        self.apply(&ConfigMap { metadata: named(name), data: Some(data), ..ConfigMap::default() })
    }
}

fn named(name: &str) -> ObjectMeta {
    ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() }
}
