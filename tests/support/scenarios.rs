//! Ordeals of a contest: an outage, and one changed object among many at a restart. In virtual time.

use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, sleep};

use crate::comparison::{Contest, Shape, Who};
use crate::recording_client::{Call, Fault};

/// How long the outage lasts.
pub const OUTAGE: Duration = Duration::from_secs(600);
/// How long each call takes of a server that is slow.
pub const LATENCY: Duration = Duration::from_millis(20);

const SOON: Duration = Duration::from_secs(20);

/// What was written around an outage.
#[derive(Debug)]
pub struct Outage {
    /// When it began and when it was over.
    pub time: [Instant; 2],
    /// The writes that were tried meanwhile.
    pub tried: Vec<Instant>,
    /// The writes of status in four times as long after it.
    pub after: Vec<Instant>,
}

fn is_write(call: &Call) -> bool {
    call.is_write() && !call.is_event()
}

/// Objects are new, and every write fails with this code until the outage is over.
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

/// One of so many changed while nobody looked: how long after the last page of the list was asked for it is served. `limit` is how many
/// objects a hand-written one works on at a time; 0 is its own choice.
///
/// # Panics
/// When it is not served at all.
pub async fn newcomer(who: Who, objects: usize, limit: u16) -> Duration {
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
    // One at a time takes hours.
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
