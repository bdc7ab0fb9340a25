//! Limits of an operator: concurrency and the rate of retries.

use std::num::NonZero;
use std::sync::Arc;
use std::time::Duration;

use evenkeel::prelude::*;
use evenkeel_testkit::eventually;
use evenkeel_tests::test_env::{Running, SOON, Server, World};
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

/// Copies widgets, and waits while the test holds the lab.
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

/// Long enough for all allowed passes to start, and shorter than the timeout of a widget.
const STANDING: Duration = Duration::from_secs(2);

/// A cluster with this many widgets.
async fn with_widgets(count: usize, spec: &Value) -> World {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    for at in 0..count {
        world.create::<Widget>(a_widget(&format!("w{at}"), spec.clone())).await;
    }
    world
}

/// Reconciles three objects at a time.
#[reconciler(conditions = BackupCondition, concurrency = 3)]
async fn narrow(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    back_up(widget, lab, cx).await?;
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn the_operator_overrides_the_concurrency_of_a_reconciler() {
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
async fn a_reconciler_may_set_its_own_concurrency() {
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
async fn a_shared_concurrency_limit_starves_no_reconciler() {
    let (world, lab, backups) = (with_widgets(20, &json!({})).await, Lab::at("a"), Lab::at("a"));
    let held = (lab.hold.lock().await, backups.hold.lock().await);
    let operator = world.prepare::<widget>(lab.clone()).reconciler::<backup>(backups.clone());
    let running = Running::start(operator.total_concurrency(const { NonZero::new(4).unwrap() }));
    sleep(STANDING).await;
    assert_eq!(lab.passes() + backups.log().len(), 4);
    drop(held.0);
    sleep(STANDING).await;
    // Both reconcilers got slots while both had objects waiting.
    assert_eq!(backups.log().len(), 4);
    assert!(lab.passes() < 20, "{}", lab.passes());
    drop(held.1);
    sleep(STANDING).await;
    assert_eq!((lab.passes(), backups.log().len()), (20, 20));
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn retries_are_rate_limited_and_changes_are_not() {
    let (world, lab) = (with_widgets(40, &json!({ "fetch": "broken" })).await, Lab::at("a"));
    let running =
        Running::start(world.prepare::<widget>(lab.clone()).retries_per_second(const { NonZero::new(2).unwrap() }));
    sleep(Duration::from_secs(11)).await;
    // Without a rate there are four attempts of each.
    let tries = lab.passes() - 40;
    assert!((15..=24).contains(&tries), "two at once and two per second from the first second on: {tries}");
    let before = lab.log().iter().filter(|line| *line == "fetch w7").count();
    world.merge::<Widget>("w7", json!({ "spec": { "child": "new" } })).await;
    sleep(Duration::from_millis(50)).await;
    assert_eq!(lab.log().iter().filter(|line| *line == "fetch w7").count(), before + 1);
    running.stop().await.unwrap();
}

#[tokio::test]
async fn a_concurrency_for_an_unknown_reconciler_is_refused() {
    let world = with_widgets(0, &json!({})).await;
    let operator = world.prepare::<widget>(Lab::at("a")).concurrency_of::<backup>(const { NonZero::new(3).unwrap() });
    let error = operator.run_until(std::future::pending()).await.unwrap_err().to_string();
    assert!(error.starts_with("`backup` has limits but is not a reconciler of this operator"), "{error}");
}

/// With the default back-off the sixteenth retry would begin after more than an hour.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reconciler_may_have_a_backoff_of_its_own() {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let operator = world.prepare::<widget>(lab.clone());
    let running = Running::start(operator.backoff_of::<widget>(Duration::from_millis(5), Duration::from_millis(20)));
    world.create::<Widget>(a_widget("w", json!({ "store": "broken" }))).await;
    let tries = || lab.log().iter().filter(|line| *line == "store w").count();
    eventually(SOON, || async { (tries() > 16).then_some(()) }).await;
    running.stop().await.unwrap();
}

#[tokio::test]
async fn an_invalid_backoff_is_a_startup_error() {
    let world = World::on(Server::InProcess).await.unwrap();
    for (first, longest) in [(0, 1), (2000, 1000)] {
        let operator = world.prepare::<widget>(Lab::at("a"));
        let (first, longest) = (Duration::from_millis(first), Duration::from_millis(longest));
        let error = Running::start(operator.backoff_of::<widget>(first, longest)).stop().await.unwrap_err().to_string();
        assert!(error.contains("the back-off of `widget` is invalid") && error.contains("backoff_of"), "{error}");
    }
}
