//! The short-circuit, by chance: no pass is skipped that would have changed anything.

use evenkeel::Operator;
use evenkeel_tests::sequence::{Step, difference, play, sequence, shrink};

/// More with `EVENKEEL_SEQUENCES=10000`, others with `EVENKEEL_SEED=7`.
fn from_environment(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

fn whole(operator: Operator, _: &str) -> Operator {
    operator
}

fn always(operator: Operator, _: &str) -> Operator {
    operator.without_short_circuit()
}

fn missed(steps: &[Step]) -> Option<(usize, String)> {
    difference(&play(steps, whole, ""), &play(steps, always, ""))
}

#[test]
fn no_pass_is_skipped_that_would_have_changed_anything() {
    let first = from_environment("EVENKEEL_SEED", 0);
    for seed in first..first + from_environment("EVENKEEL_SEQUENCES", 20) {
        let steps = sequence(seed);
        if let Some((at, how)) = missed(&steps) {
            let short = shrink(&steps, missed);
            panic!("seed {seed}, step {at} of {steps:?}\nin short {short:?}\nwith the short-circuit {how}");
        }
    }
}
