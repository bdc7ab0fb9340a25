//! An outdated CRD: refused at the start, a pause while the operator runs, and a lost status is always reported.

use std::time::Duration;

use evenkeel::operator::{Reason, kube_controller};
use evenkeel::prelude::*;
use evenkeel::{Operator, crd};
use evenkeel_testkit::{eventually, eventually_eq};
use evenkeel_tests::listener::{get, listening};
use evenkeel_tests::logs::Logs;
use evenkeel_tests::on_each_server;
use evenkeel_tests::recording_client::{Call, Fault};
use evenkeel_tests::test_env::{Running, SOON, Server, World};
use evenkeel_tests::widget::{Lab, WidgetError, definition, is_ready, widget};
use futures::StreamExt;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::core::CustomResourceExt;
use kube::runtime::{Controller, watcher};
use schemars::JsonSchema;
use serde_json::{Value, json};

/// A separate kind for each case, since a CRD belongs to a whole server; its status repeats the spec.
macro_rules! gauge {
    ($module:ident, $Gauge:ident, $kind:tt) => {
        mod $module {
            use super::*;

            #[derive(CustomResource, JsonSchema, Clone, Debug, Deserialize, Serialize)]
            #[kube(group = "schema.tests.evenkeel.dev", version = "v1", kind = $kind, namespaced, status = "GaugeStatus")]
            pub(crate) struct GaugeSpec {
                pub(crate) size: u32,
            }

            #[evenkeel::status]
            pub(crate) struct GaugeStatus {
                /// The size that was read last.
                pub seen: Option<Reading>,
            }

            #[derive(JsonSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
            #[serde(default)]
            pub(crate) struct Reading {
                pub(crate) size: u32,
                pub(crate) unit: u32,
            }

            #[derive(ConditionSet)]
            #[condition_set(mod = on)]
            pub(crate) enum GaugeCondition {
                /// The size was read.
                #[condition(positive)]
                Read,
            }

            #[sub_reconciler(sets(on::Read))]
            async fn read(gauge: &$Gauge, cx: &mut Cx<'_, read>) -> Result<(), WidgetError> {
                cx.status().seen = Some(Reading { size: gauge.spec.size, unit: 1 });
                Ok(())
            }

            #[reconciler(conditions = GaugeCondition, requeue = "30d")]
            pub(crate) async fn $module(gauge: &$Gauge, cx: &mut Pass<'_>) -> PassResult {
                read(gauge, cx).await?;
                Ok(())
            }

        }
    };
}

gauge!(refused, Refused, "Refused");
gauge!(closed, Closed, "Closed");
gauge!(paused, Paused, "Paused");
gauge!(steady, Steady, "Steady");
gauge!(silent, Silent, "Silent");
gauge!(spare, Spare, "Spare");

/// The CRD of the reconciler with a changed schema.
fn changed<R: evenkeel::Reconciler<Object: CustomResourceExt>>(
    change: impl FnOnce(&mut Value),
) -> CustomResourceDefinition {
    let mut value = serde_json::to_value(crd::<R>()).unwrap();
    change(&mut value["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]);
    serde_json::from_value(value).unwrap()
}

/// Without the size in the schema of the status.
fn outdated<R: evenkeel::Reconciler<Object: CustomResourceExt>>() -> CustomResourceDefinition {
    changed::<R>(|properties| {
        let seen = &mut properties["status"]["properties"]["seen"];
        seen["properties"].as_object_mut().unwrap().remove("size").unwrap();
        seen.as_object_mut().unwrap().remove("required");
    })
}

/// Without a required field of the spec. The schema that 1.20 publishes omits nullable fields such as a status.
fn bare<R: evenkeel::Reconciler<Object: CustomResourceExt>>() -> CustomResourceDefinition {
    changed::<R>(|properties| {
        properties["spec"] = json!({ "type": "object", "properties": { "length": { "type": "integer" } } });
    })
}

fn object(kind: &str, name: &str, size: u32) -> Value {
    json!({ "apiVersion": "schema.tests.evenkeel.dev/v1", "kind": kind, "metadata": { "name": name }, "spec": { "size": size } })
}

fn shows(object: &Value, size: u32) -> bool {
    is_ready(object) && object["status"]["seen"] == json!({ "size": size, "unit": 1 })
}

fn is_about_crds(call: &Call) -> bool {
    call.path.contains("/customresourcedefinitions")
}

/// The error with which an operator refuses to start; `None` if it starts.
async fn refusal(operator: Operator) -> Option<evenkeel::Error> {
    tokio::time::timeout(Duration::from_secs(8), operator.run_until(std::future::pending())).await.ok()?.err()
}

on_each_server!(
    a_crd_without_an_author_field_is_refused,
    without_crd_access_the_published_schema_is_compared,
    a_kind_pauses_while_its_crd_is_outdated,
    a_status_dropped_by_the_crd_is_reported_once,
);

async fn a_crd_without_an_author_field_is_refused(world: World) -> World {
    world.install(&outdated::<refused::refused>()).await;
    let error = refusal(world.prepare::<refused::refused>(())).await.expect("it does not start");
    assert_eq!(error.reason(), Reason::Outdated);
    let headline = "the installed CRD refuseds.schema.tests.evenkeel.dev does not fit the program in v1: .status.seen.size is missing";
    assert_eq!(error.to_string().lines().next(), Some(headline));
    assert!(error.help().ends_with(" crds | kubectl apply -f -"), "{error}");
    world.install(&bare::<refused::refused>()).await;
    let error = refusal(world.prepare::<refused::refused>(())).await.expect("it does not start");
    assert!(error.to_string().contains("in v1: .spec.size is missing\n"), "{error}");
    world
}

async fn without_crd_access_the_published_schema_is_compared(world: World) -> World {
    let (lacking, field) = match world.server {
        Server::Full => (bare::<closed::closed>(), ".spec.size"),
        Server::InProcess | Server::Modern => (outdated::<closed::closed>(), ".status.seen.size"),
    };
    world.install(&lacking).await;
    world.wire.fault(|call| is_about_crds(call).then_some(Fault::Answer(403, None)));
    // Some servers publish the schema later than they serve the CRD.
    let error = eventually(SOON, || refusal(world.prepare::<closed::closed>(()))).await;
    assert_eq!(error.reason(), Reason::Outdated);
    let headline = format!("closeds.schema.tests.evenkeel.dev does not fit the program in v1: {field} is missing");
    assert!(error.to_string().contains(&headline), "{error}");
    world.install(&crd::<closed::closed>()).await;
    let starts = || async { refusal(world.prepare::<closed::closed>(())).await.is_none().then_some(()) };
    eventually(SOON, starts).await;
    world
}

async fn a_kind_pauses_while_its_crd_is_outdated(world: World) -> World {
    world.install(&crd::<paused::paused>()).await;
    world.install(&crd::<steady::steady>()).await;
    for (name, size) in [("one", 1), ("two", 2)] {
        world.create::<paused::Paused>(object("Paused", name, size)).await;
    }
    world.create::<steady::Steady>(object("Steady", "other", 1)).await;
    world.wire.observers().know::<paused::paused>();
    world.wire.observers().know::<steady::steady>();
    let operator = world.prepare::<paused::paused>(()).reconciler::<steady::steady>(());
    let (operator, address) = listening(operator);
    let operator = Running::start(operator);
    world.until::<paused::Paused>("two", "ready", |object| shows(object, 2)).await;
    world.until::<paused::Paused>("one", "ready", |object| shows(object, 1)).await;
    world.install(&outdated::<paused::paused>()).await;
    let text = eventually(SOON, || async {
        let text = get(address, "/readyz").await.body;
        text.contains("paused paused for").then_some(text)
    })
    .await;
    assert!(text.contains(".status.seen.size is missing; ") && text.contains(" crds | kubectl apply -f -"), "{text}");
    world.quiet().await;
    world.wire.clear();
    // The server prunes the size from every object that is written now.
    let changes =
        [("one", json!({ "spec": { "size": 7 } })), ("two", json!({ "metadata": { "labels": { "a": "b" } } }))];
    for (name, change) in changes {
        world.merge::<paused::Paused>(name, change).await;
    }
    world.create::<paused::Paused>(object("Paused", "three", 3)).await;
    world.merge::<steady::Steady>("other", json!({ "spec": { "size": 5 } })).await;
    world.until::<steady::Steady>("other", "the other kind goes on", |object| shows(object, 5)).await;
    world.quiet().await;
    assert_eq!(world.wire.count(|call| call.is_write() && call.path.contains("/pauseds")), 0);
    world.install(&crd::<paused::paused>()).await;
    for (name, size) in [("one", 7), ("two", 2), ("three", 3)] {
        world.until::<paused::Paused>(name, "ready again", |object| shows(object, size)).await;
    }
    eventually_eq(SOON, "ready\n".to_owned(), || async { get(address, "/readyz").await.body }).await;
    operator.stop().await.unwrap();
    world
}

/// Neither the CRD nor the published schema can be read, so only the answers to status writes show the loss.
async fn a_status_dropped_by_the_crd_is_reported_once(world: World) -> World {
    world.wire.fault(|call| {
        let hidden = is_about_crds(call) || call.path.starts_with("/openapi");
        hidden.then_some(Fault::Answer(403, None))
    });
    world.install(&outdated::<silent::silent>()).await;
    world.wire.observers().excuse("one");
    let operator = world.operator::<silent::silent>(());
    world.create::<silent::Silent>(object("Silent", "one", 1)).await;
    let reason = "StatusNotWritten";
    let note = eventually(SOON, || async { world.notes("one", reason).into_iter().next() }).await;
    assert!(note.contains(".status.seen.size") && note.contains("silents.schema.tests.evenkeel.dev"), "{note}");
    assert!(note.contains(" crds | kubectl apply -f -"), "{note}");
    tokio::time::sleep(Duration::from_secs(4)).await;
    let writes = world.wire.count(Call::is_status_write);
    assert!(writes <= 5, "along the back-off curve: {writes}");
    assert_eq!(world.events_sent(reason), 1, "reported once");
    world.install(&crd::<silent::silent>()).await;
    world.until::<silent::Silent>("one", "whole", |object| shows(object, 1)).await;
    let digest =
        |object: &Value| object["status"]["observedInputs"]["digest"].as_str().is_some_and(|digest| !digest.is_empty());
    world.until::<silent::Silent>("one", "final", digest).await;
    operator.stop().await.unwrap();
    world
}

async fn world() -> World {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    world
}

#[tokio::test(start_paused = true)]
async fn the_crd_watch_is_shared_and_idle() {
    let world = world().await;
    let second = world.prepare::<widget>(Lab::at("a")).reconciler::<second::second>(());
    let operator = Running::start(second);
    tokio::time::sleep(Duration::from_secs(60)).await;
    let lists =
        world.wire.count(|call| is_about_crds(call) && call.query.contains("fieldSelector") && !call.is_watch());
    assert!(lists <= 1, "one for both reconcilers: {:#?}", world.wire.calls());
    world.wire.clear();
    tokio::time::sleep(Duration::from_secs(3600)).await;
    let watches = world.wire.count(|call| is_about_crds(call) && call.is_watch());
    assert!((1..=14).contains(&watches), "a watch ends by itself within five minutes: {watches}");
    assert_eq!(world.wire.count(|call| is_about_crds(call) && !call.is_watch()), 0);
    operator.stop().await.unwrap();
}

mod second {
    use super::*;
    use evenkeel_tests::widget::Widget;

    #[derive(ConditionSet)]
    #[condition_set(mod = on)]
    pub(crate) enum Conditions {
        /// It was seen.
        #[condition(positive)]
        Watched,
    }

    #[sub_reconciler(sets(on::Watched))]
    async fn look(_: &Widget, _cx: &mut Cx<'_, look>) -> Result<(), WidgetError> {
        Ok(())
    }

    #[reconciler(conditions = Conditions, summary = "SecondReady")]
    pub(crate) async fn second(widget: &Widget, cx: &mut Pass<'_>) -> PassResult {
        look(widget, cx).await?;
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn a_forbidden_crd_watch_is_logged_once_and_retried_seldom() {
    let world = world().await;
    let (logs, _capturing) = Logs::capture();
    world.wire.fault(|call| is_about_crds(call).then_some(Fault::Answer(403, None)));
    let operator = world.operator::<widget>(Lab::at("a"));
    tokio::time::sleep(Duration::from_secs(3600)).await;
    let asked = world.wire.count(is_about_crds);
    assert!((2..=10).contains(&asked), "{asked}");
    assert_eq!(logs.with(&["INFO", "grant get, list, watch on customresourcedefinitions"]).len(), 1);
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn permission_to_get_crds_suffices_for_the_start() {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&outdated::<spare::spare>()).await;
    world.wire.fault(|call| {
        (is_about_crds(call) && call.query.contains("fieldSelector")).then_some(Fault::Answer(403, None))
    });
    let error = refusal(world.prepare::<spare::spare>(())).await.expect("it does not start");
    assert!(error.to_string().contains(".status.seen.size is missing"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_kind_pauses_under_a_kube_controller() {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&crd::<spare::spare>()).await;
    world.wire.observers().know::<spare::spare>();
    let operator = Operator::new("tester").client(world.wire.client(&world.client)).namespaces([&*world.namespace]);
    let (context, triggers) = operator.for_kube_controller::<spare::spare>(()).await.unwrap();
    let controller = Controller::new(world.api::<spare::Spare>(), watcher::Config::default()).reconcile_on(triggers);
    let running = tokio::spawn(
        controller.run(kube_controller::reconcile, kube_controller::error_policy, context).for_each(async |_| ()),
    );
    world.create::<spare::Spare>(object("Spare", "one", 1)).await;
    world.until::<spare::Spare>("one", "ready", |object| shows(object, 1)).await;
    world.install(&outdated::<spare::spare>()).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    world.wire.clear();
    world.merge::<spare::Spare>("one", json!({ "spec": { "size": 2 } })).await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(world.wire.count(Call::is_status_write), 0);
    world.install(&crd::<spare::spare>()).await;
    world.until::<spare::Spare>("one", "ready again", |object| shows(object, 2)).await;
    running.abort();
}
