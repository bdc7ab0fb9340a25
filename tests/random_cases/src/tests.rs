//! A law that does not hold fails in the simplest way.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{ATTEMPTS, Choices, check, each, each_paused};

/// The message with which a law fails.
fn message(law: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(law)).expect_err("the law holds");
    panic.downcast_ref::<String>().cloned().expect("a message")
}

fn numbers(choices: &mut Choices) -> Vec<u32> {
    (0..choices.range(0..50)).map(|_| choices.range(0..1000)).collect()
}

#[test]
fn a_list_shrinks_to_the_items_that_break_the_law() {
    let law = |choices: &mut Choices| {
        let numbers = numbers(choices);
        assert!(numbers.iter().filter(|number| **number > 700).count() < 2, "{numbers:?}");
    };
    assert_eq!(message(|| (0..100).for_each(|seed| check(seed, ATTEMPTS, law))), "[701, 701]");
}

#[test]
fn steps_that_end_with_the_choices_shrink_to_those_that_break_the_law() {
    let law = |choices: &mut Choices| {
        let mut steps = Vec::new();
        while steps.len() < 400 && !choices.are_over() {
            steps.push((choices.pick(&["wait", "read", "write"]), choices.chance(0.1).then(|| choices.range(5..90))));
        }
        assert!(!steps.contains(&("write", None)) || !steps.iter().any(|(_, fault)| *fault > Some(60)), "{steps:?}");
    };
    let found = message(|| check(0, ATTEMPTS, law));
    assert!(
        ["[(\"wait\", Some(61)), (\"write\", None)]", "[(\"write\", None), (\"wait\", Some(61))]"].contains(&&*found),
        "{found}"
    );
}

#[test]
fn a_failing_case_is_tried_so_often_and_reported_by_the_law_itself() {
    let tried = Cell::new(0);
    let law = |choices: &mut Choices| {
        tried.set(tried.get() + 1);
        let _ = numbers(choices);
        panic!("tried {} times", tried.get());
    };
    // The case, two attempts, and the report.
    assert_eq!(message(|| check(0, 2, law)), "tried 4 times");
}

#[test]
fn a_law_that_holds_is_tried_once_with_each_seed() {
    let tried = Cell::new(0);
    each(30, |_| tried.set(tried.get() + 1));
    assert_eq!(tried.get(), super::seeds(30).count());
}

#[test]
fn a_seed_always_has_the_same_choices() {
    let drawn = |seed| numbers(&mut Choices::of(seed));
    assert_eq!(drawn(3), drawn(3));
    assert_ne!(drawn(3), drawn(4));
}

#[test]
fn scenarios_run_in_paused_time() {
    each_paused(3, async |_| {
        let start = tokio::time::Instant::now();
        tokio::time::sleep(std::time::Duration::from_secs(86_400)).await;
        assert!(start.elapsed().as_secs() >= 86_400);
    });
}

#[test]
fn choices_are_spread_evenly() {
    let (mut counts, mut heads, mut first) = ([0; 7], 0, [0; 3]);
    for seed in 0..1000 {
        let mut choices = Choices::of(seed);
        for _ in 0..10 {
            counts[choices.range(0..7_usize)] += 1;
            heads += u32::from(choices.chance(0.3));
        }
        let mut order = [0, 1, 2];
        choices.shuffle(&mut order);
        first[order[0]] += 1;
    }
    // The seeds are fixed, and so is the result.
    assert!(counts.iter().all(|count| (1300..1560).contains(count)), "{counts:?}");
    assert!((2800..3200).contains(&heads), "{heads}");
    assert!(first.iter().all(|count| (270..400).contains(count)), "{first:?}");
}

#[test]
fn after_their_end_choices_are_the_simplest() {
    let mut choices = Choices::new(std::rc::Rc::default());
    let mut order = [1, 2, 3];
    choices.shuffle(&mut order);
    assert!(choices.are_over() && order == [1, 2, 3]);
    assert_eq!((choices.range(2..9), choices.pick(&["a", "b"]), choices.chance(0.9)), (2, "a", false));
}
