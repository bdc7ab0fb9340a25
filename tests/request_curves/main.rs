//! The charts of requests for the guide, counted in virtual time:
//! `GENERATED=overwrite cargo bench -p evenkeel-tests --bench request_curves`.
//! Without `GENERATED` it only prints the numbers; with names (`-- rest restart newcomer outage`) only those of these charts.
//! The limits are checked by the tests `request_budget` and `outage`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "numbers are what it is for")]
#![allow(clippy::unwrap_used, reason = "a bench ends at the first surprise")]

use std::time::Duration;

use evenkeel_bench::draw::{Axis, Line, chart, keep};
use evenkeel_tests::comparison::{ALL, Contest, Shape, Who};
use evenkeel_tests::scenarios::{LATENCY, OUTAGE, changed_object, outage};
use tokio::time::{Instant, sleep};

const SOON: Duration = Duration::from_secs(20);
/// The numbers of objects.
const SIZES: [usize; 6] = [1, 10, 100, 1_000, 10_000, 100_000];
const HOUR: Duration = Duration::from_secs(3600);

fn name(who: Who) -> &'static str {
    match who {
        Who::Ours => "evenkeel",
        Who::B0 => "B0, kube's examples",
        Who::B1 => "B1, tuned by hand",
    }
}

fn main() {
    let names: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let wanted = |name: &str| names.is_empty() || names.iter().any(|wanted| wanted == name);
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    if wanted("rest") {
        runtime().block_on(rest());
    }
    if wanted("restart") {
        runtime().block_on(restart());
    }
    if wanted("newcomer") {
        runtime().block_on(change());
    }
    if wanted("outage") {
        runtime().block_on(outage_writes());
    }
}

fn draw(file: &str, title: &str, x: &Axis, y: &Axis, lines: &[(&str, Vec<(f64, f64)>)]) {
    println!("\n{title}");
    lines.iter().for_each(|(name, points)| println!("  {name}: {points:?}"));
    let lines: Vec<Line> = lines.iter().map(|(name, points)| Line::new(name, points.clone())).collect();
    keep(file, &chart(title, x, y, &lines));
}

/// Writes of an object in an idle day.
async fn rest() {
    let mut lines = Vec::new();
    for who in ALL {
        let mut contest = Contest::new(who, Shape::Hourly).await;
        contest.create(1).await;
        contest.start();
        sleep(SOON).await;
        let mut points = vec![(0.0, 0.0)];
        for hour in 1..=24 {
            let writes = points[points.len() - 1].1 + contest.cost_within(HOUR).await.writes as f64;
            points.push((f64::from(hour), writes));
        }
        contest.stop().await;
        lines.push((name(who), points));
    }
    let (x, y) = (Axis::linear("hours"), Axis::linear("writes"));
    draw("rest", "Writes of an object with an idle child", &x, &y, &lines);
}

/// All requests of a restart with unchanged objects.
async fn restart() {
    let mut lines = Vec::new();
    for who in ALL {
        let mut points = Vec::new();
        for objects in SIZES {
            eprintln!("restart of {}, {objects} objects ..", name(who));
            let mut contest = Contest::new(who, Shape::Parent).await;
            // The concurrency does not change the number of requests, but without a limit the runner of kube takes hours.
            contest.limit = 16;
            contest.create(objects).await;
            contest.start();
            sleep(SOON).await;
            contest.stop().await;
            contest.start();
            contest.cost_within(SOON).await;
            points.push((objects as f64, contest.wire.count(|_| true) as f64));
            contest.stop().await;
        }
        lines.push((name(who), points));
    }
    let (x, y) = (Axis::log("objects, none of them changed"), Axis::log("requests"));
    draw("restart", "Requests of a restart", &x, &y, &lines);
}

/// The time until the write of one changed object at a restart.
async fn change() {
    let mut lines = Vec::new();
    for (who, limit) in [(Who::Ours, 0), (Who::B0, 0), (Who::B0, 16), (Who::B0, 1)] {
        let mut points = Vec::new();
        // The runner of kube polls all passes in flight whenever one ends, and a concurrency of one is sequential: larger sizes take hours.
        let most = if who == Who::Ours || limit == 16 { 100_000 } else { 10_000 };
        for objects in SIZES.into_iter().filter(|objects| *objects <= most) {
            eprintln!("one changed of {objects}, {}, {limit} at a time ..", name(who));
            let time = changed_object(who, objects, limit).await;
            points.push((objects as f64, time.as_secs_f64() * 1000.0));
        }
        let name = match limit {
            0 => name(who),
            1 => "B0, one at a time",
            _ => "B0, 16 at a time",
        };
        lines.push((name, points));
    }
    let title = format!("One changed object at a restart, each call takes {} ms", LATENCY.as_millis());
    let (x, y) = (Axis::log("objects"), Axis::log("ms from the list to its write"));
    draw("newcomer", &title, &x, &y, &lines);
}

/// Writes in each ten seconds of an outage and after it.
async fn outage_writes() {
    const OBJECTS: usize = 100;
    let mut lines = Vec::new();
    for who in ALL {
        let found = outage(who, OBJECTS, 503).await;
        let until = OUTAGE + 12 * SOON / 2;
        let mut bins = vec![0_usize; (until.as_secs() / 10) as usize];
        let bin = |at: &Instant| ((*at - found.time[0]).as_secs() / 10) as usize;
        for at in found.tried.iter().chain(&found.after).map(bin) {
            if let Some(writes) = bins.get_mut(at) {
                *writes += 1;
            }
        }
        let points = bins.iter().enumerate().map(|(at, writes)| (10.0 * at as f64, *writes as f64 / 10.0));
        lines.push((name(who), points.collect()));
    }
    let (x, y) =
        (Axis::linear("seconds; the outage is over after 600"), Axis::linear("writes in a second, of 100 objects"));
    draw("outage", "An outage of ten minutes (503) and the recovery", &x, &y, &lines);
}
