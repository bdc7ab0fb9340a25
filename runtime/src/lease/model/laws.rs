//! The laws: never two leaders, and always a leader soon.

use super::explore::{Found, explore};
use super::{Bug, Move, Setup, World};

/// The number of worlds to visit; `EVENKEEL_WORLDS=2000000` visits all of them in a quarter of an hour.
fn limit(most: usize) -> usize {
    std::env::var("EVENKEEL_WORLDS").ok().and_then(|worlds| worlds.parse().ok()).unwrap_or(most)
}

/// Visits worlds without finding two leaders. `least`: fewer of them mean that the model has lost its moves.
fn is_safe(setup: Setup, most: usize, least: usize) {
    let found = explore(setup, limit(most), |_| {});
    println!("{setup:?}: {} worlds, all of them: {}", found.worlds, found.all);
    assert!(found.two_leaders.is_none(), "{setup:?}: {found:?}");
    assert!(found.worlds >= least, "{} worlds", found.worlds);
}

/// Finds two leaders, and returns the shortest way to them.
fn two_leaders(setup: Setup) -> Vec<Move> {
    let Found { worlds, two_leaders, .. } = explore(setup, 400_000, |_| {});
    let way = two_leaders.unwrap_or_else(|| panic!("{setup:?}: no two leaders in {worlds} worlds"));
    println!("{setup:?}: {worlds} worlds, {way:?}");
    way
}

fn with(bug: Bug) -> Setup {
    Setup { bug: Some(bug), ..Setup::DESIGNED }
}

#[test]
fn two_candidates_are_never_leaders_at_the_same_time() {
    is_safe(Setup::DESIGNED, 100_000, 40_000);
}

#[test]
fn a_lost_request_or_answer_makes_no_second_leader() {
    is_safe(Setup { losses: 1, ..Setup::DESIGNED }, 40_000, 40_000);
}

#[test]
fn a_deletion_makes_no_second_leader() {
    is_safe(Setup { deletions: 1, losses: 1, ..Setup::DESIGNED }, 40_000, 40_000);
}

#[test]
fn a_stop_makes_no_second_leader() {
    is_safe(Setup { stops: true, deletions: 1, ..Setup::DESIGNED }, 40_000, 40_000);
}

#[test]
fn a_candidate_that_yields_makes_no_second_leader() {
    is_safe(Setup { wavers: 3, deletions: 1, ..Setup::DESIGNED }, 60_000, 60_000);
    is_safe(Setup { wavers: 2, losses: 1, ..Setup::DESIGNED }, 60_000, 60_000);
}

#[test]
fn a_clock_may_run_faster_up_to_the_ratio_of_lease_and_deadline() {
    is_safe(Setup { speed: 2, lease: 4, ..Setup::DESIGNED }, 40_000, 40_000);
    two_leaders(Setup { speed: 2, deadline: 3, lease: 4, ..Setup::DESIGNED });
}

#[test]
fn a_deadline_beyond_the_lease_is_found() {
    two_leaders(Setup { deadline: 4, ..Setup::DESIGNED });
}

#[test]
fn a_term_that_counts_from_the_answer_is_found() {
    two_leaders(with(Bug::CountsFromTheAnswer));
}

#[test]
fn a_renewal_on_a_version_of_another_holder_is_found() {
    two_leaders(with(Bug::RenewsOnAnySeenVersion));
}

#[test]
fn a_maker_that_works_at_once_is_found() {
    let way = two_leaders(Setup { deletions: 1, ..with(Bug::WorksAtOnceAfterMaking) });
    assert!(way.contains(&Move::Delete));
}

#[test]
fn a_write_without_uid_whose_201_is_trusted_is_found() {
    two_leaders(Setup { deletions: 1, ..with(Bug::TrustsAWriteThatMade) });
    // Each of the two alone suffices.
    is_safe(Setup { deletions: 1, ..with(Bug::WritesWithoutUid) }, 40_000, 40_000);
}

/// A leader whose request or answer is lost: whether it still leads at each moment of the next seconds.
fn keeps_leading(mut world: World, at: usize) -> bool {
    let epoch = world.epoch(at);
    world = world.after(Move::Loses(at)).unwrap();
    (0..4).all(|_| {
        let led = world.epoch(at) == epoch;
        world.settles();
        let leads = world.epoch(at) == epoch;
        world = world.after(Move::Tick).unwrap();
        led && leads
    })
}

/// How many leaders lose one answer early in their term, and how many of them stop for it.
fn losses(setup: Setup) -> (usize, usize) {
    let (mut all, mut stopped) = (0, 0);
    explore(setup, 30_000, |world| {
        for at in 0..2 {
            let is_renewing = world.renews_early(at);
            if is_renewing && world.losses > 0 {
                all += 1;
                stopped += usize::from(!keeps_leading(world.clone(), at));
            }
        }
    });
    (all, stopped)
}

#[test]
fn a_try_without_an_answer_costs_no_leadership() {
    let setup = Setup { losses: 1, deadline: 3, lease: 5, ..Setup::DESIGNED };
    let (all, stopped) = losses(setup);
    assert!(all >= 100 && stopped == 0, "{stopped} of {all}");
    let (all, stopped) = losses(Setup { bug: Some(Bug::GivesUpWithoutAnAnswer), ..setup });
    assert!(all >= 100 && stopped > 0, "{stopped} of {all}: the bug is not found");
}

#[test]
fn a_replica_leads_soon_from_every_world() {
    let setup = Setup { deletions: 1, losses: 1, ..Setup::DESIGNED };
    let (mut nth, mut tried) = (0, 0);
    explore(setup, 30_000, |world| {
        nth += 1;
        if nth % 13 != 0 {
            return;
        }
        tried += 1;
        let mut later = world.clone();
        for _ in 0..3 * setup.lease + 3 {
            later.settles();
            later = later.after(Move::Tick).unwrap();
        }
        later.settles();
        assert!((0..2).any(|at| later.leads(at)), "no one leads after {world:#?}, but {later:#?}");
    });
    assert!(tried >= 1_000, "{tried} worlds");
}
