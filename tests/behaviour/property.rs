//! The short-circuit, by chance: no pass is skipped that would have changed anything, and each cause is needed for that.

use std::collections::BTreeSet;

use evenkeel::{Operator, sabotage};
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

fn without(operator: Operator, cause: &str) -> Operator {
    operator.without_cause(cause)
}

fn missed(steps: &[Step], alter: fn(Operator, &str) -> Operator, cause: &str) -> Option<(usize, String)> {
    difference(&play(steps, alter, cause), &play(steps, always, cause))
}

#[test]
fn no_pass_is_skipped_that_would_have_changed_anything() {
    let first = from_environment("EVENKEEL_SEED", 0);
    for seed in first..first + from_environment("EVENKEEL_SEQUENCES", 40) {
        let steps = sequence(seed);
        if let Some((at, how)) = missed(&steps, whole, "") {
            let short = shrink(&steps, |steps| missed(steps, whole, ""));
            panic!("seed {seed}, step {at} of {steps:?}\nin short {short:?}\nwith the short-circuit {how}");
        }
    }
}

#[test]
fn without_any_one_cause_a_pass_is_missed() {
    let first = from_environment("EVENKEEL_SEED", 0);
    let mut caught = BTreeSet::new();
    for seed in first..first + 100 {
        let left: Vec<_> = sabotage::causes().filter(|cause| !caught.contains(cause)).collect();
        if left.is_empty() {
            break;
        }
        let steps = sequence(seed);
        let needed = play(&steps, always, "");
        for cause in left {
            if difference(&play(&steps, without, cause), &needed).is_some() {
                let short = shrink(&steps, |steps| missed(steps, without, cause));
                println!("without `{cause}`: seed {seed}, {short:?}");
                caught.insert(cause);
            }
        }
    }
    let missing: Vec<_> = sabotage::causes().filter(|cause| !caught.contains(cause)).collect();
    assert!(missing.is_empty(), "no sequence misses {missing:?}");
}
