//! `explain` and `status`: objects in each state, with the meaning and the fix of their reasons.

use evenkeel::Operator;
use evenkeel::operator::Reason;
use evenkeel_testkit::Cluster;
use evenkeel_tests::test_env::{Running, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition, widget};
use serde_json::{Value, json};

use super::look;

fn operator(world: &World) -> Operator {
    Operator::new("tester")
        .client(world.client.clone())
        .namespaces([&world.namespace])
        .reconciler::<widget>(Lab::at("a"))
}

/// A world in which widgets with these specs were reconciled once.
async fn reconciled(specs: &[(&str, Value)]) -> World {
    let world = World::within(Cluster::start().await);
    world.install(&definition()).await;
    for (name, spec) in specs {
        world.create::<Widget>(a_widget(name, spec.clone())).await;
    }
    let running = Running::start(operator(&world));
    for (name, _) in specs {
        world.until::<Widget>(name, "a status", |object| object["status"]["conditions"].is_array()).await;
    }
    running.crash().await;
    world
}

/// The text of `explain`, without the ages.
async fn explained(world: &World, name: &str) -> String {
    let (code, text) = look(operator(world), &["explain", "widget", name]).await;
    assert_eq!(code, 0);
    let line = |line: &str| line.split(", for ").next().unwrap_or_default().to_owned();
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn each_state_has_its_meaning_and_its_fix() {
    let specs = [
        ("good", json!({})),
        ("invalid", json!({ "fetch": "invalid" })),
        ("waits", json!({ "secret": "token" })),
        ("broken", json!({ "store": "broken" })),
        ("panics", json!({ "fetch": "panic" })),
    ];
    let world = reconciled(&specs).await;
    let good = explained(&world, "good").await;
    assert!(good.starts_with(&format!("Widget {}/good is ready for ", world.namespace)), "{good}");
    assert!(!good.contains("meaning:") && !good.contains("fix:"), "{good}");
    let invalid = explained(&world, "invalid").await;
    assert!(
        invalid.contains("/invalid is stalled for ") && invalid.contains("(generation 1, last pass for 1)"),
        "{invalid}"
    );
    let block = "\n      meaning: Stalled. (step fetch, stalled)\
                 \n      next: Stalled is True; no timer: runs again only on a change of its spec, its labels, its annotations, or an object \
                 that it watches\
                 \n      fix: change the object";
    assert!(invalid.contains(block), "{invalid}");
    let waits = explained(&world, "waits").await;
    assert!(waits.contains("/waits is not ready for "), "{waits}");
    assert!(waits.contains("\n      next: no timer: triggered by the watch when the Secret changes"), "{waits}");
    assert!(waits.contains("\nevents:\n") || waits.contains("\nno events"), "{waits}");
    let broken = explained(&world, "broken").await;
    assert!(broken.contains("next: retried after 1s, doubling to 10m, without end"), "{broken}");
    let panics = explained(&world, "panics").await;
    assert!(
        panics.contains("meaning: the step has a bug") && panics.contains("next: retried after 1s, doubling to 10m"),
        "{panics}"
    );
}

#[tokio::test]
async fn the_events_of_the_object_are_shown() {
    let world = World::within(Cluster::start().await);
    world.install(&definition()).await;
    let running = Running::start(operator(&world));
    world.create::<Widget>(a_widget("one", json!({ "fetch": "invalid" }))).await;
    while world.events("one").await.is_empty() {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    running.crash().await;
    let text = explained(&world, "one").await;
    assert!(text.contains("\nevents:\n  Warning Invalid"), "{text}");
}

#[tokio::test]
async fn an_object_that_was_not_reconciled_is_described() {
    let world = World::within(Cluster::start().await);
    world.install(&definition()).await;
    world.create::<Widget>(a_widget("new", json!({}))).await;
    let text = explained(&world, "new").await;
    assert_eq!(text, format!("Widget {}/new is not reconciled yet (generation 1)\nno events", world.namespace));
}

#[tokio::test]
async fn json_has_the_same_for_programs() {
    let world = reconciled(&[("invalid", json!({ "fetch": "invalid" }))]).await;
    for kind in ["widget", "Widgets", "widgets.tests.evenkeel.dev"] {
        let (_, text) = look(operator(&world), &["explain", kind, "invalid", "-o", "json"]).await;
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&value["state"], &value["observedGeneration"]), (&json!("stalled"), &json!(1)), "{text}");
        let fetched = value["conditions"].as_array().unwrap().iter().find(|one| one["type"] == "Fetched").unwrap();
        assert_eq!(fetched["explanation"]["fix"], "change the object", "{text}");
    }
}

/// The error of a command.
async fn refused(world: &World, line: &[&str]) -> evenkeel::operator::Error {
    operator(world).cluster_command(line.iter().copied(), Vec::new()).await.unwrap_err()
}

#[tokio::test]
async fn unknown_kinds_and_objects_are_refused() {
    let world = reconciled(&[]).await;
    let error = refused(&world, &["explain", "gadget", "one"]).await;
    assert_eq!(error.to_string(), "this operator does not reconcile gadget\n  help: name one of its kinds: Widget");
    let error = refused(&world, &["explain", "widget", "missing"]).await;
    assert_eq!(error.reason(), Reason::Config);
    assert!(error.to_string().contains("\"missing\" not found (404)") && error.help().contains("`-n`"), "{error}");
}

#[tokio::test]
async fn the_status_counts_what_is_not_good() {
    let specs = [("good", json!({})), ("one", json!({ "fetch": "invalid" })), ("two", json!({ "fetch": "invalid" }))];
    let world = reconciled(&specs).await;
    let (code, text) = look(operator(&world), &["status"]).await;
    assert!(code == 0 && text.starts_with("Widget: 1 of 3 ready\nCONDITION  STATUS   REASON"), "{text}");
    let (_, text) = look(operator(&world), &["status", "-o", "json"]).await;
    let status: Value = serde_json::from_str(&text).unwrap();
    assert!(status.get("leader").is_none(), "it has one replica: {text}");
    let kinds = status["kinds"].as_array().unwrap();
    let stalled = kinds[0]["conditions"].as_array().unwrap().iter().find(|one| one["type"] == "Stalled").unwrap();
    assert_eq!((&stalled["objects"], &stalled["reason"]), (&json!(2), &json!("Invalid")), "{text}");
    assert_eq!((&kinds[0]["objects"], &kinds[0]["ready"]), (&json!(3), &json!(1)));
}
