//! Writes and deletes the objects that a step owns, and never those of another owner.
//!
//! No write relies on an earlier state of the cache. A create fails if the name is taken, an update carries the uid of its object, a
//! take-over and a deletion carry the version, too. The server refuses the write if the object appeared or changed meanwhile; it is then
//! read again.

use kube::api::{DynamicObject, ObjectMeta};
use serde_json::{Map, Value, json};

use super::calls::Calls;
use crate::api::adoption::{Claimant, OwnerUids, Ownership, RefusedCall};
use crate::api::{ApiError, Target};
use crate::queue::Key;
use crate::watch::RelatedCaches;
use crate::wiring::relation::Adopt;

/// Maximum number of attempts of a write that finds another object each time.
const TRIES: usize = 4;

/// One object that a step writes or deletes.
pub(crate) struct Owned<'a> {
    pub(crate) calls: &'a Calls,
    pub(crate) claimant: Claimant<'a>,
    pub(crate) target: &'a Target,
    /// The reconciled object, which is enqueued when an object of another owner changes its owner or is deleted.
    pub(crate) subscriber: Option<(&'a RelatedCaches, &'a Key)>,
}

/// A version of an object.
#[derive(Clone, Debug)]
pub(crate) struct KnownVersion {
    pub(crate) uid: String,
    pub(crate) resource_version: String,
}

/// The next write.
enum Write {
    /// Server-side apply with version 1, which no object has: it creates the object or ends with a conflict.
    Create,
    /// A POST, for servers that reject a version on create.
    Post,
    /// Server-side apply to the object with this uid.
    Update(String),
    /// A take-over of this version, which is not ours.
    Adopt(Box<ObjectMeta>),
}

/// The mismatch that an error indicates.
enum Mismatch {
    /// The object is not the one that the write was meant for.
    Another,
    /// The server rejects a version on create, as servers before 1.23 do for a Service.
    VersionOfNothing,
}

impl Owned<'_> {
    /// Applies the object. `known`: its uid, if it is known to be ours.
    pub(crate) async fn apply(
        &self,
        adopt: Adopt,
        object: &Value,
        known: Option<String>,
    ) -> Result<DynamicObject, ApiError> {
        let mut write = known.map_or(Write::Create, Write::Update);
        let mut tries = 1;
        loop {
            let error = match self.send(&write, object).await {
                Ok(written) => return Ok(written),
                Err(error) => error,
            };
            let is_invalid = matches!(error, ApiError::Invalid(_));
            write = match mismatch(&write, &error) {
                None => return Err(error),
                Some(_) if tries == TRIES => return Err(error),
                Some(Mismatch::VersionOfNothing) => Write::Post,
                Some(Mismatch::Another) => match self.recheck(adopt).await? {
                    // No object has the name, so the object that was sent is invalid.
                    Write::Create if is_invalid => return Err(error),
                    write => write,
                },
            };
            tries += 1;
        }
    }

    async fn send(&self, write: &Write, object: &Value) -> Result<DynamicObject, ApiError> {
        match write {
            Write::Create => self.calls.apply(self.target, &of_version(object, None, Some("1"))).await,
            Write::Post => self.post(object).await,
            Write::Update(uid) => self.calls.apply(self.target, &of_version(object, Some(uid), None)).await,
            Write::Adopt(meta) => self.take(meta, object).await,
        }
    }

    /// Creates the object, then converts its field ownership to `Apply`, so that a later apply removes the fields that it leaves out.
    async fn post(&self, object: &Value) -> Result<DynamicObject, ApiError> {
        let posted = self.calls.whole().create(self.target, object).await?;
        let mut managers = json!(posted.metadata.managed_fields);
        let entries = managers.as_array_mut().into_iter().flatten();
        entries.filter(|entry| entry["manager"] == *self.calls.field_manager).for_each(|entry| {
            entry["operation"] = json!("Apply");
        });
        let version = &posted.metadata.resource_version;
        let patch = json!({ "metadata": { "resourceVersion": version, "managedFields": managers } });
        self.calls.merge(self.target, &patch).await
    }

    /// Takes the object over in the version that was read. Another controller's reference is removed first, as the server allows one only; so
    /// are the field managers of an earlier tool, as the fields that it set and the object does not have any more would stay otherwise.
    async fn take(&self, meta: &ObjectMeta, object: &Value) -> Result<DynamicObject, ApiError> {
        let mut version = meta.resource_version.clone();
        let owners = meta.owner_references.as_deref().unwrap_or_default();
        let others: Vec<_> = owners.iter().filter(|owner| owner.controller != Some(true)).collect();
        let mut changes = Map::new();
        if others.len() < owners.len() {
            changes.insert("ownerReferences".into(), json!(others));
        }
        changes.extend(self.claimant.taken_over(meta).map(|entries| ("managedFields".into(), entries)));
        if !changes.is_empty() {
            changes.insert("resourceVersion".into(), json!(version));
            version = self.calls.merge(self.target, &json!({ "metadata": changes })).await?.metadata.resource_version;
        }
        let taken = self.calls.apply(self.target, &of_version(object, meta.uid.as_deref(), version.as_deref())).await?;
        tracing::info!(object = %self.target, "adopted the object, as `adopt` permits");
        Ok(taken)
    }

    /// Chooses the next write from the live object.
    async fn recheck(&self, adopt: Adopt) -> Result<Write, ApiError> {
        let Some(meta) = self.live().await? else { return Ok(Write::Create) };
        let ownership = self.claimant.ownership(&self.target.kind, &meta);
        match &ownership {
            Ownership::Ours => {}
            ownership if !ownership.may_adopt(adopt) => {
                let is_set = self.claimant.owner.set.is_some();
                let call = if is_set { RefusedCall::ApplyDependent } else { RefusedCall::Apply };
                return Err(self.refuse(ownership, &meta, call));
            }
            _ => {
                self.free();
                return Ok(Write::Adopt(Box::new(meta)));
            }
        }
        self.free();
        Ok(Write::Update(meta.uid.unwrap_or_default()))
    }

    /// Deletes the object if it is ours; an absent object is no error. `known`: the version that is known to be ours.
    pub(crate) async fn delete(&self, mut known: Option<KnownVersion>) -> Result<(), ApiError> {
        for _ in 1..TRIES {
            let Some(version) = self.ours(known.take()).await? else { return Ok(()) };
            match self.calls.delete(self.target, &version.uid, &version.resource_version).await {
                Err(ApiError::Conflict(_)) => {}
                answer => return answer,
            }
        }
        Err(ApiError::Conflict(format!("{} changed before each attempt to delete it", self.target).into()))
    }

    /// The version to delete; `None`: the object does not exist.
    async fn ours(&self, known: Option<KnownVersion>) -> Result<Option<KnownVersion>, ApiError> {
        if known.is_some() {
            return Ok(known);
        }
        let Some(meta) = self.live().await? else { return Ok(None) };
        match self.claimant.ownership(&self.target.kind, &meta) {
            Ownership::Ours => {
                self.free();
                let (uid, version) = (meta.uid.unwrap_or_default(), meta.resource_version.unwrap_or_default());
                Ok(Some(KnownVersion { uid, resource_version: version }))
            }
            ownership => Err(self.refuse(&ownership, &meta, RefusedCall::Delete)),
        }
    }

    /// The metadata of the live object, including `managedFields`.
    async fn live(&self) -> Result<Option<ObjectMeta>, ApiError> {
        if let Some((relations, key)) = self.subscriber {
            // Subscribe before the read, so that any later change triggers a reconcile.
            relations.foreign().expect(key, self.target);
        }
        Ok(self.calls.whole().get(self.target).await?.map(|object| object.metadata))
    }

    fn refuse(&self, ownership: &Ownership, meta: &ObjectMeta, call: RefusedCall) -> ApiError {
        if let Some((relations, key)) = self.subscriber {
            relations.foreign().block(key, self.target, ownership.is_shown_by_uids().then(|| OwnerUids::of(meta)));
        }
        ApiError::Foreign(ownership.refusal(self.target, call).into())
    }

    /// Ends the subscription to the object, as no other owner blocks the write.
    fn free(&self) {
        if let Some((relations, key)) = self.subscriber {
            relations.foreign().free(key, self.target);
        }
    }
}

fn of_version(object: &Value, uid: Option<&str>, version: Option<&str>) -> Value {
    let mut object = object.clone();
    let meta = &mut object["metadata"];
    if let Some(uid) = uid {
        meta["uid"] = json!(uid);
    }
    if let Some(version) = version {
        meta["resourceVersion"] = json!(version);
    }
    object
}

/// The mismatch that may have caused the error; `None`: it has another cause.
fn mismatch(write: &Write, error: &ApiError) -> Option<Mismatch> {
    match (write, error) {
        (_, ApiError::Conflict(_)) | (Write::Adopt(_), ApiError::NotFound(_)) => Some(Mismatch::Another),
        (Write::Create, ApiError::Failed(text)) if text.contains("resourceVersion should not be set") => {
            Some(Mismatch::VersionOfNothing)
        }
        // Kubernetes 1.20 merges a Service with the existing one and validates the result before it checks the version.
        (Write::Create, ApiError::Invalid(_)) => Some(Mismatch::Another),
        // Another uid, or a second controller.
        (Write::Update(_) | Write::Adopt(_), ApiError::Invalid(text)) => {
            let is_another = text.contains("metadata.uid") || text.contains("Only one reference can have Controller");
            is_another.then_some(Mismatch::Another)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;

    use super::*;
    use crate::api::Owner;
    use crate::pass::api::scripted::{Answer, Script, absent, conflict, error, object, target};
    use crate::queue::Queue;
    use crate::watch::{Health, Scope, SharedWatches, Streaming};
    use crate::wiring::{KindInfo, Wiring};

    /// The object with this controller: `o` is ours, and all others are of another kind.
    fn owned_by(version: &str, uid: &str) -> Answer {
        let (kind, name) = (if uid == "o" { "Pod" } else { "Node" }, format!("pod-{uid}"));
        let owner = json!({ "apiVersion": "v1", "kind": kind, "name": name, "uid": uid, "controller": true });
        object(version, &json!({ "ownerReferences": [owner] }))
    }

    /// Runs a call on the object for the owner `o`.
    async fn as_owner<T>(
        script: &Script,
        run: impl AsyncFnOnce(Owned<'_>) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        let reference = OwnerReference {
            api_version: "v1".into(),
            kind: "Pod".into(),
            name: "pod-o".into(),
            uid: "o".into(),
            controller: Some(true),
            block_owner_deletion: None,
        };
        let owner = Owner { reference, namespace: Some("a".into()), set: None };
        let claimant = Claimant::new(&owner, "tester");
        run(Owned { calls: &script.calls, claimant, target: &target(), subscriber: None }).await
    }

    async fn applied(script: &Script, adopt: Adopt, known: Option<&str>) -> Result<DynamicObject, ApiError> {
        let object = json!({ "metadata": { "name": "x" } });
        as_owner(script, async |owned: Owned<'_>| owned.apply(adopt, &object, known.map(Into::into)).await).await
    }

    #[tokio::test]
    async fn an_apply_that_keeps_conflicting_is_sent_four_times() {
        let rounds = (1..20).flat_map(|version| [conflict(), owned_by(&version.to_string(), "o")]);
        let script = Script::new(rounds);
        assert!(matches!(applied(&script, Adopt::Never, Some("u")).await, Err(ApiError::Conflict(_))));
        assert_eq!((script.times("PATCH x"), script.times("GET x")), (TRIES, TRIES - 1));
    }

    #[tokio::test]
    async fn create_sends_version_one_and_update_the_uid() {
        let script = Script::new([object("2", &json!({}))]);
        applied(&script, Adopt::Never, None).await.unwrap();
        assert_eq!(script.sent()[0]["metadata"], json!({ "name": "x", "resourceVersion": "1" }));
        let script = Script::new([object("2", &json!({}))]);
        applied(&script, Adopt::Never, Some("u")).await.unwrap();
        assert_eq!(script.sent()[0]["metadata"], json!({ "name": "x", "uid": "u" }));
    }

    #[tokio::test]
    async fn an_invalid_apply_fails_without_an_existing_object() {
        let script = Script::new([error(422, "Invalid", "spec.ports: required"), absent()]);
        assert!(matches!(applied(&script, Adopt::Never, None).await, Err(ApiError::Invalid(_))));
        assert_eq!(script.asked(), ["PATCH x", "GET x"]);
        // If the object does not exist any more after a conflict, it is created.
        let script = Script::new([conflict(), absent(), object("2", &json!({}))]);
        assert!(applied(&script, Adopt::Never, Some("u")).await.is_ok());
        assert_eq!(script.sent()[2]["metadata"]["resourceVersion"], "1");
    }

    #[tokio::test]
    async fn adoption_first_removes_the_other_controller() {
        let script = Script::new([conflict(), owned_by("7", "p"), object("8", &json!({})), owned_by("9", "o")]);
        applied(&script, Adopt::Always, None).await.unwrap();
        assert_eq!(script.asked(), ["PATCH x", "GET x", "PATCH x", "PATCH x"]);
        assert_eq!(script.sent()[2], json!({ "metadata": { "resourceVersion": "7", "ownerReferences": [] } }));
        assert_eq!(script.sent()[3]["metadata"], json!({ "name": "x", "uid": "u", "resourceVersion": "8" }));
        // One write takes over an object without a controller.
        let script = Script::new([conflict(), object("7", &json!({})), owned_by("8", "o")]);
        applied(&script, Adopt::IfUnowned, None).await.unwrap();
        assert_eq!(script.sent()[2]["metadata"], json!({ "name": "x", "uid": "u", "resourceVersion": "7" }));
        // `if_unowned` does not change an object of another owner, and the step fails.
        let script = Script::new([conflict(), owned_by("7", "p")]);
        assert!(matches!(applied(&script, Adopt::IfUnowned, None).await, Err(ApiError::Foreign(_))));
    }

    #[tokio::test]
    async fn delete_conflict_rereads_and_stops_after_three_attempts() {
        let known = || Some(KnownVersion { uid: "u".into(), resource_version: "5".into() });
        let deleted = async |answers: Vec<Answer>| {
            let script = Script::new(answers);
            (as_owner(&script, async |owned: Owned<'_>| owned.delete(known()).await).await, script)
        };
        let (done, script) = deleted(vec![conflict(), owned_by("6", "o"), object("6", &json!({}))]).await;
        assert!(done.is_ok());
        assert_eq!(script.sent()[2]["preconditions"], json!({ "uid": "u", "resourceVersion": "6" }));
        let rounds = (6..20).flat_map(|version| [conflict(), owned_by(&version.to_string(), "o")]);
        let (given_up, script) = deleted(rounds.collect()).await;
        assert!(matches!(given_up, Err(ApiError::Conflict(_))));
        assert_eq!(script.times("DELETE x"), TRIES - 1);
        let (gone, _) = deleted(vec![conflict(), absent()]).await;
        assert!(gone.is_ok());
        let (foreign, script) = deleted(vec![conflict(), owned_by("6", "p")]).await;
        assert!(matches!(foreign, Err(ApiError::Foreign(_))));
        assert_eq!(script.times("DELETE x"), 1);
    }

    #[test]
    fn only_an_error_about_the_existing_object_rereads_it() {
        let (create, update) = (Write::Create, Write::Update("u".into()));
        let adopt = Write::Adopt(Box::default());
        let conflict = || ApiError::Conflict("newer".into());
        let invalid = |text: &str| ApiError::Invalid(text.into());
        let is_another = |write: &Write, error: &ApiError| matches!(mismatch(write, error), Some(Mismatch::Another));
        for write in [&create, &Write::Post, &update, &adopt] {
            assert!(is_another(write, &conflict()));
            assert!(mismatch(write, &ApiError::Forbidden("no".into())).is_none());
            assert_eq!(is_another(write, &ApiError::NotFound("gone".into())), matches!(write, Write::Adopt(_)));
        }
        assert!(is_another(&create, &invalid("spec.ports: required")));
        for write in [&update, &adopt] {
            assert!(is_another(write, &invalid("metadata.uid: field is immutable")));
            assert!(is_another(write, &invalid("Only one reference can have Controller set to true")));
            assert!(mismatch(write, &invalid("spec.ports: required")).is_none());
        }
        let unset = ApiError::Failed("500: resourceVersion should not be set on objects to be created".into());
        assert!(matches!(mismatch(&create, &unset), Some(Mismatch::VersionOfNothing)));
        assert!(mismatch(&update, &unset).is_none());
        assert!(mismatch(&create, &ApiError::Failed("500: etcd".into())).is_none());
    }

    #[tokio::test]
    async fn an_existing_own_object_is_updated_by_uid() {
        let script = Script::new([conflict(), owned_by("7", "o"), owned_by("8", "o")]);
        applied(&script, Adopt::Always, None).await.unwrap();
        assert_eq!(script.asked(), ["PATCH x", "GET x", "PATCH x"]);
        assert_eq!(script.sent()[2]["metadata"], json!({ "name": "x", "uid": "u" }));
    }

    #[tokio::test]
    async fn only_an_object_of_another_owner_blocks_the_apply() {
        let (kind, key) = (KindInfo::of::<ConfigMap>(), Key::new(Some("a"), "w"));
        let waits = async |found: Answer| {
            let script = Script::new([conflict(), found, owned_by("8", "o")]);
            let watches =
                SharedWatches::new(script.calls.sender.client.plain(), Health::default(), Streaming::default());
            let relations = RelatedCaches::new(
                &watches,
                (&Wiring::EMPTY, "tester"),
                kind.clone(),
                Scope::default(),
                Queue::default(),
            );
            let object = json!({ "metadata": { "name": "x" } });
            let _ = as_owner(&script, async |owned: Owned<'_>| {
                let owned = Owned { subscriber: Some((&relations, &key)), ..owned };
                owned.apply(Adopt::Never, &object, None).await
            })
            .await;
            !relations.foreign().is_idle()
        };
        assert!(!waits(owned_by("7", "o")).await);
        assert!(waits(owned_by("7", "p")).await);
    }
}
