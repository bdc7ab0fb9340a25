//! The clocks: monotonic time is tokio's, and the wall clock is shifted by it, so that both follow paused time in tests.

use jiff::Timestamp;

// Without the engine there is no tokio.
#[cfg(not(feature = "operator"))]
pub(crate) use std::time::Instant;
#[cfg(feature = "operator")]
pub(crate) use tokio::time::Instant;

/// The current time.
#[cfg(not(feature = "operator"))]
pub(crate) fn now() -> Timestamp {
    Timestamp::now()
}

/// The current time.
#[cfg(feature = "operator")]
pub(crate) fn now() -> Timestamp {
    let (wall, real, runtime) = (Timestamp::now(), std::time::Instant::now(), tokio::time::Instant::now().into_std());
    // Paused time can be ahead (after an advance) or behind (while real time passes).
    let shifted = match runtime.checked_duration_since(real) {
        Some(ahead) => wall.checked_add(ahead),
        None => wall.checked_sub(real.duration_since(runtime)),
    };
    shifted.unwrap_or(wall)
}

#[cfg(all(test, feature = "operator"))]
mod tests {
    use std::time::Duration;

    use super::now;

    #[tokio::test(start_paused = true)]
    async fn a_week_of_paused_time_is_a_week() {
        let before = now();
        tokio::time::advance(Duration::from_secs(7 * 86_400)).await;
        assert_eq!(now().duration_since(before).as_secs(), 7 * 86_400);
    }
}
