//! The time from the last renewal of a leader that crashes until another replica works, with a server of random latency.
//! `EVENKEEL_SEED` repeats a run.

use std::sync::atomic::{AtomicUsize, Ordering};

use evenkeel_random_cases::{Choices, seeds};
use kube::Client;
use kube::client::Body;

use super::recorder::Recorder;
use super::*;

const SEEDS: u64 = 10;
/// The crashes of each seed.
const CRASHES: usize = 25;
const MILLISECOND: Duration = Duration::from_millis(1);
/// How many milliseconds a request or a response takes at most.
const LATENCY: u32 = 50;
/// The number of different latencies: a prime, so that the requests of one kind do not always get the same ones.
const LATENCIES: usize = 1_009;

/// The latencies of a server, one after the other.
struct Latencies {
    times: Vec<Duration>,
    next: AtomicUsize,
}

impl Latencies {
    fn new(choices: &mut Choices) -> Arc<Self> {
        let times = (0..LATENCIES).map(|_| MILLISECOND * choices.range(0..LATENCY)).collect();
        Arc::new(Self { times, next: AtomicUsize::new(0) })
    }

    async fn pass(&self) {
        sleep(self.times[self.next.fetch_add(1, Ordering::Relaxed) % LATENCIES]).await;
    }
}

/// A client with a latency before the server handles a request, and before the response arrives.
fn slow(client: &Client, latencies: &Arc<Latencies>) -> Client {
    let (client, latencies) = (client.clone(), latencies.clone());
    let namespace = client.default_namespace().to_owned();
    let service = tower::service_fn(move |request: http::Request<Body>| {
        let (client, latencies) = (client.clone(), latencies.clone());
        async move {
            latencies.pass().await;
            let response = client.send(request).await;
            latencies.pass().await;
            response
        }
    });
    Client::new(service, namespace)
}

/// Crashes leaders at random moments. Returns the time from the last renewal of each until an object that was changed after the crash is
/// ready.
async fn crashes(mut choices: Choices) -> Vec<Duration> {
    let began = Instant::now();
    let world = world().await;
    let (recorder, latencies) = (Recorder::start(world.api(), began), Latencies::new(&mut choices));
    let start = || Replica::start_as(&world, |operator| operator.test_client(slow(&world.client, &latencies)));
    let (mut leader, mut standby) = (start(), start());
    worked(&world, "w").await;
    if leader.passes() == 0 {
        std::mem::swap(&mut leader, &mut standby);
    }
    let mut times = Vec::new();
    for _ in 0..CRASHES {
        // A standby measures from the first renewal that it sees.
        sleep(4 * SECOND + MILLISECOND * choices.range(0..6_000)).await;
        leader.running.crash().await;
        sleep(MILLISECOND).await;
        let (renewed, holder) = recorder.last();
        // A wait for a change is a request each ten milliseconds.
        sleep(renewed + MILLISECOND * 14_900 - began.elapsed()).await;
        assert_eq!(recorder.last(), (renewed, holder), "the lease has not expired yet");
        worked(&world, "w").await;
        times.push(began.elapsed() - renewed);
        leader = std::mem::replace(&mut standby, start());
        assert!(leader.passes() > 0, "the standby works");
    }
    times
}

#[test]
fn a_crashed_leader_is_replaced_within_half_a_second_after_its_lease() {
    let mut times = Vec::new();
    for seed in seeds(SEEDS) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        times.extend(runtime.block_on(crashes(Choices::of(seed))));
    }
    times.sort();
    let quantile = |percent: usize| times[(times.len() * percent).div_ceil(100) - 1].as_secs_f64();
    let (p50, p99, max) = (quantile(50), quantile(99), quantile(100));
    println!(
        "{} crashes: works {p50:.3} s (p50), {p99:.3} s (p99), {max:.3} s (max) after the last renewal",
        times.len()
    );
    assert!(times[0] >= 15 * SECOND && p99 <= 15.5, "{times:?}");
}
