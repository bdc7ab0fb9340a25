//! Steps that watch objects of the kind that they reconcile come to rest.

use std::sync::Arc;
use std::time::Duration;

use evenkeel::prelude::*;
use evenkeel::{Index, Reconciler};
use evenkeel_tests::test_env::{Server, World};
use evenkeel_tests::widget::{Lab, Widget, WidgetError, a_widget, definition, is_ready};
use serde_json::{Value, json};
use tokio::time::sleep;

const MINUTE: Duration = Duration::from_secs(60);
/// How long a step takes, so that time passes also if objects trigger each other without end.
const CALL: Duration = Duration::from_millis(20);

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum PeerCondition {
    /// The other widgets are known.
    #[condition(positive)]
    Met,
}

macro_rules! peers {
    ($step:ident, $reconciler:ident, ($($watch:tt)*)) => {
        #[sub_reconciler(sets(on::Met), watches(Widget, $($watch)*))]
        async fn $step(widget: &Widget, lab: &Arc<Lab>, cx: &mut Cx) -> Result<(), WidgetError> {
            lab.note("body");
            sleep(CALL).await;
            if let Some(other) = &widget.spec.needs {
                cx.get::<Widget>(other).await?;
            }
            Ok(())
        }

        #[reconciler(conditions = PeerCondition)]
        async fn $reconciler(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
            $step(widget, lab, cx).await?;
            Ok(())
        }
    };
}

peers!(meet, meeting, (by_name));
peers!(meet_uncached, meeting_uncached, (by_name, cache = none));
peers!(select, selecting, (labels = "!hidden"));
peers!(select_metadata, selecting_metadata, (labels = "!hidden", cache = metadata));

/// Reads all widgets, itself among them.
#[sub_reconciler(sets(on::Met), watches(Widget, labels = "!hidden"))]
async fn count(_widget: &Widget, lab: &Arc<Lab>, cx: &mut Cx) -> Result<(), WidgetError> {
    sleep(CALL).await;
    let all = cx.list::<Widget>().await?;
    lab.note(&format!("{}", all.len()));
    Ok(())
}

#[reconciler(conditions = PeerCondition)]
async fn counting(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    count(widget, lab, cx).await?;
    Ok(())
}

/// The widgets that need the same widget.
struct ByNeed;

impl Index for ByNeed {
    const NAME: &'static str = "by-need";
    type Object = Widget;
    fn keys(widget: &Widget) -> Vec<String> {
        widget.spec.needs.iter().map(|needed| needed.name.clone()).collect()
    }
}

/// Reads the widgets with the same need, itself among them, and then does what its spec says.
#[sub_reconciler(sets(on::Met), watches(Widget, labels = "!hidden", index = ByNeed))]
async fn share(widget: &Widget, lab: &Arc<Lab>, cx: &mut Cx) -> Result<(), WidgetError> {
    sleep(CALL).await;
    lab.note("body");
    if let Some(needed) = &widget.spec.needs {
        cx.indexed(ByNeed, &needed.name).await?;
    }
    match widget.spec.store.as_deref() {
        Some("broken") => Err(WidgetError::Broken(format!("request {} failed", lab.log().len()))),
        _ => Ok(()),
    }
}

macro_rules! often {
    ($step:ident, $reconciler:ident) => {
        #[reconciler(conditions = PeerCondition, requeue = "5m")]
        async fn $reconciler(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
            $step(widget, lab, cx).await?;
            Ok(())
        }
    };
}

often!(meet, meeting_often);
often!(select, selecting_often);
often!(count, counting_often);
often!(share, sharing_often);

/// The bodies and the writes in the first hour after all are ready, in the day after it, and in the hour after a restart.
async fn costs<R: Reconciler<Object = Widget, Deps = Arc<Lab>>>(widgets: &[(&str, Value)]) -> [(usize, usize); 3] {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let mut operator = world.operator::<R>(lab.clone());
    for (name, spec) in widgets {
        world.create::<Widget>(a_widget(name, spec.clone())).await;
    }
    for (name, _) in widgets {
        world.until::<Widget>(name, "ready", is_ready).await;
    }
    sleep(Duration::from_secs(5)).await;
    let mut costs = [(0, 0); 3];
    for (cost, (hours, restarts)) in costs.iter_mut().zip([(1, false), (24, false), (1, true)]) {
        world.wire.clear();
        let before = lab.log().len();
        if restarts {
            operator.stop().await.unwrap();
            operator = world.operator::<R>(lab.clone());
        }
        for _ in 0..60 * hours {
            sleep(MINUTE).await;
            assert!(lab.log().len() < before + 1_000, "the widgets trigger each other");
        }
        *cost = (lab.log().len() - before, world.writes());
    }
    operator.stop().await.unwrap();
    costs
}

#[tokio::test(start_paused = true)]
async fn widgets_that_name_each_other_or_themselves_come_to_rest() {
    let names = |peer: &str| json!({ "needs": peer });
    let circle = [("a", names("b")), ("b", names("a"))];
    let itself = [("a", names("a"))];
    let chain = [("a", names("b")), ("b", names("c")), ("c", names("d"))];
    for widgets in [&circle[..], &itself, &chain] {
        for [first, later, restarted] in [costs::<meeting>(widgets).await, costs::<selecting>(widgets).await] {
            // Each digest is stored once, within the hour.
            assert!(first.0.max(first.1) <= widgets.len(), "{first:?} for {widgets:?}");
            assert_eq!((later, restarted), ((0, 0), (0, 0)), "{widgets:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn widgets_that_read_all_widgets_come_to_rest() {
    for count in [1, 2, 10] {
        let names: Vec<String> = (0..count).map(|number| format!("w{number}")).collect();
        let widgets: Vec<_> = names.iter().map(|name| (name.as_str(), json!({}))).collect();
        let [first, later, restarted] = costs::<counting>(&widgets).await;
        assert!(first.0.max(first.1) <= count, "{first:?} for {count} widgets");
        assert_eq!((later, restarted), ((0, 0), (0, 0)), "{count} widgets");
    }
}

#[tokio::test(start_paused = true)]
async fn widgets_whose_content_is_not_cached_trigger_each_other_twice_an_hour_at_most() {
    let circle = [("a", json!({ "needs": "b" })), ("b", json!({ "needs": "a" }))];
    for costs in [costs::<meeting_uncached>(&circle).await, costs::<selecting_metadata>(&circle).await] {
        for ((bodies, writes), hours) in costs.into_iter().zip([1, 24, 1]) {
            assert!(writes <= 4 * hours && bodies <= 6 * hours, "{costs:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_interval_writes_nothing_for_widgets_that_read_each_other() {
    let names = |peer: &str| json!({ "needs": peer });
    for widgets in [
        &[("a", names("a"))][..],
        &[("a", names("b")), ("b", names("a"))],
        &["a", "b", "c"].map(|name| (name, names("a"))),
    ] {
        for [_, later, restarted] in [
            costs::<meeting_often>(widgets).await,
            costs::<selecting_often>(widgets).await,
            costs::<counting_often>(widgets).await,
            costs::<sharing_often>(widgets).await,
        ] {
            let passes = 24 * 12 * widgets.len();
            assert!(later.0 >= passes / 2 && later.0 <= 2 * passes, "the interval is kept: {later:?} for {widgets:?}");
            assert_eq!((later.1, restarted.1), (0, 0), "{widgets:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_failing_widget_that_reads_itself_keeps_the_pauses_between_its_retries() {
    let mut bodies = Vec::new();
    for needs in [None, Some("a")] {
        let world = World::on(Server::InProcess).await.unwrap();
        world.install(&definition()).await;
        let lab = Lab::at("a");
        let operator = world.operator::<sharing_often>(lab.clone());
        world.create::<Widget>(a_widget("a", json!({ "store": "broken", "needs": needs }))).await;
        for _ in 0..60 {
            sleep(Duration::from_secs(1)).await;
            assert!(lab.log().len() < 100, "its own status triggers it");
        }
        bodies.push(lab.log().len());
        operator.stop().await.unwrap();
    }
    assert!(bodies[0] > 2 && bodies[0].abs_diff(bodies[1]) <= 1, "{bodies:?}");
}
