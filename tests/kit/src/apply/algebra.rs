//! Laws of field sets, against sets of whole paths.

use std::collections::BTreeSet;

use evenkeel_random_cases::{Choices, each};

use super::fields;
use super::path_element::Element;
use super::set::Set;

const CASES: u64 = 500;

/// What a set means: the paths in it, and nothing about how they are kept.
type Paths = BTreeSet<Vec<Element>>;

fn element(choices: &mut Choices) -> Element {
    match choices.range(0..6) {
        0 | 1 => Element::field("a"),
        2 => Element::field("b"),
        3 => Element::Key(r#"{"name":"x"}"#.to_owned()),
        4 => Element::Item("1".to_owned()),
        _ => Element::Index(0),
    }
}

fn paths(choices: &mut Choices) -> Paths {
    let count = choices.range(0..8);
    (0..count).map(|_| (0..choices.range(1..4)).map(|_| element(choices)).collect()).collect()
}

fn set<'a>(paths: impl IntoIterator<Item = &'a Vec<Element>>) -> Set {
    let mut set = Set::default();
    for path in paths {
        set.insert(path);
    }
    set
}

fn model(set: &Set) -> Paths {
    set.paths().into_iter().collect()
}

#[test]
fn a_set_holds_the_paths_put_into_it_in_any_order() {
    each(CASES, |choices| {
        let paths = paths(choices);
        let mut shuffled: Vec<_> = paths.iter().collect();
        choices.shuffle(&mut shuffled);
        let built = set(shuffled);
        assert_eq!(model(&built), paths);
        assert_eq!(built.paths().len(), paths.len(), "a path is listed twice");
        assert_eq!(built, set(&paths), "equal sets are equal values");
        assert_eq!(built.is_empty(), paths.is_empty());
    });
}

#[test]
fn union_difference_and_intersection_are_those_of_sets_of_paths() {
    each(CASES, |choices| {
        let (a, b) = (paths(choices), paths(choices));
        let (left, right) = (set(&a), set(&b));
        let naive = |paths: BTreeSet<&Vec<Element>>| set(paths);
        assert_eq!(left.clone().union(&right), naive(a.union(&b).collect()), "{a:?} and {b:?}");
        assert_eq!(left.difference(&right), naive(a.difference(&b).collect()), "{a:?} less {b:?}");
        assert_eq!(left.intersection(&right), naive(a.intersection(&b).collect()), "both of {a:?} and {b:?}");
    });
}

#[test]
fn the_laws_of_sets_hold() {
    each(CASES, |choices| {
        let (a, b, c) = (set(&paths(choices)), set(&paths(choices)), set(&paths(choices)));
        let union = |a: &Set, b: &Set| a.clone().union(b);
        assert_eq!(union(&a, &b), union(&b, &a));
        assert_eq!(union(&union(&a, &b), &c), union(&a, &union(&b, &c)));
        assert_eq!(a.intersection(&b), b.intersection(&a));
        assert_eq!(union(&a.difference(&b), &a.intersection(&b)), a);
        assert_eq!(a.difference(&union(&b, &c)), a.difference(&b).difference(&c));
        assert_eq!(a.intersection(&union(&b, &c)), union(&a.intersection(&b), &a.intersection(&c)));
        assert!(a.difference(&a).is_empty() && a.difference(&b).intersection(&b).is_empty());
    });
}

#[test]
fn any_set_survives_being_written_as_fields() {
    each(CASES, |choices| {
        let set = set(&paths(choices));
        assert_eq!(fields::decode(&fields::encode(&set)).as_ref(), Ok(&set));
    });
}
