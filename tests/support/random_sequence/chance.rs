//! Random sequences.

use evenkeel_random_cases::Choices;

use super::Step;

const LONGEST: usize = 8;

/// A random sequence.
#[must_use]
pub fn sequence(choices: &mut Choices) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let (mut is_up, mut is_suspended) = (true, false);
    for _ in 0..choices.range(2..LONGEST + 1) {
        // Much happens to an operator at work; one that is down comes back soon, and so does an object that is suspended.
        let next = match () {
            () if !is_up && choices.chance(0.4) => Step::Start(choices.pick(&[0, 1])),
            () if is_suspended && choices.chance(0.3) => Step::Suspend(false),
            () => step(choices),
        };
        is_up = match next {
            Step::Stop | Step::Crash | Step::CrashDuring(_) => false,
            Step::Start(_) => true,
            _ => is_up,
        };
        is_suspended = match next {
            Step::Suspend(suspended) => suspended,
            _ => is_suspended,
        };
        steps.push(next);
    }
    steps
}

const ANNOTATIONS: [&str; 4] =
    ["note", "evenkeel.dev/policy", "kubectl.kubernetes.io/last-applied-configuration", "theirs/other"];

fn step(choices: &mut Choices) -> Step {
    let texts = ["x", "y", "z"];
    match choices.range(0..25) {
        0 | 1 => Step::Child(choices.pick(&texts)),
        2 => Step::Fetch(choices.pick(&["ok", "ok", "invalid", "broken", "nothing"])),
        3 | 4 => Step::Require(choices.chance(0.7)),
        5 => Step::Label(choices.pick(&[Some("gold"), Some("silver"), None])),
        6 | 7 => Step::Annotate(choices.pick(&ANNOTATIONS), choices.pick(&[Some("1"), Some("2"), None])),
        8 => Step::EditChild,
        9 => choices.pick(&[Step::DeleteChild, Step::OrphanChild]),
        10 | 11 => Step::Secret(choices.pick(&[Some("1"), Some("2"), Some("3"), None])),
        12 => Step::DropFinalizer,
        13 => choices.pick(&[Step::Delete, Step::ForeignStatus]),
        14 => Step::Create,
        15..=17 => Step::Move(choices.pick(&["a", "b", "bad", "bad"])),
        18 => Step::Request(choices.pick(&["a", "b", "c"])),
        24 => Step::Trigger(choices.pick(&["a", "b", "c"])),
        19 => Step::Stop,
        20 => Step::Crash,
        21 | 22 => Step::Suspend(choices.chance(0.8)),
        _ => Step::CrashDuring(choices.pick(&texts)),
    }
}
