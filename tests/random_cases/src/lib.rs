//! Tests on random values: each seed is one case, and a case that fails is shrunk before it is reported.
//!
//! A test draws its values from [`Choices`], a sequence of random numbers. Smaller numbers are simpler values, so that
//! proptest simplifies the values of a failing case by simplifying the numbers.
//!
//! `EVENKEEL_SEED` is the seed of the first case, and `EVENKEEL_SEQUENCES` the number of cases.
#![forbid(unsafe_code)]

mod choices;
mod shrink;

use std::ops::Range;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};

pub use self::choices::Choices;
use self::shrink::Sequences;

/// Attempts to simplify a failing case.
const ATTEMPTS: u32 = 4000;
/// The same for cases that take a second.
const ATTEMPTS_IF_SLOW: u32 = 150;

/// Tests a law with each seed: `usual` of them, unless `EVENKEEL_SEQUENCES` is set.
///
/// # Panics
/// When the law does, with the message for the simplest choices that were found.
pub fn each(usual: u64, law: impl Fn(&mut Choices)) {
    seeds(usual).for_each(|seed| check(seed, ATTEMPTS, &law));
}

/// Like [`each`], for cases that take long: a failing one is shrunk in fewer attempts.
///
/// # Panics
/// When the law does.
pub fn each_slow(usual: u64, law: impl Fn(&mut Choices)) {
    seeds(usual).for_each(|seed| check(seed, ATTEMPTS_IF_SLOW, &law));
}

/// Like [`each_slow`], for scenarios: each runs in a tokio runtime of its own, with paused time.
///
/// # Panics
/// When the scenario does.
pub fn each_paused(usual: u64, scenario: impl AsyncFn(&mut Choices)) {
    each_slow(usual, move |choices| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
        runtime.expect("a runtime").block_on(scenario(choices));
    });
}

fn from_environment(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

/// The seeds of a test: `usual` of them from 0 on, or `EVENKEEL_SEQUENCES` of them from `EVENKEEL_SEED` on.
#[must_use]
pub fn seeds(usual: u64) -> Range<u64> {
    let first = from_environment("EVENKEEL_SEED", 0);
    first..first + from_environment("EVENKEEL_SEQUENCES", usual)
}

fn runner(seed: u64) -> TestRunner {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    // The sequences have their own bound, whose end is no warning.
    let config = Config { cases: 1, max_shrink_iters: u32::MAX - 1, failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
}

fn check(seed: u64, attempts: u32, law: impl Fn(&mut Choices)) {
    let tried = runner(seed).run(&Sequences { attempts }, |mut choices| {
        law(&mut choices);
        Ok(())
    });
    let Err(TestError::Fail(reason, mut minimal)) = tried else { return };
    println!("the case alone: EVENKEEL_SEED={seed} EVENKEEL_SEQUENCES=1");
    minimal.print();
    // Not caught: the message and its line are those of the law.
    law(&mut minimal);
    panic!("seed {seed} failed, but not again with the same choices: {reason}");
}

impl Choices {
    /// The choices of a seed, for tests that look for examples.
    ///
    /// # Panics
    /// Never: any seed has choices.
    #[must_use]
    pub fn of(seed: u64) -> Self {
        Sequences { attempts: 0 }.new_tree(&mut runner(seed)).expect("a sequence").current()
    }
}

#[cfg(test)]
mod tests;
