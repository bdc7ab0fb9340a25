//! Visits all worlds that a setup can reach, or finds the shortest way to two leaders.

use std::collections::{HashMap, VecDeque};

use super::{Move, Setup, World};

/// What was found.
#[derive(Debug)]
pub(super) struct Found {
    /// How many worlds were visited.
    pub(super) worlds: usize,
    /// Whether these are all.
    pub(super) all: bool,
    /// The moves to a world with two leaders.
    pub(super) two_leaders: Option<Vec<Move>>,
}

/// Visits worlds in the order of their distance, up to this number.
pub(super) fn explore(setup: Setup, most: usize, mut each: impl FnMut(&World)) -> Found {
    let first = World::new(setup);
    let start = first.canonical();
    let mut came = HashMap::from([(start, None)]);
    let mut queue = VecDeque::from([(start, first)]);
    while let Some((key, world)) = queue.pop_front() {
        if (0..2).all(|at| world.leads(at)) {
            return Found { worlds: came.len(), all: false, two_leaders: Some(way(&came, key)) };
        }
        each(&world);
        if came.len() > most {
            return Found { worlds: came.len(), all: false, two_leaders: None };
        }
        for (step, next) in world.moves() {
            let reached = next.canonical();
            came.entry(reached).or_insert_with(|| {
                queue.push_back((reached, next));
                Some((key, step))
            });
        }
    }
    Found { worlds: came.len(), all: true, two_leaders: None }
}

fn way(came: &HashMap<u64, Option<(u64, Move)>>, mut key: u64) -> Vec<Move> {
    let mut moves = Vec::new();
    while let Some((before, step)) = came[&key] {
        moves.push(step);
        key = before;
    }
    moves.reverse();
    moves
}
