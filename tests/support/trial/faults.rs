//! What an API server, or a proxy before it, can answer instead of what was asked for.

use evenkeel_testkit::Effect;

/// The effects of the test kit that a proxy can have. They are of the list that a sweep goes through: what a trial does to an operator also
/// happens to every example, at each of its calls.
pub fn of_a_connection() -> impl Iterator<Item = &'static Effect> {
    Effect::ALL.iter().filter(|effect| effect.is_of_a_connection())
}
