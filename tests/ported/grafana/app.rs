//! An app: how its kinds are handled, what it reviews and converts, its routes, and its end.

use std::time::Duration;

use axum::body::{Body, to_bytes};
use evenkeel::Operator;
use evenkeel::prelude::*;
use evenkeel_testkit::Row;
use evenkeel_tests::test_env::Running;
use http::Request;
use kube::Api;
use serde_json::{Value, json};
use tower::ServiceExt;

use super::excluded;
use super::kinds::{Foreign, Record, RecordCondition, Texted, on};
use super::lab::{Kept as KeptKind, Lab, NAMESPACE};
use super::plot::Plot;
use super::versions::{OfFirst, v1, v2};
use super::watchers::{First, Held, Kept, Short};

/// What a case is about.
const KEYS: [&str; 12] = [
    "managed_kinds",
    "kind",
    "managed",
    "validate",
    "validator",
    "mutate",
    "mutator",
    "converter",
    "routes",
    "manifest",
    "controller",
    "stop",
];

pub(super) async fn adapter(given: Value) -> Value {
    let given = given.as_object().unwrap();
    // The further keys of a case say more of its first one.
    let key = KEYS.into_iter().find(|key| given.contains_key(*key)).unwrap();
    let value = &given[key];
    match key {
        // A kind is a type.
        "managed_kinds" => excluded(),
        "kind" => json!({ "error": both().await }),
        "managed" if *value == true => wrapped::<Short, Record>(Short).await,
        "managed" if given.contains_key("use_opinionated") => wrapped::<Held, Foreign>(Held).await,
        "managed" => wrapped::<First, Foreign>(First).await,
        "validate" | "validator" => validated(value).await,
        "mutate" | "mutator" => mutated(value).await,
        "converter" => converted(value == "ok").await,
        "routes" => json!({ "error": is_refused(routed()).await.is_some() }),
        // The manifest is computed from the functions.
        "manifest" => json!({ "error": "cannot be written" }),
        "controller" => failed().await,
        "stop" => json!({ "controllers_stopped": stopped().await }),
        other => panic!("{other}"),
    }
}

#[sub_reconciler(sets(on::Sent))]
async fn send(_: &Record, _cx: &mut Cx) -> Result<(), ApiError> {
    Ok(())
}

#[reconciler(conditions = RecordCondition)]
async fn record(record: &Record, cx: &mut Pass<'_>) -> PassResult {
    send(record, cx).await?;
    Ok(())
}

/// Why the operator does not start.
async fn is_refused(operator: Operator) -> Option<String> {
    let lab = Lab::new().await;
    let running = Running::start(operator.client(lab.world.client.clone()).namespaces([NAMESPACE]));
    lab.settle().await;
    running.stop().await.err().map(|error| error.to_string())
}

/// Whether a reconciler and a watcher of one kind, both with its conditions, are refused.
async fn both() -> bool {
    let operator = Operator::new("tester").reconciler::<record>(()).watcher::<Kept>(Kept(Plot::default()));
    is_refused(operator).await.is_some()
}

/// Whether a watcher stores a finalizer.
async fn wrapped<W, K>(watcher: fn(Plot) -> W) -> Value
where
    W: evenkeel::Watcher<Object: evenkeel::ReconciledKind> + Into<W::Deps>,
    K: KeptKind,
{
    let mut lab = Lab::new().await;
    let plot = lab.plot.clone();
    lab.operate::<W>(watcher(plot));
    lab.create::<K>("x").await;
    lab.settle().await;
    let held = lab.held::<K>().await;
    json!({ "wrapped": !held.is_empty(), "finalizer": held.first() })
}

#[validate]
fn strict(_: &Record) -> Result<(), Denial> {
    Err(Denial::new("it rains"))
}

#[mutate]
fn second(record: &mut Record) -> Result<(), Denial> {
    "two".clone_into(&mut record.spec.text);
    Ok(())
}

fn reviewing() -> Operator {
    Operator::new("tester").reconciler::<record>(()).admission::<(strict, second)>(())
}

/// The status code and the body of the answer to a review of a new object at this path.
async fn reviewed(path: &str) -> (u16, Value) {
    let object = <Record as Texted>::object("x", "one");
    let review = json!({
        "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
        "request": {
            "uid": "1", "operation": "CREATE", "kind": { "group": "systems.evenkeel.dev", "version": "v1", "kind": "Record" },
            "resource": { "group": "systems.evenkeel.dev", "version": "v1", "resource": "records" }, "object": object,
        },
    });
    let request = Request::post(path).body(Body::from(review.to_string())).unwrap();
    let answer = reviewing().admission_service().unwrap().oneshot(request).await.unwrap();
    let (code, body) = (answer.status().as_u16(), to_bytes(answer.into_body(), usize::MAX).await.unwrap());
    (code, serde_json::from_slice(&body).unwrap())
}

/// The word for a path without a function.
fn not_implemented((code, _): &(u16, Value)) -> Value {
    if *code == 404 { json!({ "error": "not implemented" }) } else { json!({ "error": null }) }
}

async fn validated(given: &Value) -> Value {
    match given.as_str().unwrap() {
        "kind without validator" => not_implemented(&reviewed("/admit/other").await),
        "error" => {
            let (_, answer) = reviewed("/admit/strict").await;
            let error = answer["response"]["status"]["message"].clone();
            json!({ "error": if error == "it rains" { json!("the same") } else { error } })
        }
        other => panic!("{other}"),
    }
}

async fn mutated(given: &Value) -> Value {
    match given.as_str().unwrap() {
        "unknown kind" => not_implemented(&reviewed("/admit/mutate-others.v1.systems.evenkeel.dev").await),
        "kind without mutator" => not_implemented(&reviewed("/admit/mutate-foreigns.v1.systems.evenkeel.dev").await),
        "ok" => json!({ "object": stored().await }),
        other => panic!("{other}"),
    }
}

/// What is stored of a new object: what the function returned, or something else.
async fn stored() -> &'static str {
    let operator = Operator::new("tester").reconciler::<record>(()).admission::<second>(());
    let seen = Row::new("a mutation").admit(operator, <Record as Texted>::object("x", "one")).await;
    let stored: Record = Api::default_namespaced(seen.cluster().client()).get("x").await.unwrap();
    if stored.spec.text == "two" { "as returned" } else { "another" }
}

#[convert(to = v1::Pair)]
impl v2::Pair {
    fn up(old: v2::PairSpec) -> v1::PairSpec {
        let mut text = old.text;
        text.drain(..text.len().min(3));
        v1::PairSpec { text }
    }

    fn down(new: v1::PairSpec) -> v2::PairSpec {
        let mut text = new.text;
        text.insert_str(0, "v2 ");
        v2::PairSpec { text }
    }
}

/// The answer to a request for an object in another version.
async fn converted(has_converter: bool) -> Value {
    let operator = Operator::new("tester").watcher::<OfFirst>(OfFirst(Plot::default()));
    let operator = if has_converter { operator.serves::<v2::Pair>() } else { operator };
    let review = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
        "request": { "uid": "1", "desiredAPIVersion": "systems.evenkeel.dev/v2",
            "objects": [<v1::Pair as Texted>::object("x", "one")] },
    });
    let request = Request::post("/convert/pairs.systems.evenkeel.dev").header("content-type", "application/json");
    let service = operator.conversion_service().unwrap();
    let answer = service.oneshot(request.body(Body::from(review.to_string())).unwrap()).await.unwrap();
    if answer.status() != 200 {
        return json!({ "error": true });
    }
    let body = to_bytes(answer.into_body(), usize::MAX).await.unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap();
    let object = &body["response"]["convertedObjects"][0];
    let is_returned =
        (&object["apiVersion"], &object["spec"]["text"]) == (&json!("systems.evenkeel.dev/v2"), &json!("v2 one"));
    json!({ "object": if is_returned { json!("as returned") } else { object.clone() } })
}

#[route(get, "/a", of = Record)]
fn a(_: &Record) -> Reply {
    Reply::empty()
}

mod again {
    use super::*;

    #[route(get, "/a", of = Record)]
    pub(super) fn b(_: &Record) -> Reply {
        Reply::empty()
    }
}

fn routed() -> Operator {
    Operator::new("tester").reconciler::<record>(()).routes::<(a, again::b)>(())
}

/// An operator whose kind has no status in the cluster cannot run its reconciler.
async fn failed() -> Value {
    let lab = Lab::new().await;
    let mut definition = <Record as kube::CustomResourceExt>::crd();
    definition.spec.versions[0].subresources = None;
    lab.world.install(&definition).await;
    let operator = Operator::new("tester").client(lab.world.client.clone()).reconciler::<record>(());
    let running = Running::start(operator);
    lab.settle().await;
    let error = running.stop().await.err().map(|error| error.to_string()).unwrap_or_default();
    json!({ "operator_returns": if error.contains("records.systems.evenkeel.dev") { "that error".to_owned() } else { error } })
}

/// Whether no function is called after the operator was stopped.
async fn stopped() -> bool {
    let mut lab = Lab::new().await;
    lab.operate::<Kept>(Kept(lab.plot.clone()));
    lab.create::<Record>("x").await;
    lab.settle().await;
    assert_eq!(lab.plot.calls().len(), 1);
    lab.stop().await;
    lab.begin();
    lab.rewrite::<Record>("two").await;
    tokio::time::sleep(Duration::from_secs(3600)).await;
    lab.plot.calls().is_empty()
}
