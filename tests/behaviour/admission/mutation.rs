//! Functions that change objects: their order, and what reaches the patch.

use evenkeel::prelude::*;
use http::StatusCode;
use kube::ResourceExt;
use serde_json::{Value, json};

use super::kinds::{Login, Repo, StoredPath, operator, web, with};
use super::review::{answer, causes, create, patch, patched, post, update};

const PATH: &str = "/admit/mutate-repos.v1.tests.evenkeel.dev";

#[mutate(on(create))]
fn who(repo: &mut Repo, cx: &mut Review) -> Result<(), Denial> {
    let user = cx.user().username.clone().unwrap_or_default();
    repo.annotations_mut().insert("example.com/created-by".into(), user);
    Ok(())
}

#[tokio::test]
async fn a_patch_makes_the_parent_first() {
    let operator = operator::<who>();
    let made = json!([
        { "op": "add", "path": "/metadata/annotations", "value": { "example.com/created-by": "ann" } },
    ]);
    assert_eq!(patch(&answer(&operator, PATH, &create(&web())).await), made);
    // The type does not show this annotation.
    let mut applied = web();
    applied["metadata"]["annotations"] = json!({ "kubectl.kubernetes.io/last-applied-configuration": "{}" });
    let added = json!([{ "op": "add", "path": "/metadata/annotations/example.com~1created-by", "value": "ann" }]);
    assert_eq!(patch(&answer(&operator, PATH, &create(&applied)).await), added);
    let response = answer(&operator, PATH, &update(&web(), &with(&json!({ "every": 3 })))).await;
    assert_eq!(response, json!({ "uid": "705ab4f5", "allowed": true }), "on(create)");
}

#[mutate]
fn idle(_: &mut Repo) -> Result<(), Denial> {
    Ok(())
}

#[tokio::test]
async fn defaults_of_the_type_do_not_reach_the_patch() {
    let response = answer(&operator::<idle>(), PATH, &create(&web())).await;
    assert_eq!(response, json!({ "uid": "705ab4f5", "allowed": true }));
}

#[mutate]
async fn edit(repo: &mut Repo) -> Result<(), Denial> {
    repo.spec.every = 120;
    repo.spec.type_ = None;
    if let Some(path) = repo.spec.paths.get_mut(1) {
        path.stored_as = "moved".into();
        path.words.push("last".into());
    }
    if repo.spec.paths.len() == 2 {
        repo.spec.paths.push(StoredPath { stored_as: "new".into(), words: Vec::new() });
    }
    repo.spec.mirrors.insert("a/b".into(), Login { user_name: "c".into() });
    Ok(())
}

#[tokio::test]
async fn what_the_type_does_not_have_stays() {
    let object = with(&json!({
        "type": "git", "future": { "x": [1] }, "mirrors": { "eu": { "userName": "d", "future": 1 } },
        "paths": [{ "storedAs": "a", "future": 1 }, { "storedAs": "b", "future": 2, "words": ["w"] }],
    }));
    let operator = operator::<edit>();
    let after = patched(&object, &answer(&operator, PATH, &create(&object)).await);
    let wanted = with(&json!({
        "every": 120, "future": { "x": [1] }, "mirrors": { "eu": { "userName": "d", "future": 1 }, "a/b": { "userName": "c" } },
        "paths": [
            { "storedAs": "a", "future": 1 },
            { "storedAs": "moved", "future": 2, "words": ["w", "last"] },
            { "storedAs": "new" },
        ],
    }));
    assert_eq!(after, wanted);
}

#[mutate(on(create), timeout = "3s")]
fn first(repo: &mut Repo, cx: &mut Review) -> Result<(), Denial> {
    repo.spec.url.push_str("/1");
    cx.warn("one");
    if repo.spec.owner_team == "x" {
        cx.deny(field!(spec.owner_team), "not x");
    }
    Ok(())
}

#[mutate(timeout = "2s")]
async fn second(repo: &mut Repo, old: Option<&Repo>, cx: &mut Review) -> Result<(), Denial> {
    let before = old.map_or(0, |old| old.spec.url.len());
    repo.spec.url.push_str(&format!("/2-{before}"));
    cx.warn("two");
    if repo.spec.owner_team == "panic" {
        panic!("on purpose");
    }
    Ok(())
}

#[tokio::test]
async fn functions_of_a_kind_run_in_their_order_in_one_request() {
    let operator = operator::<first>().admission::<second>(());
    let response = answer(&operator, PATH, &create(&web())).await;
    assert_eq!(response["warnings"], json!(["one", "two"]));
    let wanted = json!([{ "op": "add", "path": "/spec/url", "value": "https://example.com/web/1/2-0" }]);
    assert_eq!(patch(&response), wanted);
    // The first one is for creations only.
    let response = answer(&operator, PATH, &update(&web(), &with(&json!({ "url": "b" })))).await;
    assert_eq!(patch(&response), json!([{ "op": "add", "path": "/spec/url", "value": "b/2-23" }]));
    // A refusal ends the request.
    let response = answer(&operator, PATH, &create(&with(&json!({ "ownerTeam": "x" })))).await;
    assert_eq!((causes(&response), &response["warnings"]), (vec!["spec.ownerTeam: not x".to_owned()], &json!(["one"])));
    assert_eq!(response["patch"], Value::Null);
    let service = operator.admission_service().unwrap();
    let (code, status) = post(&service, PATH, &create(&with(&json!({ "ownerTeam": "panic" })))).await;
    let message = status["message"].as_str().unwrap();
    assert!(code == StatusCode::INTERNAL_SERVER_ERROR && message.starts_with("`second` panicked"), "{message}");
}
