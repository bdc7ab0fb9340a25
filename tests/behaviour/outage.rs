//! A failing or slow API server: how few requests an operator sends, and which objects it serves meanwhile. In virtual time, compared with
//! two hand-written controllers.

use std::collections::BTreeMap;
use std::time::Duration;

use evenkeel_tests::comparison::{ALL, Contest, Shape, Who};
use evenkeel_tests::recording_client::Fault;
use evenkeel_tests::scenarios::{self, LATENCY, changed_object};
use tokio::time::{Instant, sleep};

const SOON: Duration = Duration::from_secs(20);

/// The cost of an outage of ten minutes.
#[derive(Debug)]
struct Outage {
    /// Attempted writes per object.
    tries: f64,
    /// The maximum in one second after the first.
    busiest: usize,
    /// From the end of the outage until the last object is served.
    recovery: Duration,
}

async fn outage(who: Who, objects: usize, code: u16) -> Outage {
    let scenarios::Outage { time: [start, end], tried, after } = scenarios::outage(who, objects, code).await;
    assert!(after.len() >= objects, "all are served in the end");
    // The hand-written controller keeps writing, so each object counts when it is first served.
    let served = after.iter().take(objects).max().copied().unwrap();
    let mut seconds = BTreeMap::<u64, usize>::new();
    for second in tried.iter().map(|at| (*at - start).as_secs()).filter(|second| *second > 0) {
        *seconds.entry(second).or_default() += 1;
    }
    Outage {
        tries: tried.len() as f64 / objects as f64,
        busiest: seconds.values().max().copied().unwrap(),
        recovery: served - end,
    }
}

#[tokio::test(start_paused = true)]
async fn an_outage_costs_few_requests_and_recovery_takes_a_minute() {
    for (code, objects) in [(503, 1_000), (500, 100), (429, 100)] {
        let ours = outage(Who::Ours, objects, code).await;
        println!("{code} ours: {ours:?}");
        assert!(ours.tries <= 20.0 && ours.busiest <= 200, "{code}: {ours:?}");
        assert!(ours.recovery <= Duration::from_secs(60), "{code}: {ours:?}");
    }
    for who in [Who::B0, Who::B1] {
        println!("503 {who:?}: {:?}", outage(who, 50, 503).await);
    }
}

/// The time until all objects that the server accepts are served.
async fn served(who: Who, objects: usize, is_ill: fn(usize) -> bool) -> Duration {
    let mut contest = Contest::new(who, Shape::Plain).await;
    contest.create(objects).await;
    contest.wait_each(LATENCY);
    contest.clock();
    let ill: Vec<String> =
        (0..objects).filter(|at| is_ill(*at)).map(|at| format!("/releases/release-{at}/status")).collect();
    let (sick, all) = (ill.clone(), objects - ill.len());
    contest
        .wire
        .fault(move |call| sick.iter().any(|path| call.path.ends_with(&**path)).then_some(Fault::Answer(503, None)));
    let start = Instant::now();
    contest.start();
    sleep(SOON).await;
    let healthy = contest.times(|call| call.is_status_write() && !ill.iter().any(|path| call.path.ends_with(&**path)));
    contest.stop().await;
    healthy[all - 1] - start
}

#[tokio::test(start_paused = true)]
async fn failing_objects_do_not_block_slots_of_others() {
    for who in ALL {
        let fine = served(who, 200, |_| false).await;
        let mixed = served(who, 200, |at| at % 10 == 0).await;
        println!("{who:?}: all healthy objects are served after {fine:?}, after {mixed:?} while a tenth of all fails");
        if who == Who::Ours {
            assert!(mixed <= fine, "{mixed:?} against {fine:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn sending_an_event_does_not_prolong_a_slot() {
    // Sixteen at a time; evenkeel reads the CRD in parallel to the first page.
    let (objects, rounds) = (200, 200_u32.div_ceil(16));
    let [ours, by_hand] = [served(Who::Ours, objects, |_| false).await, served(Who::B1, objects, |_| false).await];
    println!("{objects} objects, each with an event of ours: {ours:?} ours, {by_hand:?} B1");
    assert!(ours <= (rounds + 2) * LATENCY, "{ours:?} in {rounds} rounds");
    assert!(ours <= by_hand + LATENCY, "{ours:?} ours, {by_hand:?} by hand");
}

#[tokio::test(start_paused = true)]
async fn a_changed_object_is_served_soon_after_a_restart() {
    for objects in [1, 40, 600] {
        let ours = changed_object(Who::Ours, objects, 0).await;
        println!("one of {objects}: ours {ours:?} after the last page was asked for");
        assert!(ours <= 2 * LATENCY + Duration::from_millis(1), "{objects}: {ours:?}");
    }
    for who in [Who::B0, Who::B1] {
        println!("one of 40: {who:?} {:?}", changed_object(who, 40, 0).await);
    }
}
