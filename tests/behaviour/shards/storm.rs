//! Five replicas with shards through hours of pauses, partitions, kills, roll-outs and errors. `EVENKEEL_SEED` repeats a run.

use evenkeel_random_cases::{Choices, seeds};

use super::*;
use crate::replicas::storm::{Damage, suffered};

#[test]
fn no_two_replicas_reconcile_one_object_in_a_storm() {
    for seed in seeds(1) {
        println!("EVENKEEL_SEED={seed}");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        let mut choices = Choices::of(seed);
        let damage = runtime.block_on(suffered(&mut choices, 3600 * SECOND, NonZeroU16::new(4)));
        let Damage { incidents, processes, .. } = damage;
        println!("{incidents} incidents, {processes} processes");
        assert!(incidents >= 4 && processes > 5, "the storm was no storm");
    }
}
