//! Refusals, warnings, and what a function sees of the request.

use evenkeel::admission::Operation;
use evenkeel::prelude::*;
use serde_json::{Value, json};

use super::kinds::{Repo, operator, web, with};
use super::review::{answer, causes, create, request, update};

#[validate]
async fn each_field(repo: &Repo, cx: &mut Review) -> Result<(), Denial> {
    if repo.spec.url.starts_with("http:") {
        cx.warn("plain http: others may read along");
        cx.deny(field!(spec.url), "use https");
    }
    if repo.spec.owner_team.is_empty() {
        cx.deny(field!(spec.owner_team), "name a team");
    }
    if repo.spec.login.as_ref().is_some_and(|login| login.user_name == "root") {
        cx.deny(field!(spec.login?.user_name), "not as root");
    }
    for (i, path) in repo.spec.paths.iter().enumerate() {
        if path.stored_as.is_empty() {
            cx.deny(field!(spec.paths[i].stored_as), format!("path {i} is stored nowhere"));
        }
    }
    for (name, mirror) in &repo.spec.mirrors {
        if mirror.user_name.is_empty() {
            cx.deny(field!(spec.mirrors[name].user_name), "the user is missing");
        }
    }
    if repo.spec.type_.as_deref() == Some("svn") {
        return Err(cx.denial(field!(spec.type_ as "type"), "no svn"));
    }
    Ok(())
}

#[tokio::test]
async fn all_fields_are_refused_at_once() {
    let changes = json!({
        "url": "http://x", "ownerTeam": "", "type": "svn", "login": { "userName": "root" },
        "paths": [{ "storedAs": "a" }, { "storedAs": "" }], "mirrors": { "eu.example.com": { "userName": "" } },
    });
    let response = answer(&operator::<each_field>(), "/admit/each_field", &create(&with(&changes))).await;
    let wanted = [
        "spec.url: use https",
        "spec.ownerTeam: name a team",
        "spec.login.userName: not as root",
        "spec.paths[1].storedAs: path 1 is stored nowhere",
        "spec.mirrors[eu.example.com].userName: the user is missing",
        "spec.type: no svn",
    ];
    assert_eq!(causes(&response), wanted);
    let status = &response["status"];
    assert_eq!((&status["code"], &status["reason"]), (&json!(422), &json!("Invalid")));
    assert_eq!(status["message"], wanted.join("; "));
    let details = &status["details"];
    let of = (&details["name"], &details["group"], &details["kind"]);
    assert_eq!(of, (&json!("web"), &json!("tests.evenkeel.dev"), &json!("Repo")));
    assert_eq!(response["warnings"], json!(["plain http: others may read along"]));
}

#[tokio::test]
async fn a_write_without_a_fault_is_allowed() {
    let response = answer(&operator::<each_field>(), "/admit/each_field", &create(&web())).await;
    assert_eq!(response, json!({ "uid": "705ab4f5", "allowed": true }));
}

#[validate(on(create, update, delete))]
fn seen(repo: &Repo, old: Option<&Repo>, cx: &mut Review) -> Result<(), Denial> {
    let old = old.map(|old| old.spec.url.clone());
    let (user, operation) = (cx.user().username.clone(), cx.operation());
    Err(Denial::new(format!("{operation:?} of {} over {old:?} by {user:?}, dry run: {}", repo.spec.url, cx.dry_run())))
}

#[tokio::test]
async fn a_function_sees_the_request() {
    let operator = operator::<seen>();
    let text = async |review: &Value| {
        let response = answer(&operator, "/admit/seen", review).await;
        assert_eq!(causes(&response), Vec::<String>::new(), "the object as a whole");
        response["status"]["message"].as_str().unwrap().to_owned()
    };
    let new = with(&json!({ "url": "https://b" }));
    let by = "by Some(\"ann\"), dry run: false";
    assert_eq!(text(&create(&web())).await, format!("Create of https://example.com/web over None {by}"));
    let updated = format!("Update of https://b over Some(\"https://example.com/web\") {by}");
    assert_eq!(text(&update(&web(), &new)).await, updated);
    // The first parameter is the object that is being deleted.
    let deleted = format!("Delete of https://example.com/web over None {by}");
    assert_eq!(text(&request("DELETE", &Value::Null, &web())).await, deleted);
    let mut dry = create(&web());
    dry["request"]["dryRun"] = json!(true);
    assert!(text(&dry).await.ends_with("dry run: true"));
    assert_eq!(Operation::Create.as_str(), "CREATE");
}

#[validate]
fn first_and_last(_repo: &Repo, cx: &mut Review) -> Result<(), Denial> {
    cx.deny(field!(spec), "first");
    Err(Denial::new("last"))
}

#[tokio::test]
async fn a_returned_refusal_adds_to_the_collected_ones() {
    let response = answer(&operator::<first_and_last>(), "/admit/first_and_last", &create(&web())).await;
    assert_eq!(response["status"]["message"], "spec: first; last");
    assert_eq!(causes(&response), ["spec: first"]);
}
