//! Waiting for something to become true.

use std::time::Duration;

use tokio::time::{Instant, sleep};

/// Time between two looks.
const STEP: Duration = Duration::from_millis(10);

/// Looks again and again until the answer is `Some`, and gives it back.
///
/// Under paused time the wait is virtual.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// use std::time::Duration;
/// use evenkeel_testkit::eventually;
///
/// let answer = eventually(Duration::from_secs(1), || async { Some(42) }).await;
/// assert_eq!(answer, 42);
/// # }
/// ```
///
/// # Panics
/// When there is still no answer after `timeout`, which is measured by tokio's clock.
#[track_caller]
pub fn eventually<T, F, Fut>(timeout: Duration, look: F) -> impl Future<Output = T>
where
    F: FnMut() -> Fut,
    Fut: Future<Output = Option<T>>,
{
    let caller = std::panic::Location::caller();
    async move {
        match attempt(timeout, look).await {
            Some(answer) => answer,
            None => panic!("{caller}: nothing came of it within {timeout:?}"),
        }
    }
}

async fn attempt<T, F, Fut>(timeout: Duration, mut look: F) -> Option<T>
where
    F: FnMut() -> Fut,
    Fut: Future<Output = Option<T>>,
{
    let deadline = Instant::now() + timeout;
    loop {
        if let Some(answer) = look().await {
            return Some(answer);
        }
        if Instant::now() >= deadline {
            return None;
        }
        sleep(STEP).await;
    }
}
