//! Sets of dependents, by chance: when all is quiet, the cluster is as a naive model says, and no call was out of order on the way.

mod chance;
mod invariants;
mod model;
mod operator;
mod scene;

use evenkeel_random_cases::{Choices, each_slow};

use self::chance::rounds;
use self::operator::Mistake;
use self::scene::play;

#[test]
fn the_cluster_is_as_the_model_says_when_all_is_quiet() {
    each_slow(30, |choices| {
        let rounds = rounds(choices);
        if let Err(error) = play(&rounds, Mistake::None) {
            panic!("{error}\nafter {rounds:#?}");
        }
    });
}

/// So many sequences are looked through for one that shows a mistake.
const ENOUGH: u64 = 40;

/// What the first sequence that shows the mistake says.
fn found(mistake: Mistake) -> String {
    let mut errors = (0..ENOUGH).filter_map(|seed| play(&rounds(&mut Choices::of(seed)), mistake).err());
    errors.next().unwrap_or_default()
}

#[test]
fn the_sequences_find_waves_that_do_not_wait() {
    let error = found(Mistake::NoWaves);
    assert!(error.contains(" is created before "), "{error}");
}

#[test]
fn the_sequences_find_an_object_that_is_left_out() {
    let error = found(Mistake::LeavesOut);
    assert!(error.contains("the cluster has "), "{error}");
}

#[test]
fn the_sequences_find_passes_that_differ() {
    let error = found(Mistake::Counts);
    assert!(error.contains("one more pass sends "), "{error}");
}

#[test]
fn the_sequences_find_the_deletion_of_an_object_of_others() {
    let error = found(Mistake::DeletesOfOthers);
    assert!(error.contains(" is deleted without our mark"), "{error}");
}

#[test]
fn the_sequences_find_an_object_of_an_unregistered_kind() {
    let error = found(Mistake::Unregistered);
    assert!(error.contains(" is written before its kind is registered"), "{error}");
}
