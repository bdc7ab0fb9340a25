//! The minimum of calls of an operator: exact counts, in virtual time, compared with two hand-written controllers.

use std::time::Duration;

use evenkeel_bench::ours::Lab;
use evenkeel_tests::comparison::{ALL, Contest, Cost, SHAPES, Shape, Who};
use evenkeel_tests::recording_client::Call;
use serde_json::json;
use tokio::time::sleep;

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);
const SOON: Duration = Duration::from_secs(20);

/// One of each kind of change.
const STEPS: [&str; 7] = ["create", "idle hour", "spec", "label", "relist", "restart", "delete"];

/// The life of the objects, step by step.
async fn life(who: Who, shape: Shape, objects: usize) -> [Cost; 7] {
    let mut contest = Contest::new(who, shape).await;
    contest.start();
    sleep(SOON).await;
    let create = contest.cost_of(contest.create(objects)).await;
    let idle = contest.cost_within(HOUR).await;
    let (revision, label) =
        (json!({ "spec": { "revision": 2 } }), json!({ "metadata": { "labels": { "team": "checkout" } } }));
    let spec = contest.cost_of(contest.patch(objects, &revision)).await;
    let label = contest.cost_of(contest.patch(objects, &label)).await;
    let relist = contest.cost_of(contest.forget()).await;
    assert!(contest.wire.count(Call::is_list) > 0, "it listed again");
    contest.stop().await;
    contest.start();
    // Within the hour each object stores its digest, at its own time.
    let restart = contest.cost_within(HOUR + SOON).await;
    let delete = contest.cost_of(contest.delete(objects)).await;
    contest.stop().await;
    [create, idle, spec, label, relist, restart, delete]
}

fn show(what: &str, who: Who, costs: &[Cost; 7], objects: usize) {
    let each = |of: fn(&Cost) -> usize| costs.iter().map(|cost| of(cost) as f64 / objects as f64).collect::<Vec<_>>();
    let sum = each(|cost| cost.writes).iter().sum::<f64>();
    println!("{what} {who:?}: {STEPS:?} writes {:?} = {sum}, passes {:?}", each(|c| c.writes), each(|c| c.passes));
}

#[tokio::test(start_paused = true)]
async fn each_step_costs_the_minimum_of_writes() {
    // A label may affect a step, so a changed label runs the body, and again after a restart, which reads the child once and stores the label
    // late.
    let wanted = [[1, 0, 1, 0, 0, 1, 0], [2, 0, 1, 0, 0, 1, 1], [3, 0, 2, 0, 0, 1, 1]];
    let reads = [[0; 7], [0; 7], [0, 0, 0, 0, 0, 1, 0]];
    for ((shape, wanted), reads) in SHAPES.into_iter().zip(wanted).zip(reads) {
        let objects = 20;
        let ours = life(Who::Ours, shape, objects).await;
        for who in [Who::B0, Who::B1] {
            show(&format!("{shape:?}"), who, &life(who, shape, objects).await, objects);
        }
        show(&format!("{shape:?}"), Who::Ours, &ours, objects);
        assert_eq!(ours.map(|cost| cost.writes), wanted.map(|each| each * objects), "{shape:?}: {STEPS:?}");
        assert_eq!(ours.map(|cost| cost.reads), reads.map(|each| each * objects), "{shape:?}: {STEPS:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn ready_and_deletion_emit_one_event_each() {
    let ours = life(Who::Ours, Shape::Parent, 20).await;
    assert_eq!(ours.map(|cost| cost.events), [20, 0, 0, 0, 0, 0, 20], "{STEPS:?}");
}

#[tokio::test(start_paused = true)]
async fn own_writes_trigger_no_pass() {
    for shape in SHAPES {
        let ours = life(Who::Ours, shape, 20).await;
        assert_eq!(ours.map(|cost| cost.passes), [20, 0, 20, 20, 0, 20, 0], "{shape:?}: {STEPS:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_status_timestamp_causes_no_loop() {
    for who in ALL {
        let lab = Lab { stamps: true, ..Lab::default() };
        let mut contest = Contest::with(who, Shape::Plain, lab).await;
        contest.start();
        sleep(SOON).await;
        // A call takes 10 ms; without latency the loop of a hand-written controller would stop the clock.
        contest.wait_each(Duration::from_millis(10));
        let cost = contest.cost_of(contest.create(1)).await;
        println!("{who:?} with a time stamp: {cost:?} in 20 s");
        if who == Who::Ours {
            assert_eq!((cost.writes, cost.passes), (1, 1));
        }
        contest.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_idle_day_with_hourly_resyncs_costs_no_write() {
    for (who, objects) in [(Who::B0, 1), (Who::B1, 1), (Who::Ours, 200)] {
        let mut contest = Contest::new(who, Shape::Hourly).await;
        contest.create(objects).await;
        contest.start();
        sleep(SOON).await;
        let day = contest.cost_within(DAY).await;
        println!("{who:?}: {} writes per object and day, {} passes", day.writes / objects, day.passes / objects);
        if who == Who::Ours {
            assert_eq!((day.writes, day.events, day.reads), (0, 0, 0));
            assert!(day.passes >= 22 * objects, "it looked each hour: {day:?}");
        }
        contest.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn unchanged_objects_cost_no_writes_on_relist_or_restart() {
    let mut contest = Contest::new(Who::Ours, Shape::Parent).await;
    contest.create(300).await;
    contest.start();
    sleep(SOON).await;
    let day = contest.cost_within(DAY).await;
    let relist = contest.cost_of(contest.forget()).await;
    contest.stop().await;
    contest.start();
    // Within the hour each object stores its digest, at its own time.
    let restart = contest.cost_within(HOUR + SOON).await;
    assert_eq!([day, relist, restart], [Cost::default(); 3]);
    contest.stop().await;
}
