//! The objects that a step owns: applied, exported, named, deleted.

use std::collections::BTreeMap;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::core::ObjectMeta;

use super::Cx;
use super::futures::{Apply, Delete, List};
use super::reads::{target, undecoded};
use crate::api::ApiError;
use crate::pipeline::permission::OwnedBy;
use crate::pipeline::step::SubReconciler;
use crate::wiring::{How, Kind, KindInfo, Relation};

impl<S: SubReconciler> Cx<'_, S> {
    /// Server-side apply of an object that this step owns. Namespace and owner reference are filled in; nothing is sent where the
    /// same was applied last and the object has not changed since.
    ///
    /// An object that is there already is updated if it is ours: its controller is the reconciled object, or it has no owner and our field
    /// manager wrote it. Any other is left as it is, unless `owns(K, adopt = ..)` says otherwise: then the step fails with
    /// [`ApiError::Foreign`], and where it hands on the error, or its text, the object waits with the reason `DependentForeign`, whatever the
    /// class of the author's error. It is reconciled again when that object is deleted or its owner changes.
    ///
    /// # Errors
    /// The call failed, the object has no name, or belongs to another owner.
    pub fn apply<K: Kind + OwnedBy<S>>(&mut self, object: &K) -> Apply<'_, K> {
        let target = object.meta().name.as_deref().map(|name| target::<K>(self.state, name));
        let value = serde_json::to_value(object);
        let state = &mut *self.state;
        Apply(Box::pin(async move {
            let target = target.ok_or_else(|| ApiError::Invalid(format!("a {} without a name", K::kind(&()))))?;
            let value = value.map_err(|error| ApiError::Invalid(format!("{target} is not JSON: {error}")))?;
            let text = target.to_string();
            let (backend, relation) = (state.backend.clone(), owning(S::WIRING.relations, &target.kind));
            let applied = backend.apply(state.step_name(), relation, target, value).await;
            let applied = applied.map_err(|error| state.blocked_by(&text, error))?;
            let decoded = serde_json::to_value(&*applied).and_then(serde_json::from_value);
            decoded.map_err(|error| undecoded(&text, &error))
        }))
    }

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

    /// Deletes an object that this step owns; one that is not there is fine. One that is not ours is left as it is, as in
    /// [`apply`](Self::apply); where the reconciled object is being deleted, that counts as not there.
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

    /// The names of the objects of a kind that this step owns and that belong to the reconciled object, whichever pass made them: what is
    /// not wanted any more can be [deleted](Self::delete). They come from the cache and our own writes, without a call.
    ///
    /// # Errors
    /// None in an operator; a [trial](crate::testing) of the step asks the API server.
    pub fn owned<K: Kind + OwnedBy<S>>(&mut self) -> List<'_, Vec<String>> {
        let (step, backend) = (self.state.step_name(), self.state.backend.clone());
        List(Box::pin(async move { backend.owned(step, KindInfo::of::<K>()).await }))
    }
}

/// How the step owns the kind.
fn owning(relations: &[Relation], kind: &KindInfo) -> Relation {
    let declared = relations.iter().find(|relation| relation.how == How::Owns && relation.is_of(kind));
    declared.copied().unwrap_or(Relation::new(How::Owns, None))
}

fn named(name: &str) -> ObjectMeta {
    ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() }
}
