//! Writes of one object, against scripted answers of the API server.

use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;

use super::*;
use crate::api::Owner;
use crate::pass::api::scripted::{Answer, Script, absent, conflict, error, object, target};
use crate::queue::Queue;
use crate::watch::{Health, Scope, SharedWatches, Streaming};
use crate::wiring::{KindInfo, OperatorNames, Wiring};

/// The object with this controller: `o` is ours, and all others are of another kind.
fn owned_by(version: &str, uid: &str) -> Answer {
    let (kind, name) = (if uid == "o" { "Pod" } else { "Node" }, format!("pod-{uid}"));
    let owner = json!({ "apiVersion": "v1", "kind": kind, "name": name, "uid": uid, "controller": true });
    object(version, &json!({ "ownerReferences": [owner] }))
}

/// Runs a call on the object for the owner `o`.
async fn as_owner<T>(script: &Script, run: impl AsyncFnOnce(Owned<'_>) -> Result<T, ApiError>) -> Result<T, ApiError> {
    let reference = OwnerReference {
        api_version: "v1".into(),
        kind: "Pod".into(),
        name: "pod-o".into(),
        uid: "o".into(),
        controller: Some(true),
        block_owner_deletion: None,
    };
    let owner = Owner { reference, namespace: Some("a".into()), set: None, domain: "evenkeel.dev".into() };
    let claimant = Claimant::new(&owner, "tester");
    run(Owned { calls: &script.calls, claimant, target: &target(), subscriber: None }).await
}

fn version(number: &str) -> KnownVersion {
    KnownVersion { uid: "u".into(), resource_version: number.into() }
}

/// The version of the object before the apply; `known`: the version that is known to be ours.
async fn applied(script: &Script, adopt: Adopt, known: Option<&str>) -> Result<Option<String>, ApiError> {
    let object = json!({ "metadata": { "name": "x" } });
    let written =
        as_owner(script, async |owned: Owned<'_>| owned.apply(adopt, object, known.map(version)).await).await?;
    Ok(written.before)
}

#[tokio::test]
async fn an_apply_that_keeps_conflicting_is_sent_four_times() {
    let rounds = (1..20).flat_map(|version| [conflict(), owned_by(&version.to_string(), "o")]);
    let script = Script::new(rounds);
    assert!(matches!(applied(&script, Adopt::Never, Some("5")).await, Err(ApiError::Conflict(_))));
    assert_eq!((script.times("PATCH x"), script.times("GET x")), (TRIES, TRIES - 1));
}

#[tokio::test]
async fn create_sends_version_one_and_update_the_uid() {
    let script = Script::new([object("2", &json!({}))]);
    assert_eq!(applied(&script, Adopt::Never, None).await.unwrap(), None, "it is created");
    assert_eq!(script.sent()[0]["metadata"], json!({ "name": "x", "resourceVersion": "1" }));
    let script = Script::new([object("2", &json!({}))]);
    assert_eq!(applied(&script, Adopt::Never, Some("5")).await.unwrap().as_deref(), Some("5"));
    assert_eq!(script.sent()[0]["metadata"], json!({ "name": "x", "uid": "u" }));
}

#[tokio::test]
async fn an_invalid_apply_fails_without_an_existing_object() {
    let script = Script::new([error(422, "Invalid", "spec.ports: required"), absent()]);
    assert!(matches!(applied(&script, Adopt::Never, None).await, Err(ApiError::Invalid(_))));
    assert_eq!(script.asked(), ["PATCH x", "GET x"]);
    // If the object does not exist any more after a conflict, it is created.
    let script = Script::new([conflict(), absent(), object("2", &json!({}))]);
    assert_eq!(applied(&script, Adopt::Never, Some("5")).await.unwrap(), None, "it is created");
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
    assert_eq!(applied(&script, Adopt::IfUnowned, None).await.unwrap().as_deref(), Some("7"));
    assert_eq!(script.sent()[2]["metadata"], json!({ "name": "x", "uid": "u", "resourceVersion": "7" }));
    // `if_unowned` does not change an object of another owner, and the step fails.
    let script = Script::new([conflict(), owned_by("7", "p")]);
    assert!(matches!(applied(&script, Adopt::IfUnowned, None).await, Err(ApiError::Foreign(_))));
}

#[tokio::test]
async fn delete_conflict_rereads_and_stops_after_three_attempts() {
    let known = || Some(version("5"));
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
    let (create, update) = (Write::Create, Write::Update(version("5")));
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
    assert_eq!(applied(&script, Adopt::Always, None).await.unwrap().as_deref(), Some("7"));
    assert_eq!(script.asked(), ["PATCH x", "GET x", "PATCH x"]);
    assert_eq!(script.sent()[2]["metadata"], json!({ "name": "x", "uid": "u" }));
}

#[tokio::test]
async fn only_an_object_of_another_owner_blocks_the_apply() {
    let (kind, key) = (KindInfo::of::<ConfigMap>(), Key::new(Some("a"), "w"));
    let waits = async |found: Answer| {
        let script = Script::new([conflict(), found, owned_by("8", "o")]);
        let watches = SharedWatches::new(script.calls.sender.client.plain(), Health::default(), Streaming::default());
        let relations = RelatedCaches::new(
            &watches,
            (&Wiring::EMPTY, &OperatorNames::new("tester")),
            kind.clone(),
            Scope::default(),
            Queue::default(),
        );
        let object = json!({ "metadata": { "name": "x" } });
        let _ = as_owner(&script, async |owned: Owned<'_>| {
            let owned = Owned { subscriber: Some((&relations, &key)), ..owned };
            owned.apply(Adopt::Never, object, None).await
        })
        .await;
        !relations.foreign().is_idle()
    };
    assert!(!waits(owned_by("7", "o")).await);
    assert!(waits(owned_by("7", "p")).await);
}
