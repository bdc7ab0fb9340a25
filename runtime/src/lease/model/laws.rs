//! The laws: never two leaders, and always a leader soon.

use super::explore::{Found, explore};
use super::{Bug, Move, Setup, World};

fn count(setup: Setup) {
    let start = std::time::Instant::now();
    let found = explore(setup, 600_000, |_| {});
    println!("{setup:?}: {} worlds, all: {} {:?} {:?}", found.worlds, found.all, start.elapsed(), found.two_leaders);
}

#[test]
fn counts() {
    for losses in [0, 1, 2] {
        count(Setup { losses, ..Setup::DESIGNED });
        count(Setup { losses, deletions: 1, ..Setup::DESIGNED });
    }
}

fn safe(setup: Setup, most: usize, least: usize) {
    let found = explore(setup, most, |_| {});
    println!("{setup:?}: {} worlds, all: {}", found.worlds, found.all);
    assert!(found.two_leaders.is_none(), "{setup:?}: {found:?}");
    assert!(found.worlds >= least, "the model has degenerated: {} worlds", found.worlds);
}

fn unsafe_with(setup: Setup) -> Vec<Move> {
    let Found { worlds, two_leaders, .. } = explore(setup, 3_000_000, |_| {});
    let way = two_leaders.unwrap_or_else(|| panic!("{setup:?}: no two leaders in {worlds} worlds"));
    println!("{setup:?}: {worlds} worlds, {way:?}");
    way
}

#[test]
fn there_are_never_two_leaders() {
    safe(Setup::DESIGNED, 400_000, 1);
}

#[test]
fn there_are_never_two_leaders_after_a_deletion() {
    safe(Setup { deletions: 1, ..Setup::DESIGNED }, 400_000, 1);
}

#[test]
fn each_planted_bug_is_found() {
    let with = |bug| Setup { bug: Some(bug), ..Setup::DESIGNED };
    let deleted = |bug| Setup { deletions: 1, ..with(bug) };
    unsafe_with(with(Bug::CountsFromTheAnswer));
    unsafe_with(with(Bug::RenewsOnAnySeenVersion));
    unsafe_with(Setup { deadline: 4, ..Setup::DESIGNED });
    unsafe_with(Setup { speed: 2, ..Setup::DESIGNED });
    unsafe_with(deleted(Bug::WorksAtOnceAfterMaking));
    unsafe_with(deleted(Bug::TrustsAWriteThatMade));
    unsafe_with(Setup { stops: true, ..deleted(Bug::ReleasesWhileItWaits) });
    let _ = World::new(Setup::DESIGNED);
}
