//! Diagnostics of an operator: health, readiness, and why an object is not ready.

use std::net::SocketAddr;
use std::num::NonZero;
use std::sync::Arc;
use std::time::Duration;

use evenkeel_tests::listener::{ask, get, listening, objects};
use evenkeel_tests::recording_client::Fault;
use evenkeel_tests::test_env::{Running, Server, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition, is_ready, widget};
use serde_json::{Value, json};

async fn world() -> World {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    world
}

fn start(world: &World, lab: &Arc<Lab>) -> (Running, SocketAddr) {
    let (operator, address) = listening(world.prepare::<widget>(lab.clone()));
    (Running::start(operator), address)
}

async fn object(address: SocketAddr, name: &str) -> Value {
    objects(address, &format!("kind=Widget&name={name}")).await.pop().unwrap()
}

#[tokio::test(start_paused = true)]
async fn readiness_waits_for_lists_and_names_missing_ones() {
    let world = world().await;
    world.wire.fault(|call| call.path.contains("/configmaps").then_some(Fault::Answer(403, None)));
    let (operator, address) = start(&world, &Lab::at("a"));
    world.quiet().await;
    let starting = get(address, "/readyz").await;
    let place = format!("watch of configmaps in namespace {}, not listed yet, broken for ", world.namespace);
    assert_eq!(starting.status, 503);
    assert!(
        starting.body.contains(&place) && starting.body.contains("grant the verbs get, list, watch on configmaps"),
        "{}",
        starting.body
    );
    assert_eq!((get(address, "/healthz").await.status, &*get(address, "/healthz").await.body), (200, "ok\n"));
    world.wire.mend();
    tokio::time::sleep(Duration::from_secs(60)).await;
    let ready = get(address, "/readyz").await;
    assert_eq!((ready.status, &*ready.body), (200, "ready\n"));
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_broken_watch_clears_readiness_until_it_works() {
    let world = world().await;
    let (operator, address) = start(&world, &Lab::at("a"));
    world.quiet().await;
    assert_eq!(get(address, "/readyz").await.status, 200);
    world.wire.fault(|call| call.path.ends_with("/widgets").then_some(Fault::Answer(500, None)));
    // The open watch ends by itself within five minutes.
    tokio::time::sleep(Duration::from_secs(900)).await;
    let broken = get(address, "/readyz").await;
    assert_eq!(broken.status, 503);
    assert!(broken.body.starts_with("not ready\nwatch of widgets.tests.evenkeel.dev in namespace"), "{}", broken.body);
    assert_eq!(get(address, "/healthz").await.status, 200, "a restart would not help");
    world.wire.mend();
    tokio::time::sleep(Duration::from_secs(150)).await;
    assert_eq!(&*get(address, "/readyz").await.body, "ready\n");
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_failing_secret_watch_does_not_clear_readiness() {
    let world = world().await;
    world.wire.fault(|call| call.path.contains("/secrets").then_some(Fault::Answer(403, None)));
    let (operator, address) = start(&world, &Lab::at("a"));
    world.create::<Widget>(a_widget("w", json!({ "secret": "s" }))).await;
    tokio::time::sleep(Duration::from_secs(600)).await;
    let ready = get(address, "/readyz").await;
    assert_eq!(ready.status, 200, "{}", ready.body);
    assert!(ready.body.contains("watch of secrets \"s\" in namespace"), "{}", ready.body);
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn only_errors_of_an_earlier_spec_are_marked() {
    let world = world().await;
    let (operator, address) = start(&world, &Lab::at("a"));
    world.quiet().await;
    world.create::<Widget>(a_widget("broken", json!({ "store": "broken" }))).await;
    tokio::time::sleep(Duration::from_secs(20)).await;
    let page = async || get(address, "/debug/objects?kind=Widget&name=broken").await.body;
    let new = page().await;
    assert!(new.contains("Broken: out of order") && !new.contains("of an earlier generation"), "{new}");
    world.merge::<Widget>("broken", json!({ "spec": { "fetch": "hang" } })).await;
    world.quiet().await;
    let changed = page().await;
    assert!(changed.contains("Broken: out of order (of an earlier generation)"), "{changed}");
    operator.crash().await;
}

#[tokio::test(start_paused = true)]
async fn an_object_reports_reason_triggers_and_next_try() {
    let world = world().await;
    let (operator, address) = start(&world, &Lab::at("a"));
    world.quiet().await;
    let space = world.namespace.clone();
    world.create::<Widget>(a_widget("broken", json!({ "store": "broken" }))).await;
    world.create::<Widget>(a_widget("waits", json!({ "secret": "token" }))).await;
    world.create::<Widget>(a_widget("fine", json!({ "child": "x", "interval": "10m" }))).await;
    world.create::<Widget>(a_widget("stuck", json!({ "fetch": "invalid" }))).await;
    world.until::<Widget>("fine", "ready", is_ready).await;
    tokio::time::sleep(Duration::from_secs(20)).await;
    let broken = object(address, "broken").await;
    assert_eq!((&broken["isReady"], &broken["lastPass"]["outcome"]), (&json!(false), &json!("Failed")), "{broken:#}");
    assert_eq!(broken["ready"]["reason"], "Broken");
    assert_eq!(broken["ready"]["message"], "out of order");
    let failures = broken["failures"].as_u64().unwrap();
    assert!((4..=6).contains(&failures), "{broken:#}");
    let (queue, due) = (&broken["queue"], broken["queue"]["dueInSeconds"].as_f64().unwrap());
    assert_eq!((&queue["state"], &queue["causes"]), (&json!("sleeping"), &json!("retry")));
    assert!(due > 0.0 && due <= 32.0, "{broken:#}");
    tokio::time::sleep(Duration::from_secs_f64(due + 0.2)).await;
    assert_eq!(object(address, "broken").await["failures"], failures + 1, "it was retried at the announced time");
    let waits = object(address, "waits").await;
    assert_eq!(waits["wokenBy"]["watched"], json!([format!("v1/Secret/{space}/token")]));
    assert_eq!(
        (&waits["queue"]["state"], &waits["lastPass"]["outcome"]),
        (&json!("resting"), &json!("Waiting")),
        "{waits:#}"
    );
    let fine = object(address, "fine").await;
    assert_eq!(fine["wokenBy"]["owned"], json!([format!("v1/ConfigMap/{space}/fine")]));
    assert_eq!(fine["wokenBy"]["annotation"], "evenkeel.dev/requestedAt");
    assert_eq!((&fine["isReady"], &fine["queue"]["causes"]), (&json!(true), &json!("resync")), "{fine:#}");
    assert!(fine["queue"]["dueInSeconds"].as_f64().unwrap() <= 630.0, "{fine:#}");
    let stuck = object(address, "stuck").await;
    assert_eq!(
        (&stuck["ready"]["reason"], &stuck["queue"]["state"]),
        (&json!("Invalid"), &json!("resting")),
        "{stuck:#}"
    );
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_object_reports_queue_time_and_pass_duration() {
    let world = world().await;
    let lab = Lab::at("a");
    let (operator, address) =
        listening(world.prepare::<widget>(lab.clone()).concurrency(const { NonZero::new(1).unwrap() }));
    let operator = Running::start(operator);
    world.quiet().await;
    let held = lab.hold.lock().await;
    for name in ["first", "second"] {
        world.create::<Widget>(a_widget(name, json!({}))).await;
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    let seconds = |object: &Value, field: &str| object["queue"][field].as_f64().unwrap();
    let (first, second) = (object(address, "first").await, object(address, "second").await);
    assert_eq!((&first["queue"]["state"], &second["queue"]["state"]), (&json!("running"), &json!("waiting")));
    assert!(
        (2.0..2.2).contains(&seconds(&first, "ranSeconds")) && (2.0..2.2).contains(&seconds(&second, "waitedSeconds"))
    );
    assert_eq!((&second["ready"], &second["lastPass"]), (&Value::Null, &Value::Null));
    drop(held);
    world.until::<Widget>("second", "ready", is_ready).await;
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn the_debug_page_sorts_unready_first_and_filters() {
    let world = world().await;
    let (operator, address) = start(&world, &Lab::at("a"));
    world.create::<Widget>(a_widget("a-fine", json!({}))).await;
    world.create::<Widget>(a_widget("b-stuck", json!({ "fetch": "invalid" }))).await;
    world.until::<Widget>("a-fine", "ready", is_ready).await;
    world.quiet().await;
    let page = get(address, "/debug/objects").await;
    assert!(page.head.contains("content-type: text/html"), "{}", page.head);
    let (stuck, fine) = (page.body.find("b-stuck").unwrap(), page.body.find("a-fine").unwrap());
    assert!(
        stuck < fine && page.body.contains("the widget is not valid") && !page.body.contains("<script"),
        "{}",
        page.body
    );
    for (query, names) in [
        ("kind=widget", vec!["b-stuck", "a-fine"]),
        ("kind=Other", vec![]),
        ("namespace=elsewhere", vec![]),
        ("name=a-fine", vec!["a-fine"]),
        ("limit=1", vec!["b-stuck"]),
    ] {
        let found = objects(address, query).await;
        let found: Vec<&str> = found.iter().map(|object| object["name"].as_str().unwrap()).collect();
        assert_eq!(found, names, "{query}");
    }
    let accept =
        "GET /debug/objects HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\nConnection: close\r\n\r\n";
    assert!(ask(address, accept.into()).await.head.contains("content-type: application/json"));
    world.api::<Widget>().delete("b-stuck", &Default::default()).await.unwrap();
    world.quiet().await;
    assert_eq!(objects(address, "").await.len(), 1, "what is gone is forgotten");
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn specs_data_and_url_secrets_are_hidden() {
    let world = world().await;
    let (operator, address) = start(&world, &Lab::at("a"));
    let mut object = a_widget("w", json!({ "child": "very-private" }));
    object["status"] = json!({});
    world.create::<Widget>(object).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    let foreign = json!({ "status": { "conditions": [{ "type": "Fetched", "status": "False", "reason": "Other",
        "message": "get https://bob:pw@git.example.com/x?sig=1", "lastTransitionTime": "2024-01-01T00:00:00Z" }] } });
    let patch = kube::api::Patch::Merge(foreign);
    world.api::<Widget>().patch_status("w", &Default::default(), &patch).await.unwrap();
    world.quiet().await;
    for path in ["/debug/objects", "/debug/objects?format=json", "/metrics"] {
        let text = get(address, path).await.body;
        assert!(!text.contains("very-private") && !text.contains("pw@") && !text.contains("sig="), "{path}: {text}");
    }
    assert!(get(address, "/debug/objects?format=json").await.body.contains("https://git.example.com/x"));
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn unknown_paths_and_writing_methods_are_refused() {
    let world = world().await;
    let (operator, address) = start(&world, &Lab::at("a"));
    world.quiet().await;
    let lost = get(address, "/").await;
    assert_eq!(lost.status, 404);
    assert!(lost.body.contains("/debug/objects"));
    let post = "POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    assert_eq!(ask(address, post.into()).await.status, 405);
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn a_foreign_host_header_is_refused() {
    let world = world().await;
    let (operator, address) = start(&world, &Lab::at("a"));
    world.quiet().await;
    for path in ["/metrics", "/debug/objects?format=json", "/healthz"] {
        let asked =
            |host: &str| ask(address, format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"));
        let answer = asked("rebound.example.com").await;
        assert_eq!(
            (answer.status, answer.body.contains("localhost, or a name")),
            (421, true),
            "{path}: {}",
            answer.body
        );
        assert_eq!(asked(&address.to_string()).await.status, 200, "{path}");
    }
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn an_address_in_use_is_reported_with_the_fix() {
    let world = world().await;
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let error = Running::start(world.prepare::<widget>(Lab::at("a")).listen(address)).stop().await.unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with(&format!("cannot listen on {address}: "))
            && text.contains("help: give another address with `--listen`"),
        "{text}"
    );
}
