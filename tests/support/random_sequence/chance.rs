//! Sequences by chance: the seed decides.

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

use super::Step;

const LONGEST: usize = 8;

/// The sequence of a seed.
///
/// # Panics
/// Never: no list of choices is empty.
#[must_use]
pub fn sequence(seed: u64) -> Vec<Step> {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut steps: Vec<Step> = Vec::new();
    let (mut is_up, mut is_suspended) = (true, false);
    for _ in 0..rng.random_range(2..=LONGEST) {
        // Much happens to an operator at work; one that is down comes back soon, and so does an object that is suspended.
        let next = match () {
            () if !is_up && rng.random_bool(0.4) => Step::Start(one(&mut rng, &[0, 1])),
            () if is_suspended && rng.random_bool(0.3) => Step::Suspend(false),
            () => step(&mut rng),
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

fn one<T: Clone>(rng: &mut StdRng, of: &[T]) -> T {
    of.choose(rng).expect("a choice").clone()
}

const ANNOTATIONS: [&str; 4] =
    ["note", "evenkeel.dev/policy", "kubectl.kubernetes.io/last-applied-configuration", "theirs/other"];

fn step(rng: &mut StdRng) -> Step {
    let texts = ["x", "y", "z"];
    match rng.random_range(0..25) {
        0 | 1 => Step::Child(one(rng, &texts)),
        2 => Step::Fetch(one(rng, &["ok", "ok", "invalid", "broken", "nothing"])),
        3 | 4 => Step::Require(rng.random_bool(0.7)),
        5 => Step::Label(one(rng, &[Some("gold"), Some("silver"), None])),
        6 | 7 => Step::Annotate(one(rng, &ANNOTATIONS), one(rng, &[Some("1"), Some("2"), None])),
        8 => Step::EditChild,
        9 => one(rng, &[Step::DeleteChild, Step::OrphanChild]),
        10 | 11 => Step::Secret(one(rng, &[Some("1"), Some("2"), Some("3"), None])),
        12 => Step::DropFinalizer,
        13 => one(rng, &[Step::Delete, Step::ForeignStatus]),
        14 => Step::Create,
        15..=17 => Step::Move(one(rng, &["a", "b", "bad", "bad"])),
        18 => Step::Request(one(rng, &["a", "b", "c"])),
        24 => Step::Trigger(one(rng, &["a", "b", "c"])),
        19 => Step::Stop,
        20 => Step::Crash,
        21 | 22 => Step::Suspend(rng.random_bool(0.8)),
        _ => Step::CrashDuring(one(rng, &texts)),
    }
}
