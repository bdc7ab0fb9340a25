//! A generated reconciler under a kube `Controller`.

use std::sync::Arc;
use std::time::Duration;

use evenkeel::Operator;
use evenkeel::operator::{Reason, kube_controller};
use evenkeel_testkit::eventually;
use evenkeel_tests::on_each_server;
use evenkeel_tests::recording_client::Call;
use evenkeel_tests::test_env::{SOON, Server, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition, is_ready, status_of, widget};
use futures::StreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::DeleteParams;
use kube::runtime::{Controller, controller, watcher};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::sleep;

on_each_server!(objects_live_as_under_an_operator, a_controller_needs_no_unstable_features,);

/// How the controller receives external triggers.
#[derive(Clone, Copy, PartialEq)]
enum Ears {
    /// Each object by name.
    Fine,
    /// Only that there is one.
    Coarse,
}

/// A controller as its author would write it; it ends with the returned set.
async fn controller(world: &World, lab: &Arc<Lab>, ears: Ears) -> JoinSet<()> {
    world.wire.observers().know::<widget>();
    let client = world.wire.client(&world.client);
    let operator = Operator::new("tester").client(client).namespaces([&*world.namespace]);
    let (context, triggers) = operator.for_kube_controller::<widget>(lab.clone()).await.unwrap();
    let controller = Controller::new(world.api::<Widget>(), watcher::Config::default())
        .with_config(controller::Config::default().concurrency(16));
    let controller = match ears {
        Ears::Fine => controller.reconcile_on(triggers),
        Ears::Coarse => controller.reconcile_all_on(triggers.map(drop)),
    };
    let mut running = JoinSet::new();
    running.spawn(
        controller.run(kube_controller::reconcile, kube_controller::error_policy, context).for_each(async |_| ()),
    );
    running
}

fn secret(name: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": name }, "data": { "k": "dg==" } })
}

async fn scenario(world: &World, ears: Ears) {
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let running = controller(world, &lab, ears).await;
    world.create::<Widget>(a_widget("w", json!({ "secret": "login", "child": "x" }))).await;
    world.until::<Widget>("w", "waits for the secret", |w| status_of(w, "Ready") == "False").await;
    world.create::<Secret>(secret("login")).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    let passes = lab.passes();

    // Its own writes trigger nothing; a deleted child is created again.
    world.api::<ConfigMap>().delete("w", &DeleteParams::default()).await.unwrap();
    eventually(SOON, || async { world.api::<ConfigMap>().get_opt("w").await.unwrap() }).await;
    assert_eq!(lab.passes(), passes + 1, "{:?}", lab.log());

    world.api::<Widget>().delete("w", &DeleteParams::default()).await.unwrap();
    eventually(SOON, || async { world.api::<Widget>().get_opt("w").await.unwrap().is_none().then_some(()) }).await;
    assert_eq!((lab.cleanups(), lab.passes()), (1, passes + 1));
    drop(running);
}

async fn objects_live_as_under_an_operator(world: World) -> World {
    scenario(&world, Ears::Fine).await;
    world
}

async fn a_controller_needs_no_unstable_features(world: World) -> World {
    scenario(&world, Ears::Coarse).await;
    world
}

#[tokio::test(start_paused = true)]
async fn an_idle_controller_makes_no_calls() {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let running = controller(&world, &lab, Ears::Fine).await;
    world.create::<Widget>(a_widget("w", json!({ "child": "x" }))).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    world.wire.clear();
    sleep(Duration::from_secs(24 * 3600)).await;
    assert_eq!(lab.passes(), 1, "a day, and its own two writes: {:?}", lab.log());
    // A silent watch reads the version of the server once, through a list of one item.
    let others: Vec<Call> = world.wire.calls().into_iter().filter(|call| !call.is_watch()).collect();
    assert!(others.len() <= 2 && others.iter().all(|call| call.query.contains("limit=1")), "{others:?}");
    drop(running);
}

#[tokio::test(start_paused = true)]
async fn intervals_and_back_off_follow_the_framework() {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let running = controller(&world, &lab, Ears::Fine).await;
    world.create::<Widget>(a_widget("hourly", json!({ "interval": "1h" }))).await;
    world.create::<Widget>(a_widget("broken", json!({ "fetch": "broken" }))).await;
    sleep(Duration::from_secs(24 * 3600)).await;
    let hours = lab.pauses("fetch hourly").len();
    assert!((22..=26).contains(&hours), "{hours} passes in a day");
    let pauses = lab.pauses("fetch broken");
    for (n, pause) in pauses.iter().enumerate() {
        let most = Duration::from_secs(1 << n.min(10)).min(Duration::from_secs(600));
        // The scheduler of the controller rounds up to milliseconds.
        assert!(
            *pause >= most.mul_f64(0.74) && *pause <= most + Duration::from_millis(50),
            "{n}: {pause:?} of {most:?}"
        );
    }
    assert!(pauses.len() > 24 * 6, "{} tries in a day", pauses.len());
    drop(running);
}

#[tokio::test(start_paused = true)]
async fn a_missing_crd_is_reported_at_once() {
    let world = World::on(Server::InProcess).await.unwrap();
    let operator = Operator::new("tester").client(world.wire.client(&world.client));
    let error = operator.for_kube_controller::<widget>(Lab::at("a")).await.err().unwrap();
    assert_eq!(error.reason(), Reason::NotInstalled, "{error}");
}

#[tokio::test(start_paused = true)]
async fn an_operator_with_reconcilers_hands_out_none() {
    let world = World::on(Server::InProcess).await.unwrap();
    let operator = world.prepare::<widget>(Lab::at("a"));
    let error = operator.for_kube_controller::<widget>(Lab::at("a")).await.err().unwrap();
    assert!(error.to_string().starts_with("`tester` has other reconcilers, so it cannot hand out widget"), "{error}");
}
