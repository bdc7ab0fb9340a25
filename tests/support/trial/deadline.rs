//! The wait after a fault: until all objects are correct, with a deadline.

use std::time::Duration;

use tokio::time::{Instant, sleep};

/// The time limit of an operator to correct every object after a fault.
pub const DEADLINE: Duration = Duration::from_secs(60);

/// Waits until `wrong` returns nothing, and returns the elapsed time.
///
/// # Panics
/// Something is still wrong after the deadline; the message lists it.
pub async fn settle<F: Future<Output = Vec<String>>>(fault: &str, wrong: impl Fn() -> F) -> Duration {
    wait(fault, wrong, false).await
}

/// Waits in the same way for work of any size: the deadline restarts whenever fewer objects are wrong than ever before.
///
/// # Panics
/// No progress within the deadline; the message lists what is wrong.
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
        // Checking thousands of objects is work for the server as well.
        sleep(looked.elapsed().max(Duration::from_millis(250))).await;
    }
}
