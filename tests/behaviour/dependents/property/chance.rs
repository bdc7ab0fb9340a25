//! Random sequences. What removes something comes first after a quiet time, so that its end does not depend on how far the operator is.

use evenkeel_random_cases::Choices;

use super::model::{Id, Step};

const MAPS: [&str; 2] = ["a", "b"];
const PARTS: [&str; 2] = ["p", "q"];
const ALL: [Id; 6] =
    [("ConfigMap", "base"), ("ConfigMap", "a"), ("ConfigMap", "b"), ("Secret", "login"), ("Part", "p"), ("Part", "q")];
const LONGEST: usize = 5;

/// A random sequence. It begins with some objects, and ends in a quiet time after the deletion of the component.
pub(super) fn rounds(choices: &mut Choices) -> Vec<Step> {
    let mut steps = Vec::new();
    for round in 0..choices.range(1..LONGEST) {
        if round > 0 {
            if choices.chance(0.25) {
                steps.push(choices.pick(&[Step::Stop, Step::Crash]));
            }
            if choices.chance(0.7) {
                steps.push(removing(choices));
            }
        }
        for _ in 0..choices.range(0..LONGEST) {
            steps.push(step(choices));
        }
        steps.push(Step::Quiet);
    }
    steps.extend([Step::DeleteShop, Step::Quiet]);
    steps
}

fn removing(choices: &mut Choices) -> Step {
    match choices.range(0..12) {
        0 | 1 => Step::Map(choices.pick(&MAPS), None),
        2 => Step::Secret(None),
        3 | 4 => Step::Part(choices.pick(&PARTS), None),
        5 | 6 => Step::Policy(choices.pick(&["delete", "orphan", "orphan-on-apply", "orphan-on-delete"])),
        7 => Step::Closed(choices.chance(0.5)),
        8 | 9 => Step::Unlabel(choices.pick(&["base", "a", "b"])),
        10 => Step::Plant(choices.pick(&MAPS)),
        _ => Step::DeleteShop,
    }
}

fn step(choices: &mut Choices) -> Step {
    match choices.range(0..20) {
        0..=4 => Step::Map(choices.pick(&["a", "b", "base"]), Some(choices.range(1..4))),
        5 | 6 => Step::Secret(Some(choices.range(1..4))),
        7..=9 => Step::Part(choices.pick(&PARTS), Some(choices.pick(&[0, 1, 2]))),
        10 => Step::MapWave(choices.pick(&["0", "1", "2"])),
        11 | 12 => Step::Edit(choices.pick(&["base", "a", "b"])),
        13 | 14 => Step::Delete(choices.pick(&ALL)),
        15 | 16 => Step::Ready(choices.pick(&PARTS), choices.chance(0.3)),
        17 => Step::CrashAfter(choices.range(1..9), choices.range(0..400)),
        18 => choices.pick(&[Step::Stop, Step::Crash]),
        _ => Step::Start,
    }
}
