//! An API server that is ill, or slow: how politely an operator waits, and who is served meanwhile. In virtual time, beside two
//! controllers written by hand.

use std::collections::BTreeMap;
use std::time::Duration;

use evenkeel_tests::comparison::{ALL, Contest, Shape, Who};
use evenkeel_tests::recording_client::Fault;
use evenkeel_tests::scenarios::{self, LATENCY, newcomer};
use tokio::time::{Instant, sleep};

const SOON: Duration = Duration::from_secs(20);

/// What an outage of ten minutes cost.
#[derive(Debug)]
struct Outage {
    /// Writes that were tried, for each object.
    tries: f64,
    /// The most in one second after the first.
    busiest: usize,
    /// From the end of the outage until the last object is served.
    recovery: Duration,
}

async fn outage(who: Who, objects: usize, code: u16) -> Outage {
    let scenarios::Outage { time: [start, end], tried, after } = scenarios::outage(who, objects, code).await;
    assert!(after.len() >= objects, "all are served in the end");
    // The hand-written one goes on writing: each object counts when it is first served.
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
async fn an_outage_of_ten_minutes_costs_few_requests_and_all_are_served_within_a_minute_after_it() {
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

/// How long it takes until all objects are served that the server lets through.
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
async fn objects_that_fail_hold_no_slot_of_those_that_do_not() {
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
async fn a_pass_that_sends_an_event_holds_its_slot_no_longer_than_one_that_sends_none() {
    // Sixteen at a time: so many rounds, and of ours the definition is read beside the first page.
    let (objects, rounds) = (200, 200_u32.div_ceil(16));
    let [ours, by_hand] = [served(Who::Ours, objects, |_| false).await, served(Who::B1, objects, |_| false).await];
    println!("{objects} objects, each with an event of ours: {ours:?} ours, {by_hand:?} B1");
    assert!(ours <= (rounds + 2) * LATENCY, "{ours:?} in {rounds} rounds");
    assert!(ours <= by_hand + LATENCY, "{ours:?} ours, {by_hand:?} by hand");
}

#[tokio::test(start_paused = true)]
async fn one_changed_object_is_served_within_two_round_trips_after_the_list_whatever_the_number_of_others() {
    for objects in [1, 40, 600] {
        let ours = newcomer(Who::Ours, objects, 0).await;
        println!("one of {objects}: ours {ours:?} after the last page was asked for");
        assert!(ours <= 2 * LATENCY + Duration::from_millis(1), "{objects}: {ours:?}");
    }
    for who in [Who::B0, Who::B1] {
        println!("one of 40: {who:?} {:?}", newcomer(who, 40, 0).await);
    }
}
