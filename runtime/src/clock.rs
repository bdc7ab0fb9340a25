//! The time of day, which moves with the runtime's clock: under paused time, as tests have it, it moves as far as that.

use jiff::Timestamp;

/// Now.
#[cfg(not(feature = "operator"))]
pub(crate) fn now() -> Timestamp {
    Timestamp::now()
}

/// Now.
#[cfg(feature = "operator")]
pub(crate) fn now() -> Timestamp {
    let (wall, real, runtime) = (Timestamp::now(), std::time::Instant::now(), tokio::time::Instant::now().into_std());
    // Paused time may be ahead, where it was advanced, or behind, where it stood still.
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
