//! Dry runs: what they print, and that they change nothing.

use std::io::Write;
use std::sync::{Arc, Mutex};

use evenkeel::prelude::*;
use evenkeel::{EventLevel, Operator};
use evenkeel_tests::on_each_server;
use evenkeel_tests::recording_client::{Call, Fault};
use evenkeel_tests::test_env::{Server, World};
use evenkeel_tests::widget::{Lab, Widget, WidgetCondition, a_widget, definition, is_ready, on, widget};
use http::Request;
use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret};
use kube::ResourceExt;
use kube::api::Api;
use serde_json::{Value, json};

#[derive(Debug, thiserror::Error, ReconcileError)]
enum StepError {
    #[error(transparent)]
    #[class(transient)]
    Api(#[from] ApiError),
    #[error(transparent)]
    #[class(transient)]
    Call(#[from] kube::Error),
}

/// Changes the object only.
#[claim]
async fn label(widget: &mut Widget) -> Result<(), StepError> {
    widget.labels_mut().insert("tier".into(), "web".into());
    Ok(())
}

/// Applies a config map and a secret.
#[sub_reconciler(sets(on::Fetched, on::Outdated), owns(ConfigMap), owns(Secret))]
async fn apply(widget: &Widget, cx: &mut Cx) -> Result<(), StepError> {
    let mut map = ConfigMap::default();
    map.metadata.name = Some(widget.name_any());
    map.data = Some([("tier".to_owned(), widget.labels()["tier"].clone())].into());
    cx.apply(&map).await?;
    let mut secret = Secret::default();
    secret.metadata.name = Some(widget.name_any());
    secret.string_data = Some([("password".to_owned(), "topsecret".to_owned())].into());
    cx.apply(&secret).await?;
    cx.event(EventLevel::Normal, "Applied", "applied both");
    Ok(())
}

/// Has an effect outside of the cluster, and no result.
#[sub_reconciler(sets(on::Stored), external)]
async fn notify(_widget: &Widget, lab: &Arc<Lab>, _cx: &mut Cx) -> Result<(), StepError> {
    lab.note("notify");
    Ok(())
}

#[cleanup(of = notify)]
async fn recall(_widget: &Widget, lab: &Arc<Lab>, _cx: &mut Cx<'_, notify>) -> Result<(), StepError> {
    lab.note("recall");
    Ok(())
}

#[hook(after_steps)]
async fn mail(_widget: &Widget, lab: &Arc<Lab>) -> Result<(), StepError> {
    lab.note("mail");
    Ok(())
}

#[daemon]
async fn follow(_widget: &Widget, lab: &Arc<Lab>, _daemon: &Daemon) -> Result<(), StepError> {
    lab.note("follow");
    Ok(())
}

/// The external step comes first, so the others run after it.
#[reconciler(conditions = WidgetCondition, claim = label, hooks(mail), daemons(follow))]
async fn mixed(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    notify(widget, lab, cx).await?;
    apply(widget, cx).await?;
    Ok(())
}

/// The same without external effects, so the status is known.
#[reconciler(conditions = WidgetCondition, claim = label)]
async fn applied(widget: &Widget, cx: &mut Pass<'_>) -> PassResult {
    apply(widget, cx).await?;
    stored(widget, cx).await?;
    Ok(())
}

#[sub_reconciler(sets(on::Stored))]
async fn stored(_widget: &Widget, cx: &mut Cx) -> Result<(), StepError> {
    cx.status().stored = Some("by a dry run".into());
    Ok(())
}

/// Its result is needed later.
#[sub_reconciler(sets(on::Fetched, on::Outdated), external)]
async fn order(_widget: &Widget, lab: &Arc<Lab>, _cx: &mut Cx) -> Result<u32, StepError> {
    lab.note("order");
    Ok(1)
}

#[cleanup(of = order)]
async fn cancel(_widget: &Widget, lab: &Arc<Lab>, _cx: &mut Cx<'_, order>) -> Result<(), StepError> {
    lab.note("cancel");
    Ok(())
}

#[sub_reconciler(sets(on::Stored))]
async fn ship(_widget: &Widget, lab: &Arc<Lab>, _order: &u32, _cx: &mut Cx) -> Result<(), StepError> {
    lab.note("ship");
    Ok(())
}

#[claim]
async fn ask(_widget: &mut Widget, lab: &Arc<Lab>) -> Result<(), StepError> {
    lab.note("ask");
    Ok(())
}

#[reconciler(conditions = WidgetCondition, claim = ask)]
async fn ordered(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    let order = order(widget, lab, cx).await?;
    ship(widget, lab, &order, cx).await?;
    Ok(())
}

/// Blocks a thread, starts an operation, or executes a command, as the spec names it.
#[sub_reconciler(sets(on::Fetched, on::Outdated), uses(Pod, exec = get))]
async fn effect(widget: &Widget, lab: &Arc<Lab>, cx: &mut Cx) -> Result<(), StepError> {
    match widget.spec.fetch.as_deref() {
        Some("blocking") => {
            let lab = lab.clone();
            cx.blocking(move || lab.note("blocking")).await;
        }
        _ => {
            let exec = Request::get("/api/v1/namespaces/default/pods/p/exec?command=ls").body(Vec::new());
            cx.client().request_text(exec.unwrap()).await?;
        }
    }
    lab.note("after the effect");
    Ok(())
}

#[reconciler(conditions = WidgetCondition)]
async fn with_effects(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    effect(widget, lab, cx).await?;
    stored(widget, cx).await?;
    Ok(())
}

/// What a dry run printed.
#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Runs the operator dry, and checks that nothing but simulated writes was sent.
async fn dry_run(world: &World, operator: Operator) -> String {
    world.wire.clear();
    let output = Output::default();
    operator.dry_run(output.clone()).await.unwrap();
    let real: Vec<_> =
        world.wire.calls().into_iter().filter(|call| call.is_write() && !call.query.contains("dryRun=All")).collect();
    assert!(real.is_empty(), "{real:#?}");
    assert_eq!(world.wire.count(Call::is_event), 0);
    String::from_utf8(output.0.lock().unwrap().clone()).unwrap()
}

async fn in_process() -> World {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    world
}

/// The widgets and whether there is a config map, to compare before and after.
async fn stored_objects(world: &World) -> (Value, bool) {
    let maps = Api::<ConfigMap>::namespaced(world.client.clone(), &world.namespace);
    (world.raw::<Widget>("w").await, maps.get_opt("w").await.unwrap().is_some())
}

on_each_server!(
    writes_are_printed_as_differences_and_not_stored,
    external_effects_are_reported_and_the_other_steps_run,
    a_deletion_reports_its_cleanups_and_keeps_the_object
);

async fn writes_are_printed_as_differences_and_not_stored(world: World) -> World {
    world.install(&definition()).await;
    world.create::<Widget>(a_widget("w", json!({}))).await;
    let before = stored_objects(&world).await;
    let printed = dry_run(&world, world.prepare::<applied>(())).await;
    for line in [
        format!("Widget {}/w", world.namespace),
        format!("  would patch widgets.tests.evenkeel.dev {}/w:", world.namespace),
        "    +    tier: web".into(),
        format!("  would create configmaps {}/w:", world.namespace),
        "    +  tier: web".into(),
        format!("  would create secrets {}/w:", world.namespace),
        "    +  password: (hidden)".into(),
        format!("  would apply widgets.tests.evenkeel.dev/status {}/w:", world.namespace),
        "    +  stored: by a dry run".into(),
        "dry run: objects: 1, with changes: 1, with an unknown status: 0, writes: 4, rejected writes: 0".into(),
    ] {
        assert!(printed.lines().any(|printed| printed == line), "{line} is not in\n{printed}");
    }
    assert!(!printed.contains("topsecret") && !printed.contains("dG9wc2VjcmV0"), "{printed}");
    assert_eq!(stored_objects(&world).await, before);
    world
}

async fn external_effects_are_reported_and_the_other_steps_run(world: World) -> World {
    world.install(&definition()).await;
    world.create::<Widget>(a_widget("w", json!({}))).await;
    let (before, lab) = (stored_objects(&world).await, Lab::at("a"));
    let printed = dry_run(&world, world.prepare::<mixed>(lab.clone())).await;
    let parts: Vec<_> = printed.lines().filter(|line| line.starts_with("  ") && !line.starts_with("    ")).collect();
    let namespace = &world.namespace;
    assert_eq!(
        parts,
        [
            format!("  would patch widgets.tests.evenkeel.dev {namespace}/w:"),
            "  would run the external step `notify`".into(),
            format!("  would create configmaps {namespace}/w:"),
            format!("  would create secrets {namespace}/w:"),
            "  would run the hook `mail`".into(),
            "  would start the daemon `follow`".into(),
            "  not known: the status".into(),
        ],
        "{printed}"
    );
    assert!(printed.contains("    +  finalizers:"), "{printed}");
    assert_eq!((stored_objects(&world).await, lab.log()), (before, Vec::new()));
    world
}

async fn a_deletion_reports_its_cleanups_and_keeps_the_object(world: World) -> World {
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let operator = world.operator::<widget>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({ "child": "x" }))).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    operator.stop().await.unwrap();
    let unchanged = dry_run(&world, world.prepare::<widget>(lab.clone())).await;
    let sums = |changed| format!("dry run: objects: 1, with changes: {changed}, with an unknown status: {changed}, ");
    assert!(unchanged.starts_with(&sums(0)), "{unchanged}");
    world.delete::<Widget>("w").await;
    let before = stored_objects(&world).await;
    let printed = dry_run(&world, world.prepare::<widget>(lab.clone())).await;
    assert!(printed.contains("  would run the cleanup `remove`\n"), "{printed}");
    assert!(printed.contains("    -  finalizers:\n") && printed.contains(&sums(1)), "{printed}");
    assert_eq!((stored_objects(&world).await, lab.cleanups()), (before, 0));
    let operator = world.operator::<widget>(lab.clone());
    world.until_gone::<Widget>("w").await;
    operator.stop().await.unwrap();
    world
}

#[tokio::test]
async fn steps_after_an_external_one_whose_result_they_need_are_not_known() {
    let (world, lab) = (in_process().await, Lab::at("a"));
    world.create::<Widget>(a_widget("w", json!({}))).await;
    let printed = dry_run(&world, world.prepare::<ordered>(lab.clone())).await;
    for line in [
        "  would run the claim `ask`, since it has dependencies",
        "  would run the external step `order`",
        "  not known: `ship`, since `order` did not run",
        "  not known: the status",
    ] {
        assert!(printed.lines().any(|printed| printed == line), "{line} is not in\n{printed}");
    }
    assert_eq!(lab.log(), Vec::<String>::new());
}

#[tokio::test]
async fn blocking_work_and_calls_with_effects_are_not_run() {
    for (mode, line) in [
        ("blocking", "  would run the blocking work of the step `effect`"),
        ("exec", "  would run the call get pods/exec "),
    ] {
        let (world, lab) = (in_process().await, Lab::at("a"));
        world.create::<Widget>(a_widget("w", json!({ "fetch": mode }))).await;
        let printed = dry_run(&world, world.prepare::<with_effects>(lab.clone())).await;
        assert!(printed.lines().any(|printed| printed.starts_with(line)), "{line} is not in\n{printed}");
        assert!(printed.contains("with an unknown status: 1"), "{printed}");
        assert_eq!(lab.log(), Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_rejected_write_and_a_failed_pass_are_printed() {
    let world = in_process().await;
    world.create::<Widget>(a_widget("w", json!({}))).await;
    world
        .wire
        .fault(|call| (call.path.ends_with("/configmaps/w") && call.is_write()).then(|| Fault::Answer(403, None)));
    let printed = dry_run(&world, world.prepare::<applied>(())).await;
    assert!(printed.contains("would fail to create configmaps "), "{printed}");
    assert!(printed.starts_with(&format!("Widget {}/w: Failed: ", world.namespace)), "{printed}");
    assert!(printed.contains("rejected writes: 1"), "{printed}");
}

#[tokio::test]
async fn several_objects_are_printed_in_order() {
    let world = in_process().await;
    for name in ["c", "a", "b"] {
        world.create::<Widget>(a_widget(name, json!({}))).await;
    }
    let printed = dry_run(&world, world.prepare::<applied>(())).await;
    let objects: Vec<_> = printed.lines().filter(|line| line.starts_with("Widget ")).collect();
    let wanted = ["a", "b", "c"].map(|name| format!("Widget {}/{name}", world.namespace));
    assert_eq!(objects, wanted, "{printed}");
}
