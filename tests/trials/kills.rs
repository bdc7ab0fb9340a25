//! Kills and restarts of the operator under load.

use std::time::Duration;

use evenkeel_tests::trial::long;
use tokio::time::sleep;

use crate::yard::Yard;

/// Kills the operator while objects change.
pub async fn operator_is_killed(yard: &Yard) {
    let kills = if long() { 30 } else { 3 };
    for _ in 0..kills {
        let dies = async {
            sleep(Duration::from_millis(yard.roll(1_500))).await;
            yard.kill();
        };
        tokio::join!(yard.change(20), dies);
        yard.start(&[]);
    }
    yard.settle(&format!("{kills} kills under load")).await;
}
