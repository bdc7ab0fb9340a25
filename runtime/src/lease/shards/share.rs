//! The fair share: which shards a replica takes, and which it gives back.

/// A shard, as a replica sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ShardView {
    /// This replica has it.
    Held,
    /// This replica gives it back.
    Leaving,
    /// No replica has it.
    Free,
    /// Another replica has it, or its lease has not been read.
    Other,
}

/// What a replica does next. The numbers are those of shards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    /// It contends for these.
    pub(super) contend: Vec<usize>,
    /// It gives these back.
    pub(super) give: Vec<usize>,
}

/// The number of shards of a replica. The shares differ by at most one, and their sum is the number of shards.
pub(super) fn share(rank: usize, replicas: usize, shards: usize) -> usize {
    let replicas = replicas.max(1);
    shards / replicas + usize::from(rank < shards % replicas)
}

/// The next step of the replica of this rank towards its share. It contends for no more shards than it lacks.
pub(super) fn plan(rank: usize, replicas: usize, views: &[ShardView]) -> Plan {
    let share = share(rank, replicas, views.len());
    let of = |wanted: ShardView| views.iter().enumerate().filter(move |(_, view)| **view == wanted).map(|(at, _)| at);
    let held = of(ShardView::Held).count();
    if held > share {
        return Plan { give: of(ShardView::Held).skip(share).collect(), ..Plan::default() };
    }
    // Each replica begins elsewhere, so that two of them seldom contend for the same shard.
    let begin = rank * views.len() / replicas.max(1);
    let (before, after): (Vec<_>, Vec<_>) = of(ShardView::Free).partition(|at| *at < begin);
    Plan { contend: after.into_iter().chain(before).take(share - held).collect(), ..Plan::default() }
}

#[cfg(test)]
mod tests {
    use evenkeel_random_cases::{Choices, seeds};

    use super::*;

    #[test]
    fn shares_differ_by_one_and_their_sum_is_all() {
        for shards in 2..=256 {
            for replicas in 1..=40 {
                let shares: Vec<_> = (0..replicas).map(|rank| share(rank, replicas, shards)).collect();
                assert_eq!(shares.iter().sum::<usize>(), shards);
                assert!(shares.iter().max().unwrap() - shares.iter().min().unwrap() <= 1);
            }
        }
    }

    #[test]
    fn a_replica_takes_what_it_lacks_and_gives_what_it_has_too_much() {
        use ShardView::{Free, Held, Leaving, Other};
        assert_eq!(plan(0, 2, &[Free, Free, Free, Free]).contend, [0, 1]);
        assert_eq!(plan(1, 2, &[Free, Free, Free, Free]).contend, [2, 3]);
        assert_eq!(plan(1, 2, &[Free, Other, Other, Held]).contend, [0]);
        assert_eq!(plan(0, 2, &[Held, Held, Held, Held]).give, [2, 3]);
        assert_eq!(plan(0, 2, &[Held, Held, Leaving, Free]), Plan::default());
        assert_eq!(plan(0, 1, &[Held, Held, Leaving, Free]).contend, [3]);
    }

    /// All replicas act on what they see, one after the other in any order, until nothing changes.
    fn settle(choices: &mut Choices, owners: &mut [Option<usize>], replicas: usize) {
        for _ in 0..1000 {
            let rank = choices.range(0..replicas);
            let view = |owner: &Option<usize>| match owner {
                None => ShardView::Free,
                Some(owner) if *owner == rank => ShardView::Held,
                Some(_) => ShardView::Other,
            };
            let views: Vec<_> = owners.iter().map(view).collect();
            let Plan { contend, give } = plan(rank, replicas, &views);
            contend.iter().for_each(|at| owners[*at] = Some(rank));
            give.iter().for_each(|at| owners[*at] = None);
        }
    }

    #[test]
    fn any_distribution_becomes_fair() {
        for seed in seeds(100) {
            let mut choices = Choices::of(seed);
            let (shards, replicas) = (choices.range(2..40), choices.range(1..12));
            let owner =
                |choices: &mut Choices| choices.range(0..4_usize).checked_sub(1).map(|_| choices.range(0..replicas));
            let mut owners: Vec<_> = (0..shards).map(|_| owner(&mut choices)).collect();
            settle(&mut choices, &mut owners, replicas);
            for rank in 0..replicas {
                let held = owners.iter().filter(|owner| **owner == Some(rank)).count();
                assert_eq!(held, share(rank, replicas, shards), "EVENKEEL_SEED={seed}: {owners:?}");
            }
        }
    }
}
