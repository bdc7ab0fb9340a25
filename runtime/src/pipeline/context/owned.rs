//! Methods for the objects that a step owns: apply, export, delete, list the names.

use std::collections::BTreeMap;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::core::ObjectMeta;

use super::Cx;
use super::futures::{Applied, Apply, Delete, List};
use super::reads::{target, undecoded};
use crate::api::{ApiError, BoxFuture, Target};
use crate::kind::typed;
use crate::pipeline::permission::OwnedBy;
use crate::pipeline::state::PassState;
use crate::pipeline::step::SubReconciler;
use crate::wiring::{How, Kind, KindInfo, Relation};

impl<S: SubReconciler> Cx<'_, S> {
    /// Applies an object that this step owns, by server-side apply.
    ///
    /// The namespace and the owner reference are set automatically. No request is sent if the same content was applied last and the object has
    /// not changed since.
    ///
    /// An existing object is updated in these cases:
    ///
    /// - The reconciled object is its controller.
    /// - It has no owner, and the field manager of this reconciler wrote it.
    /// - `owns(K, adopt = ..)` allows the takeover.
    ///
    /// Any other existing object is left unchanged, and the call fails with [`ApiError::Foreign`]. If the step returns this error, or an error
    /// that contains its text, the reconciled object waits with the reason `DependentForeign`, whatever the class of the author's error. It is
    /// reconciled again when the existing object is deleted or its owner changes.
    ///
    /// # Errors
    /// The call failed, the object has no name, or it belongs to another owner.
    pub fn apply<K: Kind + OwnedBy<S>>(&mut self, object: &K) -> Apply<'_, K> {
        let target = target::<K>(self.state, object.meta().name.as_deref().unwrap_or_default());
        let call = apply(self.state, S::WIRING.relations, target, serde_json::to_string(object));
        Apply { call, decode: |(target, applied)| typed(applied).map_err(|error| undecoded(target, &error)) }
    }

    /// Applies a Secret with this name and exactly this content, owned by the reconciled object.
    ///
    /// The rules of [`apply`](Self::apply) hold: a Secret of another owner is left unchanged, and no request is sent if nothing has changed.
    /// The values never appear in a log line, an event or a message.
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

    /// Applies a ConfigMap with this name and exactly this content, owned by the reconciled object.
    ///
    /// The rules of [`apply`](Self::apply) hold.
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

    /// Deletes an object that this step owns.
    ///
    /// The call succeeds if the object does not exist. An object of another owner is left unchanged and the call fails, as for
    /// [`apply`](Self::apply). While the reconciled object is being deleted, the call succeeds in this case, too.
    ///
    /// # Errors
    /// The call failed, or the object belongs to another owner.
    pub fn delete<K: Kind + OwnedBy<S>>(&mut self, name: &str) -> Delete<'_> {
        let target = target::<K>(self.state, name);
        let state = &mut *self.state;
        Delete(Box::pin(async move {
            let text = target.to_string();
            let deleted = state.backend.clone().delete(state.step_name(), target).await;
            deleted.map_err(|error| state.blocked_by(&text, error))
        }))
    }

    /// Lists the names of the objects of a kind that the reconciled object owns.
    ///
    /// The list includes objects that earlier passes created, so that a step can [delete](Self::delete) those that are no longer needed. The
    /// names come from the cache and from the writes of this operator, without a request to the API server.
    ///
    /// # Errors
    /// In an operator the call does not fail. In a [trial](crate::testing) of the step it reads from the API server, which can fail.
    pub fn owned<K: Kind + OwnedBy<S>>(&mut self) -> List<'_, Vec<String>> {
        let (step, backend) = (self.state.step_name(), self.state.backend.clone());
        List(Box::pin(async move { backend.owned(step, KindInfo::of::<K>()).await }))
    }
}

/// The relation by which the step owns the kind.
/// Applies an object whose text is `json`. Not generic, so that it is compiled once.
fn apply<'c>(
    state: &'c mut PassState,
    relations: &'static [Relation],
    target: Target,
    json: serde_json::Result<String>,
) -> BoxFuture<'c, Result<Applied, ApiError>> {
    Box::pin(async move {
        if target.name.is_empty() {
            return Err(ApiError::Invalid(format!("a {} without a name", target.kind.resource.kind).into()));
        }
        let json = json.map_err(|error| ApiError::Invalid(format!("{target} is not JSON: {error}").into()))?;
        let text = target.to_string();
        let (backend, relation) = (state.backend.clone(), owning(relations, &target.kind));
        match backend.apply(state.step_name(), relation, target, json).await {
            Ok(applied) => Ok((text, applied)),
            Err(error) => Err(state.blocked_by(&text, error)),
        }
    })
}

fn owning(relations: &[Relation], kind: &KindInfo) -> Relation {
    let declared = relations.iter().find(|relation| relation.how == How::Owns && relation.is_of(kind));
    declared.copied().unwrap_or(Relation::new(How::Owns, None))
}

fn named(name: &str) -> ObjectMeta {
    ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() }
}
