//! Laws tried on random values: each seed is one case, and a failure says how to run its case alone.

use std::ops::Range;

use rand::SeedableRng;
use rand::rngs::StdRng;

fn from_environment(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

/// The seeds to try: `usual` of them from 0 on, or so many as `EVENKEEL_SEQUENCES` says from `EVENKEEL_SEED` on.
pub(crate) fn seeds(usual: u64) -> Range<u64> {
    let first = from_environment("EVENKEEL_SEED", 0);
    first..first + from_environment("EVENKEEL_SEQUENCES", usual)
}

/// Says the seed when a law breaks.
pub(crate) struct Case(u64);

impl Case {
    pub(crate) fn new(seed: u64) -> (Self, StdRng) {
        (Self(seed), StdRng::seed_from_u64(seed))
    }
}

impl Drop for Case {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("the case alone: EVENKEEL_SEED={} EVENKEEL_SEQUENCES=1", self.0);
        }
    }
}

/// Tries a law with each seed.
pub(crate) fn each(usual: u64, law: impl Fn(&mut StdRng)) {
    for seed in seeds(usual) {
        let (_case, mut rng) = Case::new(seed);
        law(&mut rng);
    }
}
