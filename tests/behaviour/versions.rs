//! Successive versions of an operator: effects of the earlier one are undone, and nothing is forgotten.

use std::sync::Arc;

use evenkeel_testkit::eventually;
use evenkeel_tests::sweep::{Stage, from_everywhere};
use evenkeel_tests::test_env::{SOON, Server, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, condition, definition, is_ready};
use kube::api::DeleteParams;
use serde_json::json;
use tokio::sync::watch;

/// Two steps with effects outside the cluster.
mod first {
    use std::sync::Arc;

    use evenkeel::prelude::*;
    use evenkeel_tests::widget::{Lab, Widget, WidgetError};

    #[derive(ConditionSet)]
    #[condition_set(mod = on)]
    pub(super) enum HouseCondition {
        /// The walls stand.
        #[condition(positive)]
        Built,
        /// The walls have a colour.
        #[condition(positive)]
        Painted,
    }

    #[sub_reconciler(sets(on::Built), external)]
    pub(super) async fn build(_: &Widget, lab: &Arc<Lab>, _cx: &mut Cx<'_, build>) -> Result<(), WidgetError> {
        lab.note("build");
        Ok(())
    }

    #[sub_reconciler(sets(on::Painted), external)]
    pub(super) async fn paint(_: &Widget, lab: &Arc<Lab>, _cx: &mut Cx<'_, paint>) -> Result<(), WidgetError> {
        lab.note("paint");
        Ok(())
    }

    #[cleanup(of = build)]
    pub(super) async fn demolish(_: &Widget, lab: &Arc<Lab>, _cx: &mut Cx<'_, build>) -> Result<(), WidgetError> {
        lab.note("demolish");
        Ok(())
    }

    #[cleanup(of = paint)]
    pub(super) async fn strip(_: &Widget, lab: &Arc<Lab>, _cx: &mut Cx<'_, paint>) -> Result<(), WidgetError> {
        lab.note("strip");
        Ok(())
    }

    #[reconciler(conditions = HouseCondition, requeue = "10m", field_manager = "tester/house", finalizer = "tests.evenkeel.dev/old-house")]
    pub(super) async fn house(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
        build(widget, lab, cx).await?;
        paint(widget, lab, cx).await?;
        Ok(())
    }
}

/// The same with a new finalizer.
mod renamed {
    use std::sync::Arc;

    use evenkeel::prelude::*;
    use evenkeel_tests::widget::{Lab, Widget};

    use super::first::{HouseCondition, build, paint};

    #[reconciler(
        conditions = HouseCondition,
        requeue = "10m",
        field_manager = "tester/house",
        previously(finalizers("tests.evenkeel.dev/old-house"))
    )]
    pub(super) async fn house(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
        build(widget, lab, cx).await?;
        paint(widget, lab, cx).await?;
        Ok(())
    }
}

/// No effects outside the cluster, and one condition less.
mod last {
    use std::sync::Arc;

    use evenkeel::prelude::*;
    use evenkeel_tests::widget::{Lab, Widget, WidgetError};

    #[derive(ConditionSet)]
    #[condition_set(mod = on)]
    pub(super) enum PlanCondition {
        /// The plan is drawn.
        #[condition(positive)]
        Built,
    }

    #[sub_reconciler(sets(on::Built))]
    pub(super) async fn draw(_: &Widget, lab: &Arc<Lab>, _cx: &mut Cx<'_, draw>) -> Result<(), WidgetError> {
        lab.note("draw");
        Ok(())
    }

    #[reconciler(
        conditions = PlanCondition,
        requeue = "10m",
        field_manager = "tester/house",
        previously(finalizers("tests.evenkeel.dev/old-house"))
    )]
    pub(super) async fn house(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
        draw(widget, lab, cx).await?;
        Ok(())
    }
}

async fn built() -> World {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    world.create::<Widget>(a_widget("w", json!({}))).await;
    let operator = world.operator::<first::house>(Lab::at("a"));
    let object = world.until::<Widget>("w", "ready", is_ready).await;
    assert_eq!(object["metadata"]["finalizers"], json!(["tests.evenkeel.dev/old-house"]));
    assert!(condition(&object, "Painted").is_some());
    operator.stop().await.unwrap();
    world
}

#[tokio::test]
async fn cleanups_run_in_reverse_order() {
    let world = built().await;
    let lab = Lab::at("a");
    let operator = world.operator::<first::house>(lab.clone());
    world.api::<Widget>().delete("w", &DeleteParams::default()).await.unwrap();
    eventually(SOON, || async { world.api::<Widget>().get_opt("w").await.unwrap().is_none().then_some(()) }).await;
    assert_eq!(lab.log(), ["strip", "demolish"]);
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn a_renamed_finalizer_is_replaced_in_one_write() {
    let world = built().await;
    world.wire.clear();
    let operator = world.operator::<renamed::house>(Lab::at("a"));
    let settled = json!(["tests.evenkeel.dev/tester"]);
    world.until::<Widget>("w", "the new finalizer", |o| o["metadata"]["finalizers"] == settled).await;
    let writes = world.wire.count(|call| call.is_write() && call.body.contains("finalizers"));
    assert_eq!(writes, 1);
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn conditions_of_an_earlier_version_are_removed() {
    let world = built().await;
    let lab = Lab::at("a");
    let operator = world.operator::<last::house>(lab.clone());
    let object = world.until::<Widget>("w", "settled", |o| is_ready(o) && condition(o, "Painted").is_none()).await;
    assert_eq!(object["metadata"]["finalizers"], json!(null), "no step is external any more");
    assert_eq!(lab.log(), ["draw"]);
    world.api::<Widget>().delete("w", &DeleteParams::default()).await.unwrap();
    eventually(SOON, || async { world.api::<Widget>().get_opt("w").await.unwrap().is_none().then_some(()) }).await;
    operator.stop().await.unwrap();
}

/// Runs the version in the channel until it changes.
fn deploy(stage: &Stage, lab: &Arc<Lab>, version: &watch::Sender<u8>) {
    let (lab, version) = (lab.clone(), version.clone());
    stage.wire.observers().know::<first::house>();
    stage.wire.observers().know::<last::house>();
    stage.run(move |operator| {
        let mut version = version.subscribe();
        let (lab, now) = (lab.clone(), *version.borrow_and_update());
        let operator = match now {
            0 => operator.reconciler::<first::house>(lab),
            1 => operator.reconciler::<renamed::house>(lab),
            _ => operator.reconciler::<last::house>(lab),
        };
        operator.run_until(async move { drop(version.changed().await) })
    });
}

#[tokio::test(start_paused = true)]
async fn version_changes_converge_after_any_fault() {
    from_everywhere(&definition(), async |stage| {
        let (lab, version) = (Lab::at("a"), watch::Sender::new(0));
        deploy(&stage, &lab, &version);
        for name in ["stays", "goes"] {
            stage.create::<Widget>(a_widget(name, json!({}))).await;
        }
        stage.rest().await;
        version.send_replace(1);
        stage.rest().await;
        let settled = json!(["tests.evenkeel.dev/tester"]);
        assert_eq!(stage.raw::<Widget>("stays").await["metadata"]["finalizers"], settled);
        stage.delete::<Widget>("goes").await;
        assert!(["strip", "demolish"].iter().all(|line| lab.log().iter().any(|logged| logged == line)));
        version.send_replace(2);
        stage.rest().await;
        let last = stage.raw::<Widget>("stays").await;
        assert!(is_ready(&last) && condition(&last, "Painted").is_none());
        assert_eq!(last["metadata"]["finalizers"], json!(null));
    })
    .await;
}
