//! The wait after a fault: until nothing is wrong any more, with a deadline.

use std::time::Duration;

use tokio::time::{Instant, sleep};

/// How long an operator may take until every object is right after a fault.
pub const DEADLINE: Duration = Duration::from_secs(60);

/// Waits until `wrong` returns nothing, and returns how long that took.
///
/// # Panics
/// When something is still wrong after the deadline; the message lists it.
pub async fn settle<F: Future<Output = Vec<String>>>(fault: &str, wrong: impl Fn() -> F) -> Duration {
    wait(fault, wrong, false).await
}

/// Waits likewise for work that takes as long as there is much of it: the deadline begins anew whenever less is wrong than ever before.
///
/// # Panics
/// When for so long nothing gets right; the message lists what is wrong.
pub async fn settle_all<F: Future<Output = Vec<String>>>(work: &str, wrong: impl Fn() -> F) -> Duration {
    wait(work, wrong, true).await
}

async fn wait<F: Future<Output = Vec<String>>>(fault: &str, wrong: impl Fn() -> F, goes_on: bool) -> Duration {
    let start = Instant::now();
    let (mut since, mut least) = (start, usize::MAX);
    loop {
        let looked = Instant::now();
        let found = wrong().await;
        if found.is_empty() {
            println!("  {fault}: everything is right after {:.1} s", start.elapsed().as_secs_f64());
            return start.elapsed();
        }
        if goes_on && found.len() < least {
            (since, least) = (Instant::now(), found.len());
        }
        assert!(
            since.elapsed() < DEADLINE,
            "{fault}: {} things are wrong after {:?}, such as:\n  {}",
            found.len(),
            start.elapsed(),
            found[..found.len().min(10)].join("\n  ")
        );
        // A look at thousands is work for the server, too.
        sleep(looked.elapsed().max(Duration::from_millis(250))).await;
    }
}
