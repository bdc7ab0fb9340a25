//! Kills and restarts of the API server: with its store, with an earlier one, without any.

use std::time::Duration;

use evenkeel_tests::trial::long;
use tokio::time::sleep;

use crate::truth::Truth;
use crate::yard::Yard;

fn outage() -> Duration {
    Duration::from_secs(if long() { 41 } else { 3 })
}

/// Kills the server while objects change.
pub async fn server_is_killed_and_keeps_its_store(yard: &Yard) {
    let dies = async {
        let mut server = yard.server.lock().await;
        sleep(Duration::from_millis(yard.roll(1_000))).await;
        server.kill();
        sleep(outage()).await;
        server.start_again().await;
    };
    tokio::join!(yard.change(40), dies);
    yard.answers().await;
    yard.settle("the server killed and started again").await;
}

/// Restores a copy of the store after more changes: versions of objects start over.
pub async fn store_goes_back_to_an_earlier_state(yard: &Yard) {
    let mut server = yard.server.lock().await;
    server.back_up();
    let earlier = yard.truth();
    server.start_again().await;
    yard.answers().await;
    yard.settle("the server stopped for a copy of its store").await;
    yard.change(60).await;
    yard.settle("changed").await;
    server.restore();
    sleep(outage()).await;
    server.start_again().await;
    yard.answers().await;
    yard.believe(earlier);
    // New writes get versions that the operator has seen before.
    yard.change(10).await;
    yard.settle("the store put back to an earlier state").await;
}

/// Wipes the store and installs everything again.
pub async fn store_is_wiped(yard: &Yard) {
    let mut server = yard.server.lock().await;
    server.wipe();
    sleep(outage()).await;
    server.start_again().await;
    let (before, nothing) = (yard.truth(), Truth { secret: yard.truth().secret, ..Truth::default() });
    yard.believe(nothing);
    yard.install().await;
    for (name, wish) in &before.parcels {
        yard.put(name, wish).await;
    }
    yard.settle("the store wiped").await;
}
