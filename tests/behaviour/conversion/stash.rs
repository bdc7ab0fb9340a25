//! What a version cannot express: it is stashed, comes back, and never overrides what a user has written.

use serde_json::{Value, json};

use super::call::{converted, refused};
use super::kinds::{STASH, object};

fn stored() -> Value {
    let limits = json!({ "megabytes": 1, "files": 2 });
    object(
        "v1",
        &json!({ "url": "u", "login": { "token": { "name": "t" } }, "tags": ["x"], "everySeconds": 60, "limits": limits }),
    )
}

fn stash(object: &Value) -> Value {
    serde_json::from_str(object["metadata"]["annotations"][STASH].as_str().unwrap()).unwrap()
}

#[tokio::test]
async fn what_is_lost_is_stashed_with_both_values_and_comes_back() {
    let beta = converted(&stored(), "v1beta1").await;
    assert_eq!(beta["spec"], json!({ "url": "u", "period": 60, "megabytes": 1 }));
    let wanted = json!([
        { "path": ["spec", "limits", "files"], "hub": 2 },
        { "path": ["spec", "login"], "hub": { "token": { "name": "t" } } },
        { "path": ["spec", "tags"], "hub": ["x"], "spoke": [] },
    ]);
    assert_eq!(stash(&beta), wanted);
    assert_eq!(converted(&beta, "v1").await, stored());
}

#[tokio::test]
async fn a_change_elsewhere_loses_nothing() {
    let mut beta = converted(&stored(), "v1beta1").await;
    beta["spec"]["url"] = json!("v");
    beta["spec"]["megabytes"] = json!(9);
    let mut wanted = stored();
    wanted["spec"]["url"] = json!("v");
    wanted["spec"]["limits"]["megabytes"] = json!(9);
    assert_eq!(converted(&beta, "v1").await, wanted);
}

#[tokio::test]
async fn a_variant_that_the_user_has_chosen_is_not_mixed_with_the_stashed_one() {
    let mut beta = converted(&stored(), "v1beta1").await;
    beta["spec"]["secret"] = json!("s");
    let back = converted(&beta, "v1").await;
    assert_eq!(back["spec"]["login"], json!({ "secret": "s" }));
    assert_eq!(back["spec"]["tags"], json!(["x"]));
    // What was written through the version is read back through it.
    assert_eq!(converted(&back, "v1beta1").await["spec"], beta["spec"]);
}

#[tokio::test]
async fn without_a_loss_there_is_no_annotation() {
    let stored = object("v1", &json!({ "url": "u", "login": { "secret": "s" } }));
    let beta = converted(&stored, "v1beta1").await;
    assert!(beta["metadata"].get("annotations").is_none(), "{beta}");
}

#[tokio::test]
async fn the_stored_version_never_has_a_stash() {
    let mut beta = converted(&stored(), "v1beta1").await;
    beta["metadata"]["annotations"]["other"] = json!("x");
    beta["metadata"]["annotations"]["evenkeel.dev/hub.v1alpha1"] = json!("[]");
    let back = converted(&beta, "v1").await;
    assert_eq!(back["metadata"]["annotations"], json!({ "other": "x" }));
    // Nor does another version, which gets its own.
    let alpha = converted(&beta, "v1alpha1").await;
    assert_eq!(alpha["metadata"]["annotations"], json!({ "other": "x" }));
}

#[tokio::test]
async fn a_stash_in_the_stored_version_is_written_anew() {
    let mut odd = stored();
    odd["metadata"]["annotations"] = json!({ STASH: "old" });
    assert_eq!(stash(&converted(&odd, "v1beta1").await).as_array().unwrap().len(), 3);
    let mut plain = object("v1", &json!({ "url": "u" }));
    plain["metadata"]["annotations"] = json!({ STASH: "old" });
    assert!(converted(&plain, "v1beta1").await["metadata"].get("annotations").is_none());
}

#[tokio::test]
async fn a_stash_that_does_not_fit_is_ignored() {
    let wrong = json!([{ "path": ["spec", "everySeconds"], "hub": "often", "spoke": 60 }]).to_string();
    let metadata = json!([{ "path": ["metadata", "uid"], "hub": "8", "spoke": "7d" }]).to_string();
    for text in ["", "{", "[]", "null", &wrong, &metadata] {
        let mut beta = object("v1beta1", &json!({ "url": "u" }));
        beta["metadata"]["annotations"] = json!({ STASH: text });
        let back = converted(&beta, "v1").await;
        assert_eq!((&back["spec"]["everySeconds"], &back["metadata"]["uid"]), (&json!(60), &json!("7d")), "{text}");
    }
}

#[tokio::test]
async fn a_stash_that_is_too_large_fails_the_request_and_names_the_path() {
    let mut large = stored();
    large["spec"]["tags"] = json!(["x".repeat(40_000)]);
    let message = refused(&large, "v1beta1").await;
    assert!(message.starts_with("Repo team-a/web cannot be read in convert.tests.evenkeel.dev/v1beta1:"), "{message}");
    assert!(message.contains("most of it at spec.tags, and at most 32768 are stashed"), "{message}");
    assert!(message.ends_with("read the object in the stored version, or declare `lossy(spec.tags)`"), "{message}");
    // Where the path is lossy, nothing fails.
    assert_eq!(converted(&large, "v1alpha1").await["spec"], json!({ "url": "u" }));
}
