//! A week in about three seconds of a debug build: all timers use tokio's clock.

use std::time::Duration;

use evenkeel_tests::recording_client::Call;
use evenkeel_tests::test_env::{Server, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, condition, definition, is_ready, widget};
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::time::sleep;

const HOUR: u64 = 3600;
const WEEK: u64 = 7 * 24 * HOUR;

fn moment(value: &Value) -> Timestamp {
    value.as_str().unwrap().parse().unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_week_of_requeues_and_retries_runs_in_virtual_time() {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let operator = world.operator::<widget>(lab.clone());
    world.create::<Widget>(a_widget("hourly", json!({ "interval": "1h" }))).await;
    world.create::<Widget>(a_widget("broken", json!({ "fetch": "broken" }))).await;
    let before = world.until::<Widget>("hourly", "ready", is_ready).await;
    world.wire.clear();
    let work = || world.cluster.as_ref().unwrap().work();
    let earlier = work();
    sleep(Duration::from_secs(WEEK)).await;

    // Requeues: one each hour, with the jitter of the object (5 % at most).
    let hours = lab.pauses("fetch hourly").len() as u64;
    assert!((WEEK / HOUR * 94 / 100..=WEEK / HOUR * 107 / 100).contains(&hours), "{hours} passes in a week");
    // Back-off: at its cap of ten minutes, with downward jitter, for nearly all of the week.
    let tries = lab.pauses("fetch broken").len() as u64;
    assert!((WEEK / 600..=2 * WEEK / 600 + 20).contains(&tries), "{tries} tries in a week");
    // Requests of the idle server: three watches are renewed every 290 s, and each checks once whether a bookmark is due. Watches that were
    // open when the objects were created have one bookmark per minute: four in 290 s, for three watches.
    let (renewals, done) = (world.wire.count(Call::is_watch), work() - earlier);
    assert!((2000..=3 * 300 * 7).contains(&renewals), "{renewals} watches in a week");
    // A silent watch reads the version of the server once, through a list of one item: once for each of the two.
    let asks = world.wire.count(|call| call.method == "GET" && call.query.contains("limit=1"));
    assert!(asks <= 2, "{asks} versions asked for");
    assert_eq!(world.wire.count(|call| !call.is_watch()), asks, "nothing is read or written for idle objects");
    assert!(done.due <= renewals as u64 + 3 * 4, "{renewals} renewals, {done:?}");
    assert_eq!((done.written, done.woken, done.delivered), (0, 0, 0));
    assert!(done.visited <= 10 * asks as u64, "{done:?}");

    // Timestamps: a transition at the end of the week is a week later than the first one.
    world.merge::<Widget>("hourly", json!({ "spec": { "fetch": "broken" } })).await;
    let after = world.until::<Widget>("hourly", "failing", |widget| !is_ready(widget)).await;
    let stamp = |widget: &Value| moment(&condition(widget, "Fetched").unwrap()["lastTransitionTime"]);
    let passed = stamp(&after).duration_since(stamp(&before)).as_secs();
    assert!(passed.abs_diff(i64::try_from(WEEK).unwrap()) < 60, "{passed} s between the transitions");
    let late = world.create::<Widget>(a_widget("late", json!({}))).await;
    let late = moment(&serde_json::to_value(late).unwrap()["metadata"]["creationTimestamp"]);
    assert!(late.duration_since(stamp(&after)).as_secs().abs() < 60, "the server's clock follows as well");
    operator.stop().await.unwrap();
}
