//! Trials: an operator in a separate process, real API servers that a test may kill, and a proxy between them that can fail.

pub mod deadline;
pub mod faults;
pub mod kills;
pub mod process;
pub mod proxy;

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::Write;

pub use self::deadline::{settle, settle_all};
pub use self::process::Process;
pub use self::proxy::Proxy;
use crate::test_env::servers;

/// Whether trials are enabled: `EVENKEEL_TRIALS=short` or `all`. Otherwise a visible line reports that they are skipped.
///
/// # Panics
/// The variable has another value, or the real servers are not available.
#[must_use]
pub fn wanted() -> bool {
    let wanted = long() || std::env::var("EVENKEEL_TRIALS").is_ok_and(|word| word == "short");
    if !wanted {
        skipped("EVENKEEL_TRIALS is not set: `short` runs the trials in some minutes, `all` in half an hour");
    }
    assert!(
        !wanted || servers().is_some(),
        "the trials need the real API servers: set EVENKEEL_REAL_APISERVER=$(tests/kit/real.sh), or leave EVENKEEL_TRIALS unset"
    );
    wanted
}

/// Whether the long trials are enabled: `EVENKEEL_TRIALS=all`.
///
/// # Panics
/// The variable has another value.
#[must_use]
pub fn long() -> bool {
    match std::env::var("EVENKEEL_TRIALS").as_deref() {
        Err(_) | Ok("" | "short") => false,
        Ok("all") => true,
        Ok(other) => panic!("EVENKEEL_TRIALS is `{other}`; use `short` or `all`, or leave it unset"),
    }
}

/// Reports what did not run, and why. It bypasses the harness, which hides the output of passing tests.
///
/// # Panics
/// Standard error is closed.
#[allow(clippy::explicit_write, reason = "the test harness hides what the macros print")]
pub fn skipped(why: &str) {
    writeln!(std::io::stderr(), "SKIPPED: {why}").expect("standard error is open");
}

/// A random number below `end`, another one in each run.
///
/// # Panics
/// When `end` is 0.
#[must_use]
pub fn below(end: u64) -> u64 {
    RandomState::new().build_hasher().finish() % end
}
