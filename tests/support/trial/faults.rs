//! Unexpected answers of an API server, or of a proxy in front of it.

use evenkeel_testkit::Effect;

/// The effects of the test kit that a proxy can produce. They are part of the fault sweep: every example meets the faults of a trial as
/// well, at each of its calls.
pub fn of_a_connection() -> impl Iterator<Item = &'static Effect> {
    Effect::ALL.iter().filter(|effect| effect.is_of_a_connection())
}
