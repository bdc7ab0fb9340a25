//! Fault scenarios of a comparison: an outage, and one changed object among many at a restart. In virtual time.

use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, sleep};

use crate::comparison::{Contest, Shape, Who};
use crate::recording_client::{Call, Fault};

/// The duration of the outage.
pub const OUTAGE: Duration = Duration::from_secs(600);
/// The latency of each call of a slow server.
pub const LATENCY: Duration = Duration::from_millis(20);

const SOON: Duration = Duration::from_secs(20);

/// The writes around an outage.
#[derive(Debug)]
pub struct Outage {
    /// The start and the end of the outage.
    pub time: [Instant; 2],
    /// The attempted writes during it.
    pub tried: Vec<Instant>,
    /// The status writes after it, in four times its duration.
    pub after: Vec<Instant>,
}

fn is_write(call: &Call) -> bool {
    call.is_write() && !call.is_event()
}

/// Creates objects while every write fails with this code until the outage is over.
pub async fn outage(who: Who, objects: usize, code: u16) -> Outage {
    let mut contest = Contest::new(who, Shape::Plain).await;
    contest.create(objects).await;
    contest.clock();
    contest.wire.fault(move |call| is_write(call).then_some(Fault::Answer(code, None)));
    let start = Instant::now();
    contest.start();
    sleep(OUTAGE).await;
    let tried = contest.times(is_write);
    contest.wire.mend();
    contest.clock();
    let end = Instant::now();
    sleep(4 * OUTAGE).await;
    let after = contest.times(Call::is_status_write).split_off(tried.len());
    contest.stop().await;
    Outage { time: [start, end], tried, after }
}

/// Changes one of the objects during downtime, and returns the time from the request for the last page of the list until the object is
/// served. `limit` is the concurrency of a hand-written operator; 0 is its default.
///
/// # Panics
/// The object is not served.
pub async fn changed_object(who: Who, objects: usize, limit: u16) -> Duration {
    let mut contest = Contest::new(who, Shape::Plain).await;
    contest.limit = limit;
    contest.create(objects).await;
    contest.start();
    sleep(SOON).await;
    contest.stop().await;
    let name = format!("release-{}", objects / 2);
    contest.change(&name, &json!({ "spec": { "revision": 2 } })).await;
    contest.wait_each(LATENCY);
    contest.clock();
    contest.start();
    let path = format!("/releases/{name}/status");
    let mut served = Vec::new();
    // A concurrency of one takes hours.
    for _ in 0..10_000 {
        sleep(SOON).await;
        served = contest.times(|call| call.path.ends_with(&*path));
        if !served.is_empty() {
            break;
        }
    }
    contest.stop().await;
    let lists = contest.times(|call| call.path.ends_with("/releases") && call.is_list());
    *served.first().expect("it is served") - *lists.last().expect("a list")
}
