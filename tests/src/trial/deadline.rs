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
    let start = Instant::now();
    loop {
        let found = wrong().await;
        if found.is_empty() {
            println!("  {fault}: everything is right after {:.1} s", start.elapsed().as_secs_f64());
            return start.elapsed();
        }
        assert!(
            start.elapsed() < DEADLINE,
            "{fault}: {} things are wrong {DEADLINE:?} after it, such as:\n  {}",
            found.len(),
            found[..found.len().min(10)].join("\n  ")
        );
        sleep(Duration::from_millis(250)).await;
    }
}
