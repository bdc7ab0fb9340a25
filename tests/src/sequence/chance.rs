//! Sequences by chance: the seed decides.

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

use super::Step;

const LONGEST: usize = 10;

/// The sequence of a seed.
///
/// # Panics
/// Never: no list of choices is empty.
#[must_use]
pub fn sequence(seed: u64) -> Vec<Step> {
    let mut rng = StdRng::seed_from_u64(seed);
    let length = rng.random_range(2..=LONGEST);
    (0..length).map(|_| step(&mut rng)).collect()
}

fn one<T: Clone>(rng: &mut StdRng, of: &[T]) -> T {
    of.choose(rng).expect("a choice").clone()
}

const ANNOTATIONS: [&str; 4] =
    ["note", "evenkeel.dev/policy", "kubectl.kubernetes.io/last-applied-configuration", "theirs/other"];

fn step(rng: &mut StdRng) -> Step {
    let texts = ["x", "y", "z"];
    match rng.random_range(0..24) {
        0..=2 => Step::Child(one(rng, &texts)),
        3 => Step::Fetch(one(rng, &["ok", "ok", "invalid", "broken", "nothing", "requeue"])),
        4 | 5 => Step::Require(rng.random_bool(0.7)),
        6 => Step::Label(one(rng, &[Some("gold"), Some("silver"), None])),
        7 | 8 => Step::Annotate(one(rng, &ANNOTATIONS), one(rng, &[Some("1"), Some("2"), None])),
        9 => Step::EditChild,
        10 => Step::DeleteChild,
        11 => Step::OrphanChild,
        12..=14 => Step::Secret(one(rng, &[Some("1"), Some("2"), Some("3"), None])),
        15 => Step::DropFinalizer,
        16 => Step::Delete,
        17 => Step::Create,
        18 | 19 => Step::Move(one(rng, &["a", "b", "bad"])),
        20 => Step::Request(one(rng, &["a", "b", "c"])),
        21 => one(rng, &[Step::Stop, Step::Crash, Step::ForeignStatus]),
        22 => Step::CrashDuring(one(rng, &texts)),
        _ => Step::Start(one(rng, &[0, 0, 1])),
    }
}
