//! Reads of other objects by a step: the methods, the objects that a call selects, the relation and the decoding.

use std::fmt::Display;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::ResourceExt;
use kube::core::{DynamicObject, ObjectMeta};

use super::Cx;
use super::futures::{Get, List, Require, RequireReady};
use crate::api::{ApiError, BoxFuture, Selection, Target};
use crate::dependency::{NotReady, Readiness, Reference, Unfit, readiness_of};
use crate::kind::typed;
use crate::pipeline::mapping::mapped_to;
use crate::pipeline::permission::{CachedBy, IndexedBy, ListedBy, MappedBy, ReadBy, WatchedBy};
use crate::pipeline::state::PassState;
use crate::pipeline::step::{Absent, SubReconciler};
use crate::wiring::index::{Index, entry};
use crate::wiring::{How, Kind, KindInfo, Relation};

impl<S: SubReconciler> Cx<'_, S> {
    /// A number that rises each time another replica becomes the leader; 0 without [replicas](crate::guide::replicas).
    ///
    /// Send it along with changes outside of the cluster. A system that refuses a smaller number than the largest one that it has seen is
    /// safe from late requests of a former leader.
    ///
    /// ```ignore
    /// store.put(key, value, FencingToken(cx.epoch())).await?;
    /// ```
    ///
    /// Source: fencing tokens, <https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html>. The number is the
    /// `leaseTransitions` of the Lease.
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.state.backend.epoch()
    }

    /// Reads an object that this step requires.
    ///
    /// Takes a name, or a [`Reference`] to an object in another namespace: `cx.require::<Secret>(Reference::new(Some("infra"), "ca"))`. The
    /// operator must watch that namespace and allow the reference ([`Access`](crate::dependency::Access)). By default the object is read from
    /// the namespace of the reconciled object.
    ///
    /// # Errors
    /// [`Absent`]: the object does not exist or cannot be read. When it appears or changes, a reconcile is triggered. If it cannot be read,
    /// the pass is repeated with back-off, although the class of the error is `waiting`. If the operator does not allow the reference, the
    /// reconciled object becomes Stalled.
    pub fn require<K: Kind + WatchedBy<S>>(&mut self, object: impl Into<Reference>) -> Require<'_, K> {
        let reference = object.into();
        let name = reference.to_string();
        let found = lookup(self.state, S::WIRING.relations, &reference, WATCHED);
        Require(Box::pin(async move {
            match found.await {
                Ok(Some(object)) => Ok(object),
                Ok(None) => Err(Absent::new(name)),
                Err(error) => Err(Absent::unreadable(name, error)),
            }
        }))
    }

    /// Reads an object by name; `None` if it does not exist.
    ///
    /// An object of a watched kind comes from the cache, one of any other kind from the API server. Takes a name, or a [`Reference`] to an
    /// object in another namespace, as [`require`](Self::require).
    ///
    /// # Errors
    /// The call failed, the object cannot be decoded, or the operator does not allow the reference.
    pub fn get<K: Kind + ReadBy<S>>(&mut self, object: impl Into<Reference>) -> Get<'_, K> {
        Get(lookup(self.state, S::WIRING.relations, &object.into(), READ))
    }

    /// Lists all objects of a kind that this step watches by label.
    ///
    /// The list contains the objects that match the selector, ordered by namespace and name. If the reconciled object has a namespace, only
    /// objects in this namespace are listed. They come from the cache. The creation, change or deletion of such an object triggers a reconcile.
    ///
    /// # Errors
    /// The watch fails, or an object cannot be decoded.
    pub fn list<K: Kind + ListedBy<S>>(&mut self) -> List<'_, Vec<K>> {
        let all = selection(self.state, S::WIRING.relations, KindInfo::of::<K>(), None);
        List(listed(self.state, all))
    }

    /// Lists the same objects as [`list`](Self::list), but from another namespace, which the operator must watch.
    ///
    /// # Errors
    /// Same as [`list`](Self::list), or the operator does not watch the namespace or does not allow references to it.
    pub fn list_in<K: Kind + ListedBy<S>>(&mut self, namespace: &str) -> List<'_, Vec<K>> {
        if let Err(refused) = allowed(self.state, &Reference::new(Some(namespace), "*"), &KindInfo::of::<K>()) {
            return List(Box::pin(std::future::ready(Err(refused))));
        }
        let all = selection_in(self.state, S::WIRING.relations, KindInfo::of::<K>(), Some(namespace.to_owned()), None);
        List(listed(self.state, all))
    }

    /// Lists the objects that an [`Index`] has under the key: `cx.indexed(ByUser, "alice")`.
    ///
    /// The kind must be watched by label. Order and source are those of [`list`](Self::list), and so is the namespace: if the reconciled
    /// object has one, the list contains only objects in it, so a key that is unique in the list may exist in another namespace. A change to
    /// an object that is or was under the key triggers a reconcile; changes to other objects do not.
    ///
    /// # Errors
    /// The watch fails, or an object cannot be decoded.
    pub fn indexed<I: Index + IndexedBy<S>>(&mut self, _: I, key: &str) -> List<'_, Vec<I::Object>> {
        let entry = entry(I::NAME, key);
        let found = selection(self.state, S::WIRING.relations, KindInfo::of::<I::Object>(), Some(&entry));
        List(listed(self.state, found))
    }

    /// Lists the objects that map to the reconciled object, by the function in `watches(K, labels = "..", map = f)`.
    ///
    /// They come from the cache, from all namespaces that the operator watches, ordered by namespace and name.
    ///
    /// # Errors
    /// The watch fails, or an object cannot be decoded.
    pub fn mapped<K: Kind + MappedBy<S>>(&mut self) -> List<'_, Vec<K>> {
        let (kind, namespace, name) = (KindInfo::of::<K>(), self.state.namespace.as_deref(), &*self.state.name);
        let mut relations = S::WIRING.relations.iter().filter(|relation| relation.is_of(&kind));
        let found = relations.find_map(|relation| Some((*relation, mapped_to(relation, namespace, name)?)));
        // An erroneous step declares nothing.
        let found = found.unwrap_or_else(|| selection(self.state, S::WIRING.relations, kind, None));
        List(listed(self.state, found))
    }

    /// Lists the metadata of the objects of a kind, from the cache.
    ///
    /// The step must cache at least the metadata of the kind (`cache = metadata` or `full`).
    ///
    /// - For a kind that the step watches by label, the list covers the same objects as [`list`](Self::list).
    /// - For a kind that the step owns, it covers the objects owned by the reconciled object, ordered by name.
    ///
    /// # Errors
    /// The watch fails.
    pub fn metadata<K: Kind + CachedBy<S>>(&mut self) -> List<'_, Vec<ObjectMeta>> {
        let (relation, target) = selection(self.state, S::WIRING.relations, KindInfo::of::<K>(), None);
        let state = &mut *self.state;
        List(Box::pin(async move {
            let found = state.backend.clone().metadata(state.step_name(), relation, target).await;
            found.map_err(|error| state.failed_call(error))
        }))
    }

    /// Reads the owner of the object that is of kind `K`.
    ///
    /// With `polls(K)` and `reads(K)` the owner comes from the API server. Returns `None` if the object has no owner of this kind, or if the
    /// owner no longer exists.
    ///
    /// # Errors
    /// The call failed, or the owner cannot be decoded.
    pub fn owner<K: Kind + ReadBy<S>>(&mut self, object: &S::Object) -> Get<'_, K> {
        let is_owner = |reference: &&OwnerReference| {
            let group = reference.api_version.rsplit_once('/').map_or("", |(group, _)| group);
            reference.kind == K::kind(&()) && group == K::group(&())
        };
        let Some(owner) = object.owner_references().iter().find(is_owner).cloned() else {
            return Get(Box::pin(std::future::ready(Ok(None))));
        };
        let found = lookup::<K>(self.state, S::WIRING.relations, &Reference::new(None, &owner.name), READ);
        // An object with the same name and another UID is not the owner.
        let is_same = move |found: &K| found.meta().uid.as_ref() == Some(&owner.uid);
        Get(Box::pin(async move { Ok(found.await?.filter(is_same)) }))
    }

    /// Creates the error for an object that exists but cannot be used yet, such as a Secret without a required key.
    ///
    /// The error names the object and the missing part. Each change to the object triggers a reconcile.
    ///
    /// ```ignore
    /// let token = data.get("token").ok_or_else(|| cx.unfit(&secret, "the key `token` is missing"))?;
    /// ```
    #[must_use]
    pub fn unfit<K: Kind + WatchedBy<S>>(&self, object: &K, missing: impl Display) -> Unfit<K> {
        let elsewhere = object.namespace().filter(|there| self.state.namespace.as_ref() != Some(there));
        let name = elsewhere.iter().fold(object.name_any(), |name, there| format!("{there}/{name}"));
        Unfit::new(name, missing)
    }

    /// Reads a referenced object that must be [ready](crate::dependency::readiness).
    ///
    /// The object is read from the namespace of the reference, or by default from the namespace of the reconciled object.
    ///
    /// # Errors
    /// [`NotReady`]: the object does not exist, is not ready, or cannot be read. A change to it triggers a reconcile. If it cannot be read, the
    /// pass is repeated with back-off.
    ///
    /// In two cases the reconciled object becomes Stalled:
    ///
    /// - The operator does not allow references to the other namespace ([`Access`](crate::dependency::Access)).
    /// - The reference contains an expression; expressions are not evaluated yet.
    pub fn require_ready<K: Kind + WatchedBy<S>>(&mut self, reference: &Reference) -> RequireReady<'_, K> {
        let (reference, kind) = (reference.clone(), KindInfo::of::<K>());
        if let Err(refused) = allowed(self.state, &reference, &kind) {
            return RequireReady(Box::pin(async move { Err(NotReady::new(reference, refused.to_string())) }));
        }
        let target = referenced(self.state, &reference, kind);
        let relation = relation(S::WIRING.relations, &target.kind, WATCHED);
        self.state.references.insert(target.to_string());
        let state = &mut *self.state;
        let found = async move {
            let kind = target.kind.clone();
            let found = read(state, relation, target).await;
            let found = found.map_err(|error| format!("it cannot be read: {error}"))?;
            let object = found.ok_or_else(|| "it does not exist yet".to_owned())?;
            match readiness_of(&object, &kind) {
                Readiness::Ready => typed(&object).map_err(|error| format!("it cannot be decoded: {error}")),
                Readiness::NotReady(why) => Err(why),
            }
        };
        RequireReady(Box::pin(async move { found.await.map_err(|why| NotReady::new(reference, why)) }))
    }
}

/// The relation for reads by a step that declares nothing, since it may do everything.
const READ: Relation = Relation::new(How::Reads, None);
/// The same as [`READ`], for an object that the step requires.
const WATCHED: Relation = Relation::new(How::WatchesByName, None);

/// The relation by which the step reads the kind. Watches take precedence.
fn relation(declared: &[Relation], kind: &KindInfo, undeclared: Relation) -> Relation {
    let mut declared = declared.iter().filter(|relation| relation.is_of(kind));
    let best = declared.clone().find(|relation| relation.how.is_watch()).or_else(|| declared.next());
    best.copied().unwrap_or(undeclared)
}

/// The target for a name, in the namespace of the reconciled object if the kind is namespaced.
pub(super) fn target<K: Kind>(state: &PassState, name: &str) -> Target {
    target_in(state, KindInfo::of::<K>(), None, name)
}

/// The target of a reference.
fn referenced(state: &PassState, reference: &Reference, kind: KindInfo) -> Target {
    target_in(state, kind, reference.namespace.as_deref(), &reference.name)
}

/// The target in a namespace; `None`: that of the reconciled object.
pub(super) fn target_in(state: &PassState, kind: KindInfo, namespace: Option<&str>, name: &str) -> Target {
    let namespace = namespace.or(state.namespace.as_deref()).filter(|_| kind.namespaced);
    Target { namespace: namespace.map(ToOwned::to_owned), name: name.to_owned(), kind }
}

/// Checks that a step may follow the reference. If not, the object becomes Stalled.
pub(super) fn allowed(state: &mut PassState, reference: &Reference, kind: &KindInfo) -> Result<(), ApiError> {
    let denied = || state.backend.access().refusal(state.namespace.as_deref(), reference);
    let Some(refusal) = reference.refusal().or_else(|| denied().filter(|_| kind.namespaced)) else { return Ok(()) };
    let message = refusal.message.clone();
    state.refuse(refusal);
    Err(ApiError::Invalid(message.into()))
}

/// Gets an object by its reference.
fn lookup<'c, K: Kind>(
    state: &'c mut PassState,
    declared: &[Relation],
    reference: &Reference,
    undeclared: Relation,
) -> BoxFuture<'c, Result<Option<K>, ApiError>> {
    let kind = KindInfo::of::<K>();
    if let Err(refused) = allowed(state, reference, &kind) {
        return Box::pin(std::future::ready(Err(refused)));
    }
    let target = referenced(state, reference, kind);
    let relation = relation(declared, &target.kind, undeclared);
    if relation.how.is_watch() {
        state.references.insert(target.to_string());
    }
    Box::pin(async move {
        let text = target.to_string();
        let Some(object) = read(state, relation, target).await? else { return Ok(None) };
        typed(&object).map(Some).map_err(|error| undecoded(&text, &error))
    })
}

/// Reads an object.
async fn read(
    state: &mut PassState,
    relation: Relation,
    target: Target,
) -> Result<Option<Arc<DynamicObject>>, ApiError> {
    let found = state.backend.clone().get(state.step_name(), relation, target).await;
    found.map_err(|error| state.failed_call(error))
}

/// The objects that a listing covers: those of a kind that the step watches by label, those under an index entry, or, for an owned kind,
/// those that the object owns.
fn selection(
    state: &mut PassState,
    declared: &[Relation],
    kind: KindInfo,
    entry: Option<&str>,
) -> (Relation, Selection) {
    let namespace = state.namespace.clone();
    selection_in(state, declared, kind, namespace, entry)
}

/// The same as [`selection`], in this namespace.
fn selection_in(
    state: &mut PassState,
    declared: &[Relation],
    kind: KindInfo,
    namespace: Option<String>,
    entry: Option<&str>,
) -> (Relation, Selection) {
    let mut of_kind = declared.iter().filter(|relation| relation.is_of(&kind));
    let selects = of_kind.clone().find(|relation| relation.how.selector().is_some());
    let relation = *selects.or_else(|| of_kind.next()).unwrap_or(&READ);
    let selector = relation.how.selector().unwrap_or_default();
    let all = Selection::new(kind, namespace, selector);
    let selection = entry.iter().fold(all, |all, entry| all.under(entry));
    if relation.how.is_watch() {
        state.references.insert(selection.to_string());
    }
    (relation, selection)
}

/// Lists the objects of a selection.
fn listed<K: Kind>(
    state: &mut PassState,
    (relation, selection): (Relation, Selection),
) -> BoxFuture<'_, Result<Vec<K>, ApiError>> {
    Box::pin(async move {
        let text = selection.to_string();
        let objects = state.backend.clone().list(state.step_name(), relation, selection).await;
        let objects = objects.map_err(|error| state.failed_call(error))?;
        let decoded = objects.iter().map(|object| typed(object)).collect::<Result<Vec<K>, _>>();
        decoded.map_err(|error| undecoded(&text, &error))
    })
}

/// The error for an object that cannot be decoded as its type.
pub(in crate::pipeline) fn undecoded(target: &str, error: &serde_json::Error) -> ApiError {
    ApiError::Failed(format!("{target} cannot be decoded: {error}").into())
}
