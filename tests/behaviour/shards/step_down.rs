//! A replica that is asked to give its shards back takes none for a while.

use super::fleet::{Fleet, held};
use super::*;

#[tokio::test(start_paused = true)]
async fn a_replica_that_is_asked_gives_its_shards_back_for_a_while() {
    let fleet = Fleet::of(3).await;
    let asked = held(&fleet.world).await.into_keys().next().unwrap();
    let began = Instant::now();
    let request = json!({ "metadata": { "annotations": { "evenkeel.dev/step-down": asked } } });
    fleet.world.merge::<Lease>("shop", request).await;
    let is_given = async || {
        let held = held(&fleet.world).await;
        (!held.contains_key(&asked) && held.values().sum::<usize>() == 16).then_some(())
    };
    eventually(SOON, is_given).await;
    assert!(began.elapsed() <= 2 * SECOND, "{:?}", began.elapsed());
    sleep(25 * SECOND).await;
    assert!(!held(&fleet.world).await.contains_key(&asked));
    let lease = fleet.world.raw::<Lease>("shop").await;
    assert!(lease["metadata"]["annotations"].get("evenkeel.dev/step-down").is_none(), "{lease:#}");
    fleet.until_fair().await;
    assert!(began.elapsed() <= 45 * SECOND, "{:?}", began.elapsed());
    fleet.stop().await;
}
