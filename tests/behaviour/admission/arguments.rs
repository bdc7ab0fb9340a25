//! The arguments of the attributes, as the service applies them.

use evenkeel::prelude::*;
use serde_json::{Value, json};

use super::kinds::{Repo, operator, web, with};
use super::review::{answer, create, request, update};

/// Which of create, an update of the spec, an update of metadata and status, and delete are refused by a function that refuses all.
async fn reviewed(operator: &evenkeel::Operator, path: &str) -> [bool; 4] {
    let mut touched = web();
    touched["metadata"]["finalizers"] = json!(["x.y/z"]);
    touched["status"] = json!({ "observedGeneration": 3 });
    let reviews = [
        create(&web()),
        update(&web(), &with(&json!({ "ownerTeam": "b" }))),
        update(&web(), &touched),
        request("DELETE", &Value::Null, &web()),
    ];
    let mut refused = [false; 4];
    for (refused, review) in refused.iter_mut().zip(&reviews) {
        *refused = answer(operator, path, review).await["allowed"] == false;
    }
    refused
}

fn refuse() -> Result<(), Denial> {
    Err(Denial::new("no"))
}

#[validate]
fn by_default(_: &Repo) -> Result<(), Denial> {
    refuse()
}

#[validate(on(create))]
fn on_create(_: &Repo) -> Result<(), Denial> {
    refuse()
}

#[tokio::test]
async fn a_path_may_have_dashes_or_underscores() {
    for path in ["/admit/by-default", "/admit/by_default"] {
        let response = answer(&operator::<by_default>(), path, &create(&web())).await;
        assert_eq!(response["status"]["message"], "no", "{path}");
    }
}

#[validate(on(update), unchanged)]
fn on_each_update(_: &Repo) -> Result<(), Denial> {
    refuse()
}

#[validate(on(delete))]
fn on_delete(_: &Repo) -> Result<(), Denial> {
    refuse()
}

#[tokio::test]
async fn a_function_reviews_creations_and_changes_of_the_spec() {
    assert_eq!(reviewed(&operator::<by_default>(), "/admit/by_default").await, [true, true, false, false]);
}

#[tokio::test]
async fn on_selects_the_operations() {
    assert_eq!(reviewed(&operator::<on_create>(), "/admit/on_create").await, [true, false, false, false]);
    assert_eq!(reviewed(&operator::<on_delete>(), "/admit/on_delete").await, [false, false, false, true]);
}

#[tokio::test]
async fn unchanged_reviews_updates_of_metadata_too() {
    assert_eq!(reviewed(&operator::<on_each_update>(), "/admit/on_each_update").await, [false, true, true, false]);
}

#[validate(subresource = "status", on(update))]
fn of_status(_: &Repo) -> Result<(), Denial> {
    refuse()
}

#[tokio::test]
async fn a_subresource_is_reviewed_although_the_spec_stays() {
    let operator = operator::<of_status>();
    let mut review = update(&web(), &web());
    review["request"]["subResource"] = json!("status");
    let response = answer(&operator, "/admit/of_status", &review).await;
    assert_eq!(response["status"]["message"], "no");
    let response = answer(&operator, "/admit/of_status", &update(&web(), &web())).await;
    let message = response["status"]["message"].as_str().unwrap();
    assert!(message.contains("reviews the subresource \"status\"") && message.contains("`resources`"), "{message}");
}

#[tokio::test]
async fn an_invalid_object_can_lose_its_finalizer() {
    // What is stored does not fit the type any more.
    let mut held = with(&json!({ "every": "often" }));
    let free = held.clone();
    held["metadata"]["finalizers"] = json!(["x.y/z"]);
    let response = answer(&operator::<by_default>(), "/admit/by_default", &update(&held, &free)).await;
    assert_eq!(response["allowed"], true);
    // Not even `unchanged` blocks it: the function cannot be called.
    let response = answer(&operator::<on_each_update>(), "/admit/on_each_update", &update(&held, &free)).await;
    assert_eq!(response["allowed"], true);
}

#[tokio::test]
async fn an_object_that_is_being_deleted_is_reviewed_where_its_spec_changes() {
    let mut old = web();
    old["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    let mut new = old.clone();
    new["spec"]["ownerTeam"] = json!("b");
    let response = answer(&operator::<by_default>(), "/admit/by_default", &update(&old, &new)).await;
    assert_eq!(response["allowed"], false);
}

trait Words: Send + Sync {
    fn word(&self) -> String;
}

struct English;

impl Words for English {
    fn word(&self) -> String {
        "hello".into()
    }
}

struct Count(u8);

#[validate]
async fn with_both(_: &Repo, count: &Count, words: &dyn Words) -> Result<(), Denial> {
    Err(Denial::new(format!("{} {}", words.word(), count.0)))
}

#[validate]
fn with_one(_: &Repo, count: &Count) -> Result<(), Denial> {
    Err(Denial::new(format!("{}", count.0)))
}

#[tokio::test]
async fn functions_get_their_dependencies_in_order() {
    let operator = operator::<by_default>().admission::<(with_both, on_create, with_one)>((
        Count(1),
        Box::new(English) as Box<dyn Words>,
        Count(2),
    ));
    let message = async |path: &str| answer(&operator, path, &create(&web())).await["status"]["message"].clone();
    assert_eq!(message("/admit/with_both").await, "hello 1");
    assert_eq!(message("/admit/with_one").await, "2");
    assert_eq!(message("/admit/on_create").await, "no");
}
