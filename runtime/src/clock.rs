//! The clocks: monotonic time is tokio's, and the wall clock is shifted by it, so that both follow paused time in tests.

#[cfg(feature = "operator")]
use std::time::Duration;

#[cfg(feature = "operator")]
use jiff::SignedDuration;
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
    let (wall, real) = real_time();
    shifted(wall, shift(real).1)
}

/// The two real clocks at one moment. A thread that is interrupted between them reads them again, since paused time does not go on meanwhile.
#[cfg(feature = "operator")]
fn real_time() -> (Timestamp, std::time::Instant) {
    const MOMENT: Duration = Duration::from_micros(100);
    const TRIES: usize = 5;
    let mut before = std::time::Instant::now();
    for _ in 1..TRIES {
        let (wall, after) = (Timestamp::now(), std::time::Instant::now());
        if after.duration_since(before) < MOMENT {
            return (wall, after);
        }
        before = after;
    }
    (Timestamp::now(), before)
}

/// The monotonic time, and how far it is from real time: paused time can be ahead (after an advance) or behind (while real time passes).
#[cfg(feature = "operator")]
fn shift(real: std::time::Instant) -> (Instant, SignedDuration) {
    let monotonic = Instant::now();
    let runtime = monotonic.into_std();
    let signed = |duration: Duration| SignedDuration::try_from(duration).unwrap_or(SignedDuration::MAX);
    let shift = match runtime.checked_duration_since(real) {
        Some(ahead) => signed(ahead),
        None => -signed(real.duration_since(runtime)),
    };
    (monotonic, shift)
}

#[cfg(feature = "operator")]
fn shifted(wall: Timestamp, shift: SignedDuration) -> Timestamp {
    wall.checked_add(shift).unwrap_or(wall)
}

/// The readings of three clocks at one moment. No single clock counts every pause.
#[cfg(feature = "operator")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    /// Does not count the time in which the machine is suspended.
    pub(crate) monotonic: Instant,
    /// Counts it, in steps of 10 ms. Zero on systems without such a clock.
    pub(crate) boot: Duration,
    /// Jumps when a person or NTP sets it.
    pub(crate) wall: Timestamp,
}

#[cfg(feature = "operator")]
impl Reading {
    pub(crate) fn now() -> Self {
        let ((wall, real), boot) = (real_time(), boot_time());
        let (monotonic, shift) = shift(real);
        let (wall, distance) = (shifted(wall, shift), shift.unsigned_abs());
        let boot = if shift.is_negative() { boot.saturating_sub(distance) } else { boot.saturating_add(distance) };
        Self { monotonic, boot, wall }
    }

    /// The time since then, by the clock that counted most. A wall clock that was set back counts nothing.
    pub(crate) fn since(&self, then: &Self) -> Duration {
        let monotonic = self.monotonic.saturating_duration_since(then.monotonic);
        let wall = Duration::try_from(self.wall.duration_since(then.wall)).unwrap_or_default();
        monotonic.max(self.boot.saturating_sub(then.boot)).max(wall)
    }
}

/// The time since the machine was started, with the time in which it was suspended.
#[cfg(all(feature = "lease", any(target_os = "linux", target_os = "android")))]
fn boot_time() -> Duration {
    use std::fs::File;
    use std::os::unix::fs::FileExt;
    use std::sync::LazyLock;

    // Its first number are seconds with two digits of fraction. An open file saves two of three system calls.
    static UPTIME: LazyLock<Option<File>> = LazyLock::new(|| File::open("/proc/uptime").ok());
    let mut text = [0; 32];
    let read = UPTIME.as_ref().and_then(|file| file.read_at(&mut text, 0).ok()).unwrap_or_default();
    uptime(&text[..read]).unwrap_or_default()
}

#[cfg(all(feature = "lease", any(target_os = "linux", target_os = "android")))]
fn uptime(text: &[u8]) -> Option<Duration> {
    let seconds = str::from_utf8(text).ok()?.split_ascii_whitespace().next()?;
    Duration::try_from_secs_f64(seconds.parse().ok()?).ok()
}

#[cfg(all(feature = "operator", not(all(feature = "lease", any(target_os = "linux", target_os = "android")))))]
const fn boot_time() -> Duration {
    Duration::ZERO
}

#[cfg(all(test, feature = "operator"))]
mod tests {
    use std::time::Duration;

    use super::{Reading, now};

    #[tokio::test(start_paused = true)]
    async fn a_week_of_paused_time_is_a_week() {
        let (before, week) = (now(), Duration::from_secs(7 * 86_400));
        tokio::time::advance(week).await;
        // Each reading is right to 100 microseconds.
        let passed = now().duration_since(before).as_secs_f64();
        assert!((passed - week.as_secs_f64()).abs() < 0.001, "{passed} s");
    }

    #[tokio::test(start_paused = true)]
    async fn the_clock_that_counts_most_decides() {
        let second = Duration::from_secs(1);
        let then = Reading::now();
        let now = |monotonic: u32, boot: u32, wall: i64| Reading {
            monotonic: then.monotonic + second * monotonic,
            boot: then.boot + second * boot,
            wall: then.wall + jiff::SignedDuration::from_secs(wall),
        };
        for (reading, seconds) in [(now(1, 0, 0), 1), (now(1, 7, 0), 7), (now(1, 0, 9), 9), (now(1, 1, -3600), 1)] {
            assert_eq!(reading.since(&then), second * seconds);
            assert_eq!(then.since(&reading), if reading.wall < then.wall { second * 3600 } else { Duration::ZERO });
        }
    }

    #[tokio::test(start_paused = true)]
    async fn all_clocks_follow_paused_time() {
        let then = Reading::now();
        tokio::time::advance(Duration::from_secs(100)).await;
        let passed = Reading::now().since(&then);
        assert!((100..101).contains(&passed.as_secs()), "{passed:?}");
    }

    #[cfg(all(feature = "lease", target_os = "linux"))]
    #[test]
    fn the_time_since_the_start_of_the_machine_is_read() {
        use super::{boot_time, uptime};

        assert_eq!(uptime(b"350735.47 234388.90\n"), Some(Duration::from_millis(350_735_470)));
        for text in [&b""[..], b"\n", b"soon 1.0", b"-1.0 2.0", b"nan 1", b"\xff 1"] {
            assert_eq!(uptime(text), None, "{text:?}");
        }
        assert!(!boot_time().is_zero());
    }
}
