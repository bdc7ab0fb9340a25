//! How much of an operator runs at a time, and how fast it tries again.

use std::num::NonZero;
use std::sync::Arc;
use std::time::Duration;

use evenkeel::prelude::*;
use evenkeel_tests::test_env::{Running, Server, World};
use evenkeel_tests::widget::{Lab, Widget, WidgetError, a_widget, definition, widget};
use serde_json::{Value, json};
use tokio::time::sleep;

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum BackupCondition {
    /// There is a copy.
    #[condition(positive)]
    BackedUp,
}

/// Keeps copies of widgets, and stands still while the test holds the lab.
#[sub_reconciler(sets(on::BackedUp))]
async fn back_up(_: &Widget, lab: &Arc<Lab>, _cx: &mut Cx) -> Result<(), WidgetError> {
    lab.note("back up");
    drop(lab.hold.lock().await);
    Ok(())
}

#[reconciler(conditions = BackupCondition, summary = "BackupReady")]
async fn backup(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    back_up(widget, lab, cx).await?;
    Ok(())
}

/// Long enough for all passes to begin that may, and shorter than the time-out of a widget.
const STANDING: Duration = Duration::from_secs(2);

/// A cluster with so many widgets.
async fn with_widgets(count: usize, spec: &Value) -> World {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    for at in 0..count {
        world.create::<Widget>(a_widget(&format!("w{at}"), spec.clone())).await;
    }
    world
}

/// Works on three at a time.
#[reconciler(conditions = BackupCondition, concurrency = 3)]
async fn narrow(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    back_up(widget, lab, cx).await?;
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_reconciler_says_its_concurrency_itself_unless_the_operator_does_for_it() {
    for (given, expected) in [(None, 3), (Some(5), 5)] {
        let (world, lab) = (with_widgets(20, &json!({})).await, Lab::at("a"));
        let held = lab.hold.lock().await;
        let operator = world.prepare::<narrow>(lab.clone()).concurrency(const { NonZero::new(7).unwrap() });
        let operator = given.and_then(NonZero::new).into_iter().fold(operator, Operator::concurrency_of::<narrow>);
        let running = Running::start(operator);
        sleep(STANDING).await;
        assert_eq!(lab.log().len(), expected, "{:?}", lab.log());
        drop(held);
        running.stop().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_reconciler_may_have_a_concurrency_of_its_own() {
    let (world, lab, backups) = (with_widgets(20, &json!({})).await, Lab::at("a"), Lab::at("a"));
    let held = (lab.hold.lock().await, backups.hold.lock().await);
    let operator = world.prepare::<widget>(lab.clone()).reconciler::<backup>(backups.clone());
    let running = Running::start(
        operator
            .concurrency(const { NonZero::new(7).unwrap() })
            .concurrency_of::<widget>(const { NonZero::new(3).unwrap() }),
    );
    sleep(STANDING).await;
    assert_eq!((lab.log().len(), backups.log().len()), (3, 7), "{:?}", lab.log());
    drop(held);
    sleep(Duration::from_secs(10)).await;
    assert_eq!(backups.log().len(), 20);
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn all_reconcilers_together_may_be_bounded_and_none_is_left_out() {
    let (world, lab, backups) = (with_widgets(20, &json!({})).await, Lab::at("a"), Lab::at("a"));
    let held = (lab.hold.lock().await, backups.hold.lock().await);
    let operator = world.prepare::<widget>(lab.clone()).reconciler::<backup>(backups.clone());
    let running = Running::start(operator.total_concurrency(const { NonZero::new(4).unwrap() }));
    sleep(STANDING).await;
    assert_eq!(lab.passes() + backups.log().len(), 4);
    drop(held.0);
    sleep(STANDING).await;
    // Slots went to the one, too, while the other still had objects to look at.
    assert_eq!(backups.log().len(), 4);
    assert!(lab.passes() < 20, "{}", lab.passes());
    drop(held.1);
    sleep(STANDING).await;
    assert_eq!((lab.passes(), backups.log().len()), (20, 20));
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn tries_after_failures_keep_to_their_rate_and_changes_do_not_wait_for_them() {
    let (world, lab) = (with_widgets(40, &json!({ "fetch": "broken" })).await, Lab::at("a"));
    let running =
        Running::start(world.prepare::<widget>(lab.clone()).retries_per_second(const { NonZero::new(2).unwrap() }));
    sleep(Duration::from_secs(11)).await;
    // Without a rate, four tries of each.
    let tries = lab.passes() - 40;
    assert!((15..=24).contains(&tries), "two at once and two per second from the first second on: {tries}");
    let before = lab.log().iter().filter(|line| *line == "fetch w7").count();
    world.merge::<Widget>("w7", json!({ "spec": { "child": "new" } })).await;
    sleep(Duration::from_millis(50)).await;
    assert_eq!(lab.log().iter().filter(|line| *line == "fetch w7").count(), before + 1);
    running.stop().await.unwrap();
}

#[tokio::test]
async fn a_concurrency_of_a_reconciler_that_is_not_there_is_refused() {
    let world = with_widgets(0, &json!({})).await;
    let operator = world.prepare::<widget>(Lab::at("a")).concurrency_of::<backup>(const { NonZero::new(3).unwrap() });
    let error = operator.run_until(std::future::pending()).await.unwrap_err().to_string();
    assert!(error.starts_with("`backup` has a concurrency but is no reconciler here"), "{error}");
}
