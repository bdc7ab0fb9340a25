//! Methods for the objects that a step owns: apply, export, delete, list the names.

use std::collections::BTreeMap;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::core::ObjectMeta;

use super::Cx;
use super::futures::{Applied, Apply, Delete, List};
use super::reads::{allowed, target, target_in, undecoded};
use crate::api::{ApiError, BoxFuture, Target};
use crate::dependency::Reference;
use crate::kind::typed;
use crate::pipeline::permission::{OwnedAnywhereBy, OwnedBy};
use crate::pipeline::state::PassState;
use crate::pipeline::step::SubReconciler;
use crate::wiring::{How, Kind, KindInfo, Relation};

impl<S: SubReconciler> Cx<'_, S> {
    /// Applies an object that this step owns, by server-side apply.
    ///
    /// The namespace, the labels of `owns(K, labels = "..")` and the owner reference are set automatically. No request is sent if the same
    /// content was applied last and the object has not changed since.
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

    /// Applies an object that this step owns, in any namespace that the operator watches.
    ///
    /// The step declares `owns(K, namespaces = any)`. The rules of [`apply`](Self::apply) hold, except for the owner reference: it does not cross
    /// namespaces, so the object gets the annotation `evenkeel.dev/owner` and the label `evenkeel.dev/dependent-of` instead. The finalizer of the
    /// reconciled object deletes it. In the namespace of the reconciled object, or if that is cluster-scoped, it gets an owner reference.
    ///
    /// # Errors
    /// Same as [`apply`](Self::apply), or the operator does not watch the namespace. If it does not allow references to other namespaces
    /// ([`Access`](crate::dependency::Access)), the reconciled object becomes Stalled.
    pub fn apply_in<K: Kind + OwnedBy<S> + OwnedAnywhereBy<S>>(&mut self, namespace: &str, object: &K) -> Apply<'_, K> {
        let target = elsewhere(self.state, KindInfo::of::<K>(), namespace, object.meta().name.as_deref());
        let call: BoxFuture<'_, _> = match target {
            Ok(target) => apply(self.state, S::WIRING.relations, target, serde_json::to_string(object)),
            Err(refused) => Box::pin(std::future::ready(Err(refused))),
        };
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
        Delete(delete(self.state, S::WIRING.relations, target))
    }

    /// Deletes an object that this step owns in another namespace.
    ///
    /// The rules of [`delete`](Self::delete) hold. When the reconciled object is deleted, this happens without a call.
    ///
    /// # Errors
    /// Same as [`delete`](Self::delete), or the operator does not allow the reference.
    pub fn delete_in<K: Kind + OwnedBy<S> + OwnedAnywhereBy<S>>(&mut self, namespace: &str, name: &str) -> Delete<'_> {
        match elsewhere(self.state, KindInfo::of::<K>(), namespace, Some(name)) {
            Ok(target) => Delete(delete(self.state, S::WIRING.relations, target)),
            Err(refused) => Delete(Box::pin(std::future::ready(Err(refused)))),
        }
    }

    /// Lists the names of the objects of a kind that the reconciled object owns.
    ///
    /// The list includes objects that earlier passes created, so that a step can [delete](Self::delete) those that are no longer needed. The
    /// names come from the cache and from the writes of this operator, without a request to the API server.
    ///
    /// # Errors
    /// In an operator the call does not fail. In a [trial](crate::testing) of the step it reads from the API server, which can fail.
    pub fn owned<K: Kind + OwnedBy<S>>(&mut self) -> List<'_, Vec<String>> {
        let Target { kind, namespace, .. } = target::<K>(self.state, "");
        let state = &mut *self.state;
        List(Box::pin(async move {
            let all = owned_by(state, kind).await?;
            Ok(all.into_iter().filter(|target| target.namespace == namespace).map(|target| target.name).collect())
        }))
    }

    /// Lists the objects of a kind that the reconciled object owns in any namespace, ordered by namespace and name.
    ///
    /// A step can [delete](Self::delete_in) those that it no longer needs. They come from the cache, as in [`owned`](Self::owned).
    ///
    /// # Errors
    /// Same as [`owned`](Self::owned).
    pub fn owned_anywhere<K: Kind + OwnedBy<S> + OwnedAnywhereBy<S>>(&mut self) -> List<'_, Vec<Reference>> {
        let state = &mut *self.state;
        List(Box::pin(async move {
            let all = owned_by(state, KindInfo::of::<K>()).await?;
            Ok(all.into_iter().map(|target| Reference::new(target.namespace.as_deref(), &target.name)).collect())
        }))
    }
}

/// The owned objects of a kind.
async fn owned_by(state: &mut PassState, kind: KindInfo) -> Result<Vec<Target>, ApiError> {
    let owned = state.backend.clone().owned(state.step_name(), kind).await;
    owned.map_err(|error| state.failed_call(error))
}

/// The target in another namespace, if the operator allows references to it.
fn elsewhere(state: &mut PassState, kind: KindInfo, namespace: &str, name: Option<&str>) -> Result<Target, ApiError> {
    let name = name.unwrap_or_default();
    if !name.is_empty() {
        allowed(state, &Reference::new(Some(namespace), name), &kind)?;
    }
    Ok(target_in(state, kind, Some(namespace), name))
}

/// Deletes an owned object. Not generic, so that it is compiled once.
fn delete<'c>(
    state: &'c mut PassState,
    relations: &'static [Relation],
    target: Target,
) -> BoxFuture<'c, Result<(), ApiError>> {
    Box::pin(async move {
        let (text, relation) = (target.to_string(), owning(relations, &target.kind));
        let deleted = state.backend.clone().delete(state.step_name(), target).await;
        deleted.map_err(|error| state.failed_write(&text, relation, error))
    })
}

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
            Err(error) => Err(state.failed_write(&text, relation, error)),
        }
    })
}

/// The relation by which the step owns the kind.
fn owning(relations: &[Relation], kind: &KindInfo) -> Relation {
    let declared = relations.iter().find(|relation| relation.how == How::Owns && relation.is_of(kind));
    declared.copied().unwrap_or(Relation::new(How::Owns, None))
}

fn named(name: &str) -> ObjectMeta {
    ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() }
}
