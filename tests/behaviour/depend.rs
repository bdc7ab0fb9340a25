//! Dependencies: waiting, triggers, cycles, and references to other namespaces.

use std::sync::Arc;

use evenkeel::dependency::{Access, Reference};
use evenkeel::prelude::*;
use evenkeel_testkit::eventually;
use evenkeel_tests::on_each_server;
use evenkeel_tests::recording_client::Call;
use evenkeel_tests::sweep::from_everywhere;
use evenkeel_tests::test_env::{Running, SOON, Server, World};
use evenkeel_tests::widget::{
    Found, Lab, Widget, WidgetCondition, WidgetError, a_widget, definition, fetch, is_ready, message, on, reason,
    status_of, store,
};
use kube::api::{Api, DeleteParams, PostParams};
use serde_json::{Value, json};

/// Widgets depend on widgets.
#[reconciler(conditions = WidgetCondition, depends_on = spec.depends_on)]
pub(crate) async fn ordered(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    let revision = fetch(widget, lab, cx).await?;
    store(widget, lab, &revision, cx).await?;
    Ok(())
}

/// A widget depends on the widget with the name of its child.
fn namesake(widget: &Widget) -> Option<Vec<Reference>> {
    Some(vec![Reference::new(None, widget.spec.child.as_deref()?)])
}

/// The dependencies are computed.
#[reconciler(conditions = WidgetCondition, depends_on = namesake)]
async fn computed(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    let revision = fetch(widget, lab, cx).await?;
    store(widget, lab, &revision, cx).await?;
    Ok(())
}

#[derive(Debug, thiserror::Error, ReconcileError)]
enum GateError {
    #[error(transparent)]
    #[class(waiting)]
    Closed(#[from] NotReady<Widget>),
    #[error(transparent)]
    #[class(transient)]
    Other(#[from] WidgetError),
}

#[sub_reconciler(sets(on::Fetched, on::Outdated), watches(Widget, by_name))]
async fn pass_gate(widget: &Widget, lab: &Arc<Lab>, cx: &mut Cx<'_, pass_gate>) -> Result<Found, GateError> {
    if let Some(needed) = &widget.spec.needs {
        cx.require_ready::<Widget>(needed).await?;
    }
    lab.note("passed");
    Ok("a".into())
}

/// A step of a widget requires another widget.
#[reconciler(conditions = WidgetCondition)]
async fn gated(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    let revision = pass_gate(widget, lab, cx).await?;
    store(widget, lab, &revision, cx).await?;
    Ok(())
}

async fn start(world: &World) -> (Arc<Lab>, Running) {
    world.install(&definition()).await;
    let lab = Lab::at("a");
    (lab.clone(), world.operator::<ordered>(lab))
}

async fn create(world: &World, name: &str, on: Value) {
    world.create::<Widget>(a_widget(name, json!({ "dependsOn": on }))).await;
}

/// On Kubernetes 1.20 the creator of the object owns its status, so Stalled stays (see the deviations in the guide).
fn keeps_what_is_taken_away(world: &World) -> bool {
    world.server == Server::Full
}

async fn a_dependent_waits_until_its_dependency_is_ready(world: World) -> World {
    let (lab, operator) = start(&world).await;
    create(&world, "b", json!(["a"])).await;
    let waiting = world.until::<Widget>("b", "waiting", |b| status_of(b, "Ready") == "False").await;
    let wanted = format!("dependency {}/a does not exist yet", world.namespace);
    assert_eq!((reason(&waiting, "Ready"), message(&waiting, "Ready")), ("DependencyNotReady", wanted.as_str()));
    assert_eq!((reason(&waiting, "Fetched"), &waiting["metadata"]["finalizers"]), ("Blocked", &Value::Null));
    assert_eq!(
        (status_of(&waiting, "Reconciling").as_str(), &waiting["status"]["observedGeneration"]),
        ("True", &json!(-1))
    );
    create(&world, "a", json!([])).await;
    world.until::<Widget>("b", "ready", is_ready).await;
    let order: Vec<String> = lab.log().into_iter().filter(|line| line.starts_with("store")).collect();
    assert_eq!(order, ["store a", "store b"]);
    operator.stop().await.unwrap();
    world
}

async fn a_dependency_must_be_ready_for_its_generation(world: World) -> World {
    let (_, operator) = start(&world).await;
    create(&world, "a", json!([])).await;
    world.until::<Widget>("a", "ready", is_ready).await;
    world.merge::<Widget>("a", json!({ "spec": { "fetch": "broken" } })).await;
    world.until::<Widget>("a", "failed", |a| status_of(a, "Ready") == "False").await;
    create(&world, "b", json!([format!("{}/a", world.namespace)])).await;
    let waiting = world.until::<Widget>("b", "waiting", |b| status_of(b, "Ready") == "False").await;
    assert!(message(&waiting, "Ready").ends_with("a is not ready: generation 2 is not observed yet"), "{waiting:#}");
    world.merge::<Widget>("a", json!({ "spec": { "fetch": null } })).await;
    world.until::<Widget>("b", "ready", is_ready).await;
    operator.stop().await.unwrap();
    world
}

async fn a_cycle_is_reported_and_resumes_when_broken(world: World) -> World {
    let (lab, operator) = start(&world).await;
    for (name, on) in [("a", "b"), ("b", "c"), ("c", "a")] {
        create(&world, name, json!([on])).await;
    }
    let stalled = |object: &Value| reason(object, "Stalled") == "DependencyCycle";
    let names = ["a", "b", "c"];
    for name in names {
        world.until::<Widget>(name, "stalled", stalled).await;
    }
    let ns = &world.namespace;
    let path = format!("the dependencies are a cycle: {ns}/b -> {ns}/c -> {ns}/a -> {ns}/b");
    assert_eq!(message(&world.raw::<Widget>("b").await, "Ready"), path);
    assert_eq!((lab.passes(), world.wire.count(|call| !call.is_write() && call.path.contains("/widgets/"))), (0, 0));
    operator.stop().await.unwrap();
    world.wire.clear();
    let operator = world.operator::<ordered>(lab.clone());
    world.quiet().await;
    assert_eq!(world.wire.count(Call::is_write), 0, "a restart finds the same: {:#?}", world.wire.calls());
    if keeps_what_is_taken_away(&world) {
        operator.stop().await.unwrap();
        return world;
    }
    world.merge::<Widget>("c", json!({ "spec": { "dependsOn": null } })).await;
    for name in names {
        world.until::<Widget>(name, "ready", is_ready).await;
    }
    operator.stop().await.unwrap();
    world
}

async fn an_expression_stalls_with_a_message(world: World) -> World {
    let (_, operator) = start(&world).await;
    create(&world, "a", json!([])).await;
    create(&world, "b", json!(["a@status.stored == 'a'"])).await;
    let stalled = world.until::<Widget>("b", "stalled", |b| status_of(b, "Stalled") == "True").await;
    assert_eq!(reason(&stalled, "Stalled"), "ExpressionNotSupported");
    if keeps_what_is_taken_away(&world) {
        operator.stop().await.unwrap();
        return world;
    }
    world.merge::<Widget>("b", json!({ "spec": { "dependsOn": ["a"] } })).await;
    world.until::<Widget>("b", "ready", is_ready).await;
    operator.stop().await.unwrap();
    world
}

async fn a_finished_dependent_does_not_run_again(world: World) -> World {
    let (lab, operator) = start(&world).await;
    create(&world, "a", json!([])).await;
    create(&world, "b", json!(["a"])).await;
    world.until::<Widget>("b", "ready", is_ready).await;
    let passes = || lab.log().iter().filter(|line| *line == "fetch b").count();
    let before = passes();
    world.merge::<Widget>("a", json!({ "spec": { "child": "x" } })).await;
    world.until::<Widget>("a", "ready", |a| a["status"]["observedGeneration"] == 2 && is_ready(a)).await;
    world.quiet().await;
    assert_eq!(passes(), before);
    operator.stop().await.unwrap();
    world
}

async fn a_step_waits_for_an_object_of_another_namespace(world: World) -> World {
    world.install(&definition()).await;
    let other = world.another_namespace().await;
    let lab = Lab::at("a");
    let operator = world.operator::<gated>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({ "needs": format!("{other}/base") }))).await;
    let waiting = world.until::<Widget>("w", "waiting", |w| reason(w, "Fetched") == "Closed").await;
    assert!(message(&waiting, "Fetched").contains("which this operator does not watch"), "{waiting:#}");
    operator.stop().await.unwrap();
    let operator = Running::start(world.prepare_in::<gated>(&[&world.namespace, &other], lab.clone()));
    let wanted = format!("Widget \"{other}/base\" is not ready: it does not exist yet");
    world.until::<Widget>("w", "waiting for it", |w| message(w, "Fetched") == wanted).await;
    let base = serde_json::from_value(a_widget("base", json!({}))).unwrap();
    let there: Api<Widget> = Api::namespaced(world.client.clone(), &other);
    there.create(&PostParams::default(), &base).await.unwrap();
    world.until::<Widget>("w", "ready", is_ready).await;
    there.delete("base", &DeleteParams::default()).await.unwrap();
    eventually(SOON, || async { there.get_opt("base").await.unwrap().is_none().then_some(()) }).await;
    operator.stop().await.unwrap();
    world
}

async fn a_function_of_the_object_lists_what_it_depends_on(world: World) -> World {
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let operator = world.operator::<computed>(lab.clone());
    world.create::<Widget>(a_widget("b", json!({ "child": "a" }))).await;
    let waiting = world.until::<Widget>("b", "waiting", |b| reason(b, "Ready") == "DependencyNotReady").await;
    assert!(message(&waiting, "Ready").ends_with("/a does not exist yet"), "{waiting:#}");
    assert!(lab.log().is_empty());
    world.create::<Widget>(a_widget("a", json!({}))).await;
    world.until::<Widget>("b", "ready", is_ready).await;
    assert_eq!(lab.log(), ["fetch a", "store a", "fetch b", "store b"]);
    operator.stop().await.unwrap();
    world
}

async fn a_forbidden_cross_namespace_reference_stalls(world: World) -> World {
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let operator = Running::start(world.prepare::<ordered>(lab.clone()).access(Access::SameNamespace));
    create(&world, "a", json!([])).await;
    create(&world, "b", json!(["elsewhere/a"])).await;
    create(&world, "c", json!([format!("{}/a", world.namespace)])).await;
    let denied = |w: &Value| status_of(w, "Stalled") == "True" && reason(w, "Ready") == "AccessDenied";
    let stalled = world.until::<Widget>("b", "denied", denied).await;
    let from = &world.namespace;
    let wanted = format!(
        "reference \"elsewhere/a\" points from namespace {from} to elsewhere, which this operator does not allow"
    );
    assert!(message(&stalled, "Stalled").starts_with(&wanted), "{stalled:#}");
    world.until::<Widget>("c", "ready, as it names its own namespace", is_ready).await;
    assert!(!lab.log().contains(&"fetch b".to_owned()));
    operator.stop().await.unwrap();
    world
}

async fn a_denied_object_runs_once_allowed(world: World) -> World {
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let operator = Running::start(world.prepare::<gated>(lab.clone()).access(Access::SameNamespace));
    world.create::<Widget>(a_widget("w", json!({ "needs": "elsewhere/a" }))).await;
    let stalled = world.until::<Widget>("w", "denied", |w| reason(w, "Stalled") == "AccessDenied").await;
    let wanted = format!("points from namespace {} to elsewhere", world.namespace);
    assert!(message(&stalled, "Fetched").contains(&wanted), "the step reports it as well: {stalled:#}");
    operator.stop().await.unwrap();
    if keeps_what_is_taken_away(&world) {
        return world;
    }
    let operator = world.operator::<gated>(lab.clone());
    let waits = |w: &Value| message(w, "Fetched").contains("which this operator does not watch");
    world.until::<Widget>("w", "waiting", waits).await;
    operator.stop().await.unwrap();
    world
}

on_each_server!(
    a_function_of_the_object_lists_what_it_depends_on,
    a_forbidden_cross_namespace_reference_stalls,
    a_denied_object_runs_once_allowed,
    a_dependent_waits_until_its_dependency_is_ready,
    a_dependency_must_be_ready_for_its_generation,
    a_cycle_is_reported_and_resumes_when_broken,
    an_expression_stalls_with_a_message,
    a_finished_dependent_does_not_run_again,
    a_step_waits_for_an_object_of_another_namespace,
);

#[tokio::test(start_paused = true)]
async fn dependencies_converge_after_any_fault() {
    from_everywhere(&definition(), async |stage| {
        let lab = Lab::at("a");
        stage.operate::<ordered>(lab.clone());
        for (name, on) in [("c", "b"), ("b", "a"), ("x", "y"), ("y", "x")] {
            create(&stage, name, json!([on])).await;
        }
        stage.rest().await;
        assert_eq!(reason(&stage.raw::<Widget>("x").await, "Stalled"), "DependencyCycle");
        create(&stage, "a", json!([])).await;
        stage.merge::<Widget>("y", json!({ "spec": { "dependsOn": null } })).await;
        stage.rest().await;
        for name in ["a", "b", "c", "x", "y"] {
            assert!(is_ready(&stage.raw::<Widget>(name).await), "{name}");
        }
        let log = lab.log();
        let first = |line: &str| log.iter().position(|logged| logged == line);
        assert!(first("store a") < first("fetch b") && first("store b") < first("fetch c"), "{log:?}");
    })
    .await;
}
